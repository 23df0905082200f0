// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "documents/completion.h"
#include "documents/option_values.h"

namespace coolspan {

// completion.bash
std::string_view CompletionFunctions();

namespace {

constexpr std::string_view kBashHead =
    R"sh(# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of coolspan for bash, made from its option tables.

# $1: subcommand. Its options; those that end in = take a value.
_coolspan_options()
{
  case $1 in
)sh";

constexpr std::string_view kBashValues = R"sh(  esac
}

# $1: subcommand and option, or number of a positional argument. Its values: "files",
# "folders" or nothing; "list" if several are separated by commas; the words.
_coolspan_values()
{
  case $1 in
)sh";

constexpr std::string_view kBashEnd = R"sh(  esac
}

)sh";

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// "files list a b c".
std::string Described(const OptionValues& values) {
  std::string_view kind = "-";
  if (values.takes_files) kind = "files";
  if (values.takes_folders) kind = "folders";
  return fmt::format("{} {} {}", kind, values.is_list ? "list" : "-",
                     fmt::join(values.words, " "));
}

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string OptionLines(const CLI::App& app) {
  std::string first = "--help --version";
  std::string lines;
  for (const CLI::App* const subcommand : SubcommandsOf(app)) {
    first += " " + subcommand->get_name();
    std::string options;
    for (const CLI::Option* const option : subcommand->get_options()) {
      if (option->get_positional()) continue;
      options += " " + option->get_name() + (TakesValue(*option) ? "=" : "");
    }
    lines += fmt::format("    {}) echo '{}' ;;\n", subcommand->get_name(),
                         options.substr(options.empty() ? 0 : 1));
  }
  return fmt::format("    '') echo '{}' ;;\n{}", first, lines);
}

std::string ValueLines(const CLI::App& app) {
  std::string lines;
  for (const CLI::App* const subcommand : SubcommandsOf(app)) {
    int positional = 0;
    for (const CLI::Option* const option : subcommand->get_options()) {
      if (!TakesValue(*option)) continue;
      std::string name = option->get_name();
      if (option->get_positional()) {
        name = std::to_string(positional++);
        // All further arguments too.
        if (option->get_items_expected_max() > 1) name = "*";
      }
      const OptionValues values = ValuesOf(*subcommand, *option);
      if (values.words.empty() && !values.takes_files && !values.takes_folders)
        continue;
      lines += fmt::format(
          "    {}) echo '{}' ;;\n",
          name == "*" ? subcommand->get_name() + "\\ [0-9]*"
                      : fmt::format("'{} {}'", subcommand->get_name(), name),
          Described(values));
    }
  }
  return lines;
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::string text(kBashHead);
  text += OptionLines(app);
  text += kBashValues;
  text += ValueLines(app);
  text += kBashEnd;
  text += CompletionFunctions();
  return text;
}

}  // namespace coolspan
