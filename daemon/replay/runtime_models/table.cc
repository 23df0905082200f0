// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <utility>

#include "replay/find_entry.h"
#include "replay/runtime_models/runtime_model.h"

namespace coolspan {
namespace {

constexpr RuntimeModelEntry kRuntimeModels[] = {
    {"none", "logged run times", false, MakeNoRuntimeModel},
    {"sst",
     "communication time grows with communication cost, fitted to measurements",
     false, MakeSstRuntimeModel},
    {"bqp",
     "communication time scales with pairwise_total / ideal_pairwise_total, "
     "and "
     "power changes with it",
     true, MakeBqpRuntimeModel},
    {"contention",
     "jobs whose routes share full links slow each other while they run", false,
     MakeContentionRuntimeModel},
};

}  // namespace

std::span<const RuntimeModelEntry> RuntimeModelTable() {
  return kRuntimeModels;
}

absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeNoRuntimeModel(
    const RuntimeOptions&, const Topology&) {
  return nullptr;
}

absl::StatusOr<RunTimes> RunTimes::Create(const RuntimeOptions& options,
                                          const Topology& topology) {
  const absl::StatusOr<const RuntimeModelEntry*> entry =
      FindEntry(RuntimeModelTable(), "--runtime-model", options.model);
  if (!entry.ok()) return entry.status();
  absl::StatusOr<std::unique_ptr<const RuntimeModel>> model =
      (*entry)->make(options, topology);
  if (!model.ok()) return model.status();
  return RunTimes(options.communication_share, (*entry)->changes_power,
                  *std::move(model));
}

std::unique_ptr<SharedNetwork> RunTimes::NewNetwork() const {
  return model_ == nullptr ? nullptr : model_->NewNetwork();
}

JobRun RunTimes::RunOf(TimeMs logged_ms, NodeCount nodes,
                       const Locality& locality, std::uint64_t seed) const {
  if (model_ == nullptr)
    return {.run_ms = logged_ms, .communication_share = {}};
  const double delay = model_->Delay(locality, nodes, seed);
  const double longer = 1 + share_ * (delay - 1);
  const double run_ms = static_cast<double>(logged_ms) * longer;
  constexpr double kMaxMs = 9.2e18;  // fits TimeMs
  JobRun run;
  run.run_ms = run_ms < kMaxMs ? std::llround(run_ms)
                               : std::numeric_limits<TimeMs>::max();
  if (changes_power_) {
    run.communication_share = static_cast<float>(share_ * delay / longer);
  }
  return run;
}

}  // namespace coolspan
