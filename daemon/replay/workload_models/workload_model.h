// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_
#define COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/types.h"

namespace coolspan {

// A job of a workload model.
struct GeneratedJob {
  double submit_s = 0;
  double run_s = 0;
  NodeCount nodes = 1;
};

// Generates the next job, submitted no earlier than the one before. Jobs are
// not stored, so a workload may be larger than memory.
using JobSource = std::function<GeneratedJob()>;

struct WorkloadModelEntry {
  std::string_view name;
  std::string_view help;
  // For a machine of that many nodes.
  JobSource (*make)(NodeCount nodes, std::uint64_t seed);
};
// All models; a new one is a file, its make function below and an
// entry in table.cc.
std::span<const WorkloadModelEntry> WorkloadModelTable();

// Error: INVALID_ARGUMENT for an unknown name, with known ones.
absl::StatusOr<const WorkloadModelEntry*> FindWorkloadModel(
    std::string_view name);

// Writes jobs of the source in the Standard Workload Format, with a note in the
// header. Times are whole seconds, run times at least 1 s; a job has as many
// processors as nodes. Stops if out fails.
void WriteSwf(const JobSource& next, std::uint32_t jobs, NodeCount nodes,
              std::string_view note, std::ostream& out);

// Uniform in [0, 1).
double DrawUnit(std::mt19937_64& random);

JobSource MakeBqpJobs(NodeCount nodes, std::uint64_t seed);
JobSource MakeLublin99Jobs(NodeCount nodes, std::uint64_t seed);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_
