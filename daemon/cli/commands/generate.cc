// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>

#include "cli/commands/generate_pattern.h"
#include "cli/commands/generate_room.h"
#include "cli/commands/generate_workload.h"
#include "cli/flags/shared_options.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

struct GenerateOptions {
  RoomPlanFlags room;
  WorkloadModelFlags workload;
  PatternFlags pattern;
  std::uint64_t seed = 0;
};

absl::StatusOr<Exit> Generate(const GenerateOptions& options,
                              const Console& console) {
  const bool workload = !options.workload.model.empty();
  const bool pattern = !options.pattern.kind.empty();
  if (int{options.room.enabled} + int{workload} + int{pattern} != 1) {
    return absl::InvalidArgumentError(
        "generate: expected exactly one of --model, --pattern and --room");
  }
  if (pattern) return GeneratePattern(options.pattern, console);
  if (workload) {
    return GenerateWorkload(options.workload, options.seed, console);
  }
  return GenerateRoom(options.room, options.seed, console);
}

}  // namespace

Action SetUpGenerate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  AddWorkloadModelFlags(app, options->workload);
  AddPatternFlags(app, options->pattern);
  AddRoomPlanFlags(app, options->room);
  AddSeedOption(app, options->seed, "seed of random choices");
  return
      [options](const Console& console) { return Generate(*options, console); };
}

}  // namespace coolspan
