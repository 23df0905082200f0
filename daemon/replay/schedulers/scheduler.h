// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCHEDULER_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCHEDULER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/spec/spec_options.h"
#include "core/types.h"
#include "replay/cluster.h"
#include "replay/estimates.h"
#include "replay/input/workload.h"

namespace coolspan {

// Decides when queued jobs start. Deterministic; one for each run. Not
// thread-safe.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A job arrives; its estimate does not change any more. REQUIRES a higher
  // index than any before, or a job that has failed since the last pass.
  virtual void Submit(JobIndex job) = 0;
  // Nodes have become unavailable or have returned since the last pass.
  virtual void NodesChanged() {}
  // One pass: starts the jobs that may start now. Errors: Cluster::Start's.
  virtual absl::Status Schedule(Cluster& cluster) = 0;
  // When another pass is due although no job ends or arrives, to start a job or
  // to move one that runs; later than the last pass.
  virtual std::optional<TimeMs> wake_ms() const { return std::nullopt; }
  // Whether the queue is empty, and its head.
  virtual bool empty() const = 0;
  virtual JobIndex head() const = 0;  // REQUIRES !empty()
  // The most jobs at a time that had no reservation because of a depth.
  virtual std::uint64_t most_beyond_depth() const { return 0; }
};

// What a scheduler is made with. All but the values outlive it.
struct SchedulerSetup {
  std::span<const WorkloadJob> jobs;
  const Estimates& estimates;
  const Machine* machine = nullptr;  // needed by those that group nodes
  std::uint64_t seed = 0;            // of the run
  SpecValues values = {};            // of all options of the scheduler
  TimeMs warm_up_ms = 0;  // energy counts from then on, after the first submit
  TimeMs min_energy_ms = 0;  // energy counts for so long at least
  // Share of run time, of all jobs; none: that of the machine's room.
  std::optional<float> communication_share = std::nullopt;
};

struct SchedulerEntry {
  std::string_view name;
  std::string_view help;
  std::unique_ptr<Scheduler> (*make)(const SchedulerSetup& setup);
  std::span<const SpecOption> options = {};
  bool needs_room = false;        // of SchedulerSetup::machine
  bool obeys_node_types = false;  // WorkloadJob::node_type
};
// All schedulers; a new one is a file, its make function below and an
// entry in table.cc.
std::span<const SchedulerEntry> SchedulerTable();

std::unique_ptr<Scheduler> MakeRecorded(const SchedulerSetup& setup);

// A scheduler with its options, to be made for each run.
class SchedulerChoice {
 public:
  // spec: "easy", "cplant:poll=30". Error: INVALID_ARGUMENT for an unknown
  // name, with known ones; ReadSpecValues'.
  static absl::StatusOr<SchedulerChoice> Create(std::string_view spec);

  static SchedulerChoice Easy();  // the default

  const std::string& spec() const { return spec_; }
  // Whether it needs WorkloadJob::recorded_start_ms.
  bool NeedsStarts() const { return entry_->make == MakeRecorded; }
  // Whether it needs the room of the machine.
  bool NeedsRoom() const { return entry_->needs_room; }
  bool ObeysNodeTypes() const { return entry_->obeys_node_types; }
  // Whether it moves running jobs.
  bool MigratesJobs() const;
  // setup.values: of the spec.
  std::unique_ptr<Scheduler> Make(SchedulerSetup setup) const {
    setup.values = values_;
    return entry_->make(setup);
  }

 private:
  SchedulerChoice(std::string_view spec, const SchedulerEntry& entry,
                  SpecValues values)
      : spec_(spec), entry_(&entry), values_(std::move(values)) {}

  std::string spec_;
  const SchedulerEntry* entry_;
  SpecValues values_;
};

std::unique_ptr<Scheduler> MakeFcfs(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeSjf(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeLongestFirst(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeWidestFirst(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeNarrowestFirst(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeBetterFit(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeEdf(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeCplant(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeEasy(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeConservative(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeFcfsGroups(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeEdfLrh(const SchedulerSetup& setup);
std::unique_ptr<Scheduler> MakeScint(const SchedulerSetup& setup);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCHEDULER_H_
