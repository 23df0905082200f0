// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_
#define COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_

#include <cstdint>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/types.h"

namespace coolspan {

// A job that a model of a workload made up.
struct GeneratedJob {
  double submit_s = 0;
  double run_s = 0;
  NodeCount nodes = 1;
};

struct WorkloadModelEntry {
  std::string_view name;
  std::string_view help;
  // jobs of them, by submit time, for a machine of that many nodes.
  std::vector<GeneratedJob> (*make)(std::uint32_t jobs, NodeCount nodes,
                                    std::mt19937_64& random);
};
// All models; a new one is one file and one line in table.cc.
std::span<const WorkloadModelEntry> WorkloadModelTable();

// Error: INVALID_ARGUMENT for an unknown name, with the known ones.
absl::StatusOr<const WorkloadModelEntry*> FindWorkloadModel(
    std::string_view name);

// In the Standard Workload Format, with a note in its header; times in whole
// seconds, run times of at least one. A job asks for as many processors as it
// has nodes.
void WriteSwf(std::span<const GeneratedJob> jobs, NodeCount nodes,
              std::string_view note, std::ostream& out);

// From 0 to below 1.
double DrawUnit(std::mt19937_64& random);

std::vector<GeneratedJob> MakeBqpJobs(std::uint32_t jobs, NodeCount nodes,
                                      std::mt19937_64& random);
std::vector<GeneratedJob> MakeLublin99Jobs(std::uint32_t jobs, NodeCount nodes,
                                           std::mt19937_64& random);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_
