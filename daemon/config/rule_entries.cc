// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rule_entries.h"

#include <fmt/format.h>

#include "formats/file_error.h"

namespace coolspan {
namespace {

bool NamesNothing(const DaemonFile::Rule& rule) {
  return rule.policy.value.empty() && rule.ordering.value.empty() &&
         !rule.span.has_value();
}

}  // namespace

absl::Status ReadRules(DaemonFile& file, const std::string& path) {
  for (DaemonFile::Rule& rule : file.rules) {
    const bool is_limited = rule.nodes.place.line != 0;
    if (is_limited && !ParseNodeRange(rule.nodes.value, rule.jobs)) {
      return ErrorAt(path, rule.nodes.place,
                     fmt::format("rules[].nodes is {}; a number from 1 on or a "
                                 "range is wanted: 64, 64-512, 64- or -512",
                                 Quoted(rule.nodes.value)));
    }
    if (NamesNothing(rule)) {
      return ErrorAt(path, rule.place,
                     "an entry of rules says nothing to do; policy, ordering "
                     "or span is wanted");
    }
    if (rule.jobs.HoldsForAll() && &rule != &file.rules.back()) {
      return ErrorAt(path, rule.place,
                     "an entry of rules is for every job, and the ones after "
                     "it for none; a condition is wanted, or to be the last");
    }
  }
  return absl::OkStatus();
}

}  // namespace coolspan
