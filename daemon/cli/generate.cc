// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>

#include "cli/generate_room.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

struct Options {
  RoomPlanFlags room;
  std::uint64_t seed = 0;
};

absl::StatusOr<Exit> Generate(const Options& options, const Console& console) {
  if (options.room.wanted) {
    return GenerateRoom(options.room, options.seed, console);
  }
  return absl::InvalidArgumentError(
      "generate: nothing is asked for; --room is wanted");
}

}  // namespace

Action SetUpGenerate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddRoomPlanFlags(app, options->room);
  app.add_option("--seed", options->seed, "of random choices")
      ->capture_default_str();
  return
      [options](const Console& console) { return Generate(*options, console); };
}

}  // namespace coolspan
