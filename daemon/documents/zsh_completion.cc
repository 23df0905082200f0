// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "documents/completion.h"
#include "documents/option_values.h"

namespace coolspan {
namespace {

constexpr std::string_view kZshHead = R"sh(#compdef coolspan
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of coolspan for zsh, made from its option tables.

_coolspan() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[print this help and exit]' \
    '(- *)--version[print the version and exit]' '1:subcommand:->subcommand' '*::argument:->arguments'
  case $state in
    subcommand)
      local -a subcommands=(
)sh";

// The text up to its first colon, semicolon or bracket, within a quoted
// specification of _arguments.
std::string Summary(const std::string& description) {
  std::string text = description.substr(0, description.find_first_of(":;([\n"));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else if (c == ']' || c == '\\') {
      quoted += std::string("\\") + c;
    } else {
      quoted += c;
    }
  }
  return quoted;
}

// ":NAME:ACTION" of _arguments.
std::string Value(const CLI::App& subcommand, const CLI::Option& option) {
  std::string name =
      option.get_positional() ? option.get_name() : option.get_type_name();
  name = name.substr(0, name.find_first_of(":,.'"));
  const OptionValues values = ValuesOf(subcommand, option);
  std::string words;
  for (const std::string& word : values.words) {
    words += words.empty() ? "" : " ";
    for (const char c : word) words += c == ':' ? "\\:" : std::string(1, c);
  }
  std::string action;
  if (values.is_list && !values.words.empty()) {
    action = fmt::format("_sequence compadd - {}", words);
  } else if (!values.words.empty() && values.takes_files) {
    action = fmt::format(
        R"sh(_alternative "words:word:({})" "files:file:_files")sh", words);
  } else if (!values.words.empty()) {
    action = fmt::format("({})", words);
  } else if (values.takes_files) {
    action = "_files";
  } else if (values.takes_folders) {
    action = "_files -/";
  }
  return fmt::format(":{}:{}", name, action);
}

std::string Specification(const CLI::App& subcommand,
                          const CLI::Option& option) {
  if (option.get_positional()) {
    const bool repeats = option.get_items_expected_max() > 1;
    return fmt::format("'{}{}'", repeats ? "*" : "", Value(subcommand, option));
  }
  const std::string summary = Summary(option.get_description());
  if (option.get_name() == "--help")
    return "'(- *)'{-h,--help}'[" + summary + "]'";
  if (option.get_items_expected_max() == 0) {
    return fmt::format("'{}[{}]'", option.get_name(), summary);
  }
  return fmt::format("'{}=[{}]{}'", option.get_name(), summary,
                     Value(subcommand, option));
}

}  // namespace

std::string ZshCompletion(const CLI::App& app) {
  const auto subcommands =
      app.get_subcommands([](const CLI::App*) { return true; });
  std::string text(kZshHead);
  for (const CLI::App* const subcommand : subcommands) {
    text += fmt::format("        '{}:{}'\n", subcommand->get_name(),
                        Summary(subcommand->get_description()));
  }
  text +=
      "      )\n"
      "      _describe subcommand subcommands ;;\n"
      "    arguments)\n"
      "      case $line[1] in\n";
  for (const CLI::App* const subcommand : subcommands) {
    text += fmt::format("        {}) _arguments", subcommand->get_name());
    for (const CLI::Option* const option : subcommand->get_options()) {
      text += " \\\n          " + Specification(*subcommand, *option);
    }
    text += " ;;\n";
  }
  return text +
         "      esac ;;\n"
         "  esac\n"
         "}\n\n"
         "_coolspan \"$@\"\n";
}

}  // namespace coolspan
