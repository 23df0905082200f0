// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rule_entries.h"

#include <fmt/format.h>

#include "formats/file_error.h"

namespace coolspan {
namespace {

bool HasNoEffect(const DaemonFile::Rule& rule) {
  return rule.policy.value.empty() && rule.ordering.value.empty() &&
         !rule.span.has_value() && !rule.mode.has_value();
}

}  // namespace

absl::Status ReadRules(DaemonFile& file, const std::string& path) {
  for (DaemonFile::Rule& rule : file.rules) {
    const bool is_limited = rule.nodes.place.line != 0;
    if (is_limited && !ParseNodeRange(rule.nodes.value, rule.jobs)) {
      return ErrorAt(path, rule.nodes.place,
                     fmt::format("rules[].nodes: invalid value {} (expected a "
                                 "number from 1 or a range: 64, 64-512, 64- or "
                                 "-512)",
                                 Quoted(rule.nodes.value)));
    }
    if (HasNoEffect(rule)) {
      return ErrorAt(
          path, rule.place,
          "rules: entry has no effect (expected policy, ordering, span "
          "or mode)");
    }
    if (rule.jobs.HoldsForAll() && &rule != &file.rules.back()) {
      return ErrorAt(path, rule.place,
                     "rules: entry matches every job, so later entries never "
                     "apply (expected a condition, or no later entry)");
    }
  }
  return absl::OkStatus();
}

}  // namespace coolspan
