// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "cli/commands/slurm_machine.h"
#include "formats/file_error.h"
#include "formats/scontrol_output.h"
#include "formats/slurm_conf.h"

namespace coolspan {
namespace {

constexpr const char* kUnnamed = "cluster";

// What a command of Slurm prints on standard output; its standard error is
// ours.
absl::StatusOr<std::string> OutputOf(const std::string& command) {
  // The shell's own message about a missing program is not ours.
  const std::string program = command.substr(0, command.find(' '));
  const std::string script = fmt::format(
      "command -v {} >/dev/null || exit 127; exec {}", program, command);
  std::FILE* const pipe = popen(script.c_str(), "re");
  if (pipe == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("{}: cannot be started", command));
  }
  std::string output;
  char block[4096];
  for (std::size_t size = 0;
       (size = std::fread(block, 1, sizeof(block), pipe)) > 0;) {
    output.append(block, size);
  }
  const int status = pclose(pipe);
  if (status == 0) return output;
  constexpr int kNotFound = 127;
  return absl::InvalidArgumentError(fmt::format(
      "{}: {} (expected {}, or use --slurm-conf FILE)", command,
      WIFEXITED(status) && WEXITSTATUS(status) == kNotFound ? "not found"
                                                            : "failed",
      WIFEXITED(status) && WEXITSTATUS(status) == kNotFound
          ? "Slurm's commands in PATH"
          : "a running slurmctld"));
}

}  // namespace

absl::StatusOr<SlurmCluster> ClusterOfScontrol() {
  const auto config = OutputOf("scontrol show config");
  if (!config.ok()) return config.status();
  const auto settings = ParseScontrolConfig(*config);
  const auto setting = [&](std::string_view key, const char* fallback) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string(fallback) : found->second;
  };
  // Also hidden nodes and those of clouds that are powered down.
  const auto listed = OutputOf("scontrol --all --oneliner show nodes");
  if (!listed.ok()) return listed.status();
  auto nodes = ParseScontrolNodes(*listed);
  if (!nodes.ok()) return nodes.status();
  return SlurmCluster{
      .name = setting("clustername", kUnnamed),
      .source = "scontrol",
      .conf_path = setting("slurm_conf", "/etc/slurm/slurm.conf"),
      .nodes = *std::move(nodes)};
}

absl::StatusOr<SlurmCluster> ClusterOfConf(const std::string& slurm_conf) {
  auto conf = ReadSlurmConf(slurm_conf);
  if (!conf.ok()) return conf.status();
  std::vector<SlurmNode> nodes = std::move(conf->nodes);
  std::erase_if(nodes, [](const SlurmNode& node) { return node.is_future; });
  if (nodes.empty()) {
    return ErrorAt(slurm_conf, {}, "no nodes (expected lines NodeName=LIST)");
  }
  return SlurmCluster{.name = conf->Setting("clustername", kUnnamed),
                      .source = slurm_conf,
                      .conf_path = slurm_conf,
                      .nodes = std::move(nodes)};
}

}  // namespace coolspan
