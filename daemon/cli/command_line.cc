// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "cli/parse_failure.h"
#include "cli/render/help_formatter.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

Exit ExitFor(const absl::Status& status) {
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status))
    return Exit::kUnreachable;
  const bool is_refused =
      absl::IsPermissionDenied(status) || absl::IsResourceExhausted(status);
  return is_refused ? Exit::kCannotBeMet : Exit::kBadInput;
}

// In single quotes unless it has only characters without a meaning to shells.
std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "%+,-./:=@_";
  if (!word.empty() &&
      word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
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
    for (CLI::Option* option : subcommand->get_options({})) {
      if (option->get_items_expected_max() == 0) {
        option->disable_flag_override();
      }
    }
  }
}

CommandLine::~CommandLine() = default;

Exit CommandLine::Run(int argc, const char* const* argv, Console console) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& asked) {
    if (!UnknownSubcommand(*app_).empty()) {
      PrintMessage(console.err, ParseFailure(*app_, asked));
      return Exit::kBadInput;
    }
    app_->exit(asked, console.out, console.err);
    return Exit::kSuccess;
  } catch (const CLI::ParseError& error) {
    PrintMessage(console.err, ParseFailure(*app_, error));
    return Exit::kBadInput;
  }
  console.json = json_;
  console.command_line = "coolspan";
  for (int i = 1; i < argc; ++i) {
    console.command_line += " " + ShellWord(argv[i]);
  }
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
