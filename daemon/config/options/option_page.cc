// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/option_page.h"

#include <fmt/format.h>

#include "config/options/option_value.h"

namespace coolspan {
namespace {

// Escapes what man(7) interprets: a bare hyphen is set as a dash, a leading
// point or quote starts a request.
std::string EscapeRoff(std::string_view text) {
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

// "an integer from 1 to 60000; default 20"
std::string TypeAndDefault(const OptionSpec& option) {
  std::string type = DescribeExpected(option);
  if (option.presence == Presence::kRequired) return type + "; required";
  if (option.default_text.empty() || option.default_text == "{}") return type;
  return fmt::format("{}; default {}", type, option.default_text);
}

}  // namespace

std::string OptionPage(std::span<const OptionSpec> options) {
  std::string page;
  for (const OptionSpec& option : options) {
    page += fmt::format(".TP\n.B {}\n({})\n.br\n{}\n", EscapeRoff(option.name),
                        EscapeRoff(TypeAndDefault(option)),
                        EscapeRoff(option.description));
  }
  return page;
}

}  // namespace coolspan
