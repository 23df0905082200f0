// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/help_formatter.h"

#include <cstddef>

#include "cli/render/wrap_text.h"

namespace coolspan {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kDescriptionColumn = 26;

// CLI11 indents the lines after a line break to the description column.
std::string Wrapped(const std::string& description) {
  return WrapText(description, kColumns - kDescriptionColumn);
}

std::string TypeName(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type == "UINT" || type == "INT") return "N";
  if (type == "FLOAT") return "X";
  // A validator's description follows a colon.
  return type.substr(0, type.find(':'));
}

}  // namespace

HelpFormatter::HelpFormatter() { column_width(kDescriptionColumn); }

std::string HelpFormatter::make_subcommand(const CLI::App* subcommand) const {
  const std::string indent(kDescriptionColumn, ' ');
  std::string text = "  " + subcommand->get_name();
  if (text.size() < kDescriptionColumn) {
    text.resize(kDescriptionColumn, ' ');
  } else {
    text += "\n" + indent;
  }
  for (const char c : Wrapped(subcommand->get_description())) {
    text += c;
    if (c == '\n') text += indent;
  }
  return text + "\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_type_size() != 0) text += " " + TypeName(*option);
  if (option->get_required()) text += " (required)";
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) {
    text += " (default: " + option->get_default_str() + ")";
  }
  return Wrapped(text);
}

}  // namespace coolspan
