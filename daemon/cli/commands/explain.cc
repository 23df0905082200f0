// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/wrap_text.h"
#include "cli/subcommand.h"
#include "replies/explanation.h"
#include "replies/job_name.h"

namespace coolspan {
namespace {

struct ExplainOptions {
  DaemonOptions daemon;
  std::string job;
};

void PrintField(std::string_view name, std::string_view value,
                const Console& console) {
  constexpr std::size_t kValueColumn = 13;
  console.out << fmt::format("{:<{}}", fmt::format("  {}", name), kValueColumn)
              << WrapText(value, console.columns, kValueColumn, kValueColumn)
              << "\n";
}

void PrintText(const v1::ExplainReply& reply, const Console& console) {
  bool is_first = true;
  for (const ExplanationPart& part : ExplanationOf(reply)) {
    if (!std::exchange(is_first, false)) console.out << "\n";
    console.out << WrapText(part.before + FormatTime(part.at_ms) + part.after,
                            console.columns, 0, 2)
                << "\n";
    for (const auto& [name, value] : part.fields) {
      PrintField(name, value, console);
    }
  }
}

CLI::Validator JobName() {
  return {[](const std::string& text) -> std::string {
            if (ParseJobName(text).has_value()) return "";
            return fmt::format("'{}' is not valid (expected {})", text,
                               kExpectedJobName);
          },
          ""};
}

absl::StatusOr<Exit> Explain(const ExplainOptions& options,
                             const Console& console) {
  const auto reply = AskExplain(options.daemon, *ParseJobName(options.job));
  if (absl::IsNotFound(reply.status())) {
    console.err << fmt::format(
        "coolspan explain: {} (coolspan jobs lists the jobs that hold nodes)\n",
        std::string(reply.status().message()));
    return Exit::kCannotBeMet;
  }
  if (!reply.ok()) return reply.status();
  if (console.json) {
    PrintJsonLine(ExplanationJson(*reply, options.job), console.out);
    return Exit::kSuccess;
  }
  PrintText(*reply, console);
  return Exit::kSuccess;
}

}  // namespace

Action SetUpExplain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  app.add_option(
         "JOB", options->job,
         "job id, array task (111_3), component (111+1), or decision id")
      ->required()
      ->check(JobName());
  return
      [options](const Console& console) { return Explain(*options, console); };
}

}  // namespace coolspan
