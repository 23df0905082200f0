// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/parse_failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/nearest_name.h"

namespace coolspan {
namespace {

std::vector<std::string> SubcommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

std::string Suggestion(std::string_view typed,
                       const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view nearest = NearestName(typed, names);
  return nearest.empty()
             ? fmt::format(" (expected one of {})", fmt::join(names, ", "))
             : fmt::format("; did you mean '{}'?", nearest);
}

bool IsOption(std::string_view argument) {
  return argument.size() > 1 && argument.front() == '-';
}

std::string_view WithoutDashes(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option;
}

// As Suggestion, for the names without dashes, which all options share.
std::string OptionSuggestion(std::string_view typed,
                             const std::vector<std::string>& known) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const std::string& name : known) names.push_back(WithoutDashes(name));
  const std::string_view nearest = NearestName(WithoutDashes(typed), names);
  const auto found = std::find(names.begin(), names.end(), nearest);
  return found == names.end()
             ? fmt::format(" (expected one of {})", fmt::join(known, ", "))
             : fmt::format(
                   "; did you mean '{}'?",
                   known[static_cast<std::size_t>(found - names.begin())]);
}

// The placeholder of the option's value in the help text.
std::string TypeOf(const CLI::App& chosen, const std::string& option) {
  const CLI::Option* known = chosen.get_option_no_throw(option);
  if (known == nullptr) return "";
  const std::string type = known->get_type_name();
  // A validator's description follows a colon.
  return type.substr(0, type.find(':'));
}

bool TakesArguments(const CLI::App& chosen) {
  const auto options = chosen.get_options();
  return std::any_of(
      options.begin(), options.end(),
      [](const CLI::Option* known) { return known->get_positional(); });
}

// ", such as --trace FILE", if a required option is missing; else empty.
std::string FirstMissing(const CLI::App& chosen) {
  for (const CLI::Option* known : chosen.get_options()) {
    if (known->get_required() && known->count() == 0) {
      return fmt::format(", such as {} {}", known->get_name(),
                         TypeOf(chosen, known->get_name()));
    }
  }
  return "";
}

// The message for an argument that no option or subcommand takes.
std::string Unexpected(const CLI::App& app, const CLI::App& chosen,
                       std::string_view argument) {
  const bool is_option = IsOption(argument);
  const std::vector<std::string> subcommands = SubcommandNames(chosen);
  if (!is_option && !subcommands.empty()) {
    return fmt::format("unknown subcommand '{}'{}", argument,
                       Suggestion(argument, subcommands));
  }
  if (!is_option && TakesArguments(chosen)) {
    return fmt::format("too many arguments: '{}'", argument);
  }
  if (!is_option) {
    return fmt::format("unexpected argument '{}' (expected an option{})",
                       argument, FirstMissing(chosen));
  }
  const std::string_view option = argument.substr(0, argument.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* known : chosen.get_options()) {
    names.push_back(known->get_name());
  }
  if (&app != &chosen &&
      app.get_option_no_throw(std::string(option)) == nullptr &&
      std::find(names.begin(), names.end(), option) != names.end()) {
    return fmt::format("option '{}' must follow the subcommand", option);
  }
  return fmt::format("unknown option '{}'{}", option,
                     OptionSuggestion(option, names));
}

std::string ExpectedValue(const std::string& type) {
  if (type == "UINT") return "a whole number";
  if (type == "FLOAT" || type == "NUMBER" || type == "SHARE") return "a number";
  if (type == "FILE" || type == "CSV") return "a file";
  if (type == "DIR") return "a directory";
  if (type == "NAME" || type == "KIND") return "a name";
  if (type.empty() || type == "TEXT") return "a value";
  return type;
}

// Rewrites CLI11's "Could not convert: --nodes = abc".
std::string ConversionFailure(const CLI::App& chosen, std::string_view what) {
  constexpr std::string_view kPrefix = "Could not convert: ";
  const std::size_t equals = what.find(" = ");
  if (what.substr(0, kPrefix.size()) != kPrefix ||
      equals == std::string_view::npos) {
    return std::string(what);
  }
  const std::string option(
      what.substr(kPrefix.size(), equals - kPrefix.size()));
  const std::string_view value = what.substr(equals + 3);
  std::string expected = "a number";
  if (TypeOf(chosen, option) == "UINT") {
    // Larger numbers fail only where the variable has 32 bits: CLI11 converts
    // any number for one of 64 bits.
    const bool is_large =
        !value.empty() &&
        value.find_first_not_of("0123456789") == std::string_view::npos;
    expected = is_large ? fmt::format("a whole number, at most {}",
                                      std::numeric_limits<std::uint32_t>::max())
                        : "a whole number, 0 or greater";
  }
  return fmt::format("{}: '{}' is not valid (expected {})", option, value,
                     expected);
}

// Rewrites CLI11's "--nodes: At Most 1 required but received 2", "--nodes: 1
// required UINT missing" and "--json was given a disallowed flag override".
std::string CountFailure(const CLI::App& chosen, std::string_view what) {
  constexpr std::string_view kFlag = " was given a disallowed flag override";
  if (what.ends_with(kFlag)) {
    what.remove_suffix(kFlag.size());
    return fmt::format("--{}: takes no value", WithoutDashes(what));
  }
  const std::size_t colon = what.find(": ");
  if (colon == std::string_view::npos) return std::string(what);
  const std::string option(what.substr(0, colon));
  if (what.substr(colon).starts_with(": At Most 1 required")) {
    return fmt::format("{}: specified more than once", option);
  }
  if (what.ends_with(" missing")) {
    return fmt::format("{}: value missing (expected {})", option,
                       ExpectedValue(TypeOf(chosen, option)));
  }
  return std::string(what);
}

// Rewrites CLI11's "--jobs requires --model".
std::string RequirementFailure(std::string_view what) {
  const std::size_t space = what.find(" requires ");
  if (space == std::string_view::npos) return std::string(what);
  return fmt::format("{}:{}", what.substr(0, space), what.substr(space));
}

std::string Problem(const CLI::App& app, const CLI::App& chosen,
                    const CLI::ParseError& error) {
  for (const std::string& extra : app.remaining(true)) {
    if (extra != "--") return Unexpected(app, chosen, extra);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return ConversionFailure(chosen, error.what());
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return CountFailure(chosen, error.what());
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
    return RequirementFailure(error.what());
  }
  const std::vector<std::string> subcommands = SubcommandNames(chosen);
  if (!subcommands.empty()) {
    return fmt::format("a subcommand is required: {}",
                       fmt::join(subcommands, ", "));
  }
  return error.what();
}

}  // namespace

std::string UnknownSubcommand(const CLI::App& app) {
  if (SubcommandNames(app).empty()) return "";
  for (const std::string& argument : app.remaining(false)) {
    if (!IsOption(argument)) return argument;
  }
  return "";
}

std::string ParseFailure(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const bool is_general = parsed.empty() || !UnknownSubcommand(app).empty();
  const CLI::App& chosen = is_general ? app : *parsed.front();
  const std::string command =
      is_general ? app.get_name() : app.get_name() + " " + chosen.get_name();
  return fmt::format("{}: {} (see {} --help)", command,
                     Problem(app, chosen, error), command);
}

}  // namespace coolspan
