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
#include "replay/contention/shared_network.h"
#include "replay/job_run.h"
#include "topology/routes.h"

namespace coolspan {

// The communication cost CC of joint-allocation-sst. The paper leaves the
// definition open: equation 1 is a sum over the pairs of all messages, but the
// fit of equation 3 (figure 2) is over the average hop distance. The fit only
// holds for the cost that it was made to, so that one is the default.
enum class CommCost {
  kOrdered,    // sum over ordered pairs of nodes of hops(a, b) / n
  kUnordered,  // sum over unordered pairs of nodes of hops(a, b) / n
  kMeanHop,    // mean hop distance over pairs of nodes
};

// Share of the logged run time; the default for machines without a room.
inline constexpr float kCommunicationShare = 0.3F;

// contention: rates and routes. GB/s are 10^9 bytes a second.
struct NetworkOptions {
  double link_gb_per_s = 1;  // capacity of each link, each way
  // Of a node while its job communicates: by default it fills a link.
  double send_gb_per_s = 1;
  RouteOptions routes = {};
};
inline constexpr double kMinGbPerS = 1e-6;
inline constexpr double kMaxGbPerS = 1e6;
inline constexpr double kMaxOversubscription = 1e6;

struct RuntimeOptions {
  std::string model = "none";
  // Share of the logged run time that is communication.
  float communication_share = kCommunicationShare;
  CommCost comm_cost = CommCost::kMeanHop;  // sst
  double noise = 0;                         // sst: rho, up to kMaxRuntimeNoise
  NetworkOptions network = {};              // contention
};

// The factor of CC in the sst model. With rho at most this, random noise never
// outweighs the delay due to distance.
inline constexpr double kMaxRuntimeNoise = 0.0962;

// How much longer a job communicates on its nodes than logged. Immutable,
// thread-safe.
class RuntimeModel {
 public:
  virtual ~RuntimeModel() = default;

  // The factor of the job's communication time, above 0. locality: of its
  // nodes; seed: for the random choices of this job.
  virtual double Delay(const Locality& locality, NodeCount nodes,
                       std::uint64_t seed) const = 0;
  // Of models in which running jobs slow each other: the empty network of a
  // run, which refers to the topology; else nullptr.
  virtual std::unique_ptr<SharedNetwork> NewNetwork() const { return nullptr; }
};

struct RuntimeModelEntry {
  std::string_view name;
  std::string_view help;
  // Whether a longer communication time changes the mean power of the nodes.
  bool changes_power;
  // nullptr: jobs run for their logged run time.
  absl::StatusOr<std::unique_ptr<const RuntimeModel>> (*make)(
      const RuntimeOptions& options, const Topology& topology);
};
// All models; a new one is a file, its make function below and an
// entry in table.cc.
std::span<const RuntimeModelEntry> RuntimeModelTable();

// A model and its options. Thread-safe.
class RunTimes {
 public:
  RunTimes() = default;  // as logged
  // Error: INVALID_ARGUMENT for an unknown model, options out of range, and a
  // machine that the model does not apply to. topology must outlive the object.
  static absl::StatusOr<RunTimes> Create(const RuntimeOptions& options,
                                         const Topology& topology);
  // run = logged * (1 + share * (delay - 1)), with the model's delay.
  JobRun RunOf(TimeMs logged_ms, NodeCount nodes, const Locality& locality,
               std::uint64_t seed) const;
  // RuntimeModel::NewNetwork. If it is not nullptr, RunOf is the run time on
  // links that are never full.
  std::unique_ptr<SharedNetwork> NewNetwork() const;

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
absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeContentionRuntimeModel(
    const RuntimeOptions& options, const Topology& topology);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUNTIME_MODELS_RUNTIME_MODEL_H_
