// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/option_page.h"

#include <fmt/format.h>

#include "config/options/option_value.h"

namespace coolspan {
namespace {

// A hyphen would be set as a dash, a leading point or quote read as a request.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && escaped.empty()) {
      escaped += "\\&";
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Nature(const OptionSpec& option) {
  std::string nature = DescribeWanted(option);
  if (option.presence == Presence::kRequired) return nature + "; required";
  if (option.default_text.empty() || option.default_text == "{}") return nature;
  return fmt::format("{}; default {}", nature, option.default_text);
}

}  // namespace

std::string OptionPage(std::span<const OptionSpec> options) {
  std::string page;
  for (const OptionSpec& option : options) {
    if (option.presence == Presence::kLater) continue;
    page += fmt::format(".TP\n.B {}\n({})\n.br\n{}\n", Roff(option.name),
                        Roff(Nature(option)), Roff(option.description));
  }
  return page;
}

}  // namespace coolspan
