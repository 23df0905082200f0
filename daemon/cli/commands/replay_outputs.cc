// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "replay/output/replaced_file.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

struct NamedPath {
  std::string_view option;
  std::string_view path;
};

// Pipes and devices can be read and written more than once.
bool AreOneFile(std::string_view a, std::string_view b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return fs::is_regular_file(a, error);
  return !fs::exists(a, error) &&
         fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

}  // namespace

absl::StatusOr<bool> CheckOutputs(const ReplayOptions& options, bool json) {
  const std::vector<NamedPath> inputs = {
      {"--trace", options.trace},
      {"--machine", options.machine},
      {"--node-events", options.node_events},
      {"--latency-matrix", options.policy_flags.latency_matrix}};
  const std::vector<NamedPath> outputs = {{"--decisions", options.decisions},
                                          {"--series", options.files.series},
                                          {"--summary", options.files.summary},
                                          {"--report", options.files.report},
                                          {"--checkpoint", options.checkpoint}};
  std::vector<NamedPath> others = inputs;
  std::size_t printed = json ? 1 : 0;
  for (const NamedPath& output : outputs) {
    if (output.path.empty()) continue;
    if (output.path == kStandardOutput && output.option != "--checkpoint") {
      ++printed;
      continue;
    }
    const auto same =
        std::find_if(others.begin(), others.end(), [&](const NamedPath& other) {
          return !other.path.empty() && AreOneFile(output.path, other.path);
        });
    if (same != others.end()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: {} is the file of {} (expected another one)",
                      output.option, output.path, same->option));
    }
    others.push_back(output);
  }
  if (printed <= 1) return printed == 1 && !json;
  return absl::InvalidArgumentError(
      "-: only one of --decisions, --series, --summary, --report and --json "
      "can be written to standard output");
}

}  // namespace coolspan
