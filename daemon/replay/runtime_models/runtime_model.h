// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUNTIME_MODELS_RUNTIME_MODEL_H_
#define COOLSPAN_REPLAY_RUNTIME_MODELS_RUNTIME_MODEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/topology.h"
#include "core/types.h"
#include "locality/locality.h"
#include "replay/job_run.h"

namespace coolspan {

// What stands for CC, the communication cost of joint-allocation-sst: equation
// 1 sums over the pairs of all messages, and figure 2, which the factors of
// equation 3 were fitted to, has the average hop distance as its axis.
enum class CommCost {
  kOrdered,    // hop distance summed over ordered pairs, over n
  kUnordered,  // over unordered pairs, over n
  kMeanHop,    // mean hop distance of the pairs
};

// Of the logged run time, where neither a room nor a user says another.
inline constexpr float kCommunicationShare = 0.3F;

struct RuntimeOptions {
  std::string model = "none";
  // Share of the logged run time that is communication.
  float communication_share = kCommunicationShare;
  CommCost comm_cost = CommCost::kOrdered;  // sst
  double noise = 0;                         // sst: rho, see kMaxRuntimeNoise
};

// The delay of a job by chance, at most this times CC, cannot make up for the
// delay by distance.
inline constexpr double kMaxRuntimeNoise = 0.0962;

// How much longer a job communicates on the nodes it got. Immutable,
// thread-safe.
class RuntimeModel {
 public:
  virtual ~RuntimeModel() = default;

  // A factor of the time that the job communicates by its log, above 0.
  // locality: of its nodes; seed: of the random choices for this job.
  virtual double Delay(const Locality& locality, NodeCount nodes,
                       std::uint64_t seed) const = 0;
};

struct RuntimeModelEntry {
  std::string_view name;
  std::string_view help;
  // Whether the nodes' mean power follows the longer communication.
  bool changes_power;
  // nullptr: jobs run for their logged run time.
  absl::StatusOr<std::unique_ptr<const RuntimeModel>> (*make)(
      const RuntimeOptions& options, const Topology& topology);
};
// All models; a new one is one file and one line in table.cc.
std::span<const RuntimeModelEntry> RuntimeModelTable();

// A model and its options. Thread-safe.
class RunTimes {
 public:
  RunTimes() = default;  // as logged
  // Errors: INVALID_ARGUMENT: no such model, options out of range, or a machine
  // the model cannot be used on.
  static absl::StatusOr<RunTimes> Create(const RuntimeOptions& options,
                                         const Topology& topology);
  // Of a job of that logged run time.
  JobRun RunOf(TimeMs logged_ms, NodeCount nodes, const Locality& locality,
               std::uint64_t seed) const;

 private:
  RunTimes(float share, bool changes_power,
           std::shared_ptr<const RuntimeModel> model)
      : share_(share),
        changes_power_(changes_power),
        model_(std::move(model)) {}

  float share_ = 0;
  bool changes_power_ = false;
  std::shared_ptr<const RuntimeModel> model_;  // nullptr: as logged
};

absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeNoRuntimeModel(
    const RuntimeOptions& options, const Topology& topology);
absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeSstRuntimeModel(
    const RuntimeOptions& options, const Topology& topology);
absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeBqpRuntimeModel(
    const RuntimeOptions& options, const Topology& topology);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUNTIME_MODELS_RUNTIME_MODEL_H_
