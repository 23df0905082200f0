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

// A job that a model of a workload made up.
struct GeneratedJob {
  double submit_s = 0;
  double run_s = 0;
  NodeCount nodes = 1;
};

// Makes up the next job, submitted no earlier than the one before. No log is
// kept: one may be longer than memory.
using JobSource = std::function<GeneratedJob()>;

struct WorkloadModelEntry {
  std::string_view name;
  std::string_view help;
  // For a machine of that many nodes.
  JobSource (*make)(NodeCount nodes, std::uint64_t seed);
};
// All models; a new one is one file and one line in table.cc.
std::span<const WorkloadModelEntry> WorkloadModelTable();

// Error: INVALID_ARGUMENT for an unknown name, with the known ones.
absl::StatusOr<const WorkloadModelEntry*> FindWorkloadModel(
    std::string_view name);

// So many jobs of the source in the Standard Workload Format, with a note in
// its header; times in whole seconds, run times of at least one. A job asks for
// as many processors as it has nodes. Ends early where out fails.
void WriteSwf(const JobSource& next, std::uint32_t jobs, NodeCount nodes,
              std::string_view note, std::ostream& out);

// From 0 to below 1.
double DrawUnit(std::mt19937_64& random);

JobSource MakeBqpJobs(NodeCount nodes, std::uint64_t seed);
JobSource MakeLublin99Jobs(NodeCount nodes, std::uint64_t seed);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_WORKLOAD_MODELS_WORKLOAD_MODEL_H_
