// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/generate_workload.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "cli/render/json.h"
#include "replay/workload_models/workload_model.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kMaxJobs = 100'000'000;
constexpr std::uint32_t kMaxNodes = 1U << 24U;

absl::Status CheckCount(std::string_view option, std::uint32_t count,
                        std::uint32_t most) {
  if (count >= 1 && count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: {}; want a whole number from 1 to {}", option,
                  count == 0 ? "none" : fmt::to_string(count), most));
}

// One line, written as the jobs are made up.
void WriteJson(const JobSource& next, const WorkloadModelFlags& flags,
               std::uint64_t seed, std::ostream& out) {
  const Json head = {
      {"model", flags.model}, {"nodes", flags.nodes}, {"seed", seed}};
  const std::string open = head.dump();
  out << std::string_view(open).substr(0, open.size() - 1) << ",\"jobs\":[";
  for (std::uint32_t i = 0; i < flags.jobs && out; ++i) {
    const GeneratedJob job = next();
    const Json entry = {
        {"submit_s", job.submit_s}, {"run_s", job.run_s}, {"nodes", job.nodes}};
    out << (i == 0 ? "" : ",") << entry.dump();
  }
  out << "]}\n";
}

}  // namespace

void AddWorkloadModelFlags(CLI::App& app, WorkloadModelFlags& flags) {
  std::vector<std::string> models;
  for (const WorkloadModelEntry& entry : WorkloadModelTable()) {
    models.push_back(fmt::format("{}: {}", entry.name, entry.help));
  }
  CLI::Option* const model =
      app.add_option("--model", flags.model,
                     fmt::format("print a log of made-up jobs; {}",
                                 fmt::join(models, "; ")))
          ->type_name("NAME");
  app.add_option("--jobs", flags.jobs, "--model: jobs of the log")
      ->needs(model);
  app.add_option("--nodes", flags.nodes, "--model: nodes of the machine")
      ->needs(model);
}

absl::StatusOr<Exit> GenerateWorkload(const WorkloadModelFlags& flags,
                                      std::uint64_t seed,
                                      const Console& console) {
  const absl::StatusOr<const WorkloadModelEntry*> model =
      FindWorkloadModel(flags.model);
  if (!model.ok()) return model.status();
  for (const absl::Status& checked :
       {CheckCount("--jobs", flags.jobs, kMaxJobs),
        CheckCount("--nodes", flags.nodes, kMaxNodes)}) {
    if (!checked.ok()) return checked;
  }
  const JobSource next = (*model)->make(flags.nodes, seed);
  if (console.json) {
    WriteJson(next, flags, seed, console.out);
    return Exit::kSuccess;
  }
  WriteSwf(next, flags.jobs, flags.nodes,
           fmt::format("made up by coolspan generate --model {} --jobs {} "
                       "--nodes {} --seed {}",
                       flags.model, flags.jobs, flags.nodes, seed),
           console.out);
  return Exit::kSuccess;
}

}  // namespace coolspan
