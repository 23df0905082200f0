// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/render/help_formatter.h"
#include "cli/subcommand.h"
#include "core/nearest_name.h"

namespace coolspan {
namespace {

std::vector<std::string_view> SubcommandNames() {
  std::vector<std::string_view> names;
  for (const SubcommandEntry& entry : SubcommandTable()) {
    names.push_back(entry.name);
  }
  return names;
}

std::string Suggestion(std::string_view typed,
                       const std::vector<std::string_view>& known) {
  const std::string_view nearest = NearestName(typed, known);
  return nearest.empty()
             ? fmt::format(" (expected one of {})", fmt::join(known, ", "))
             : fmt::format("; did you mean '{}'?", nearest);
}

// The message for an argument that no option or subcommand takes.
std::string Unexpected(const CLI::App& app, const CLI::App& chosen,
                       std::string_view argument) {
  const bool is_option = argument.size() > 1 && argument.front() == '-';
  if (!is_option && &app == &chosen) {
    return fmt::format("unknown subcommand '{}'{}", argument,
                       Suggestion(argument, SubcommandNames()));
  }
  if (!is_option) {
    return fmt::format("unexpected argument '{}' (expected an option)",
                       argument);
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
                     Suggestion(option, {names.begin(), names.end()}));
}

std::string ExpectedType(const CLI::App& chosen, const std::string& option) {
  const CLI::Option* known = chosen.get_option_no_throw(option);
  const std::string type = known == nullptr ? "" : known->get_type_name();
  return type == "UINT" ? "a whole number, 0 or greater" : "a number";
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
  return fmt::format("{}: '{}' is not valid (expected {})", option,
                     what.substr(equals + 3), ExpectedType(chosen, option));
}

std::string ParseFailure(const CLI::App& app, const CLI::App& chosen,
                         const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining(true);
  if (!extras.empty()) return Unexpected(app, chosen, extras.front());
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return ConversionFailure(chosen, error.what());
  }
  if (&app == &chosen) {
    return fmt::format("a subcommand is required: {}",
                       fmt::join(SubcommandNames(), ", "));
  }
  return error.what();
}

std::string CommandOf(const CLI::App& app, const CLI::App& chosen) {
  return &app == &chosen ? app.get_name()
                         : app.get_name() + " " + chosen.get_name();
}

Exit ExitFor(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)
             ? Exit::kUnreachable
             : Exit::kBadInput;
}

}  // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>(
          "choose nodes for jobs, replay traces, query a running coolspand",
          "coolspan")) {
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->set_help_flag("-h,--help", "print this help and exit");
  app_->set_version_flag("--version", "coolspan " COOLSPAN_VERSION,
                         "print the version and exit");
  app_->require_subcommand(1);
  app_->footer(
      "Results go to standard output, diagnostics to standard error.\n"
      "Exit codes: 0 success, 1 request cannot be met, 2 bad usage or input,\n"
      "3 daemon unreachable. See coolspan(1).");
  for (const SubcommandEntry& entry : SubcommandTable()) {
    CLI::App* subcommand =
        app_->add_subcommand(std::string(entry.name), std::string(entry.help));
    actions_.push_back(entry.set_up(*subcommand));
    subcommand->add_flag("--json", json_, "print the result as JSON");
  }
}

CommandLine::~CommandLine() = default;

Exit CommandLine::Run(int argc, const char* const* argv, Console console) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app_->exit(asked, console.out, console.err);
    return Exit::kSuccess;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app_->get_subcommands();
    const CLI::App& where = chosen.empty() ? *app_ : *chosen.front();
    const std::string command = CommandOf(*app_, where);
    PrintMessage(console.err,
                 fmt::format("{}: {} (see {} --help)", command,
                             ParseFailure(*app_, where, error), command));
    return Exit::kBadInput;
  }
  console.json = json_;
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    if (!app_->got_subcommand(std::string(SubcommandTable()[i].name))) continue;
    const absl::StatusOr<Exit> exit = actions_[i](console);
    if (exit.ok()) return *exit;
    const std::string message(exit.status().message());
    PrintMessage(console.err, message);
    return ExitFor(exit.status());
  }
  return Exit::kBadInput;
}

}  // namespace coolspan
