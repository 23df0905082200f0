// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_REPLAY_H_
#define COOLSPAN_REPLAY_REPLAY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "formats/pattern_choice.h"
#include "replay/checkpoint.h"
#include "replay/input/node_events.h"
#include "replay/input/workload.h"
#include "replay/ports/port_maker.h"
#include "replay/run_report.h"
#include "replay/run_spec.h"
#include "replay/runtime_models/runtime_model.h"

namespace coolspan {

// What is kept of each run beside its metrics.
struct Recording {
  bool series = false;  // RunReport::series
  bool shape = false;   // FreeSpace::shape in it
  // RunReport::picture of the runs of these indices, ascending.
  std::vector<std::size_t> pictured = {};
  PictureBounds picture_bounds = {};     // of each
  std::optional<TimeMs> map_at_ms = {};  // RunReport::map
};

// The replay of one workload on one machine, once for each run. With previewed
// policies, those of the runs are the situations.
struct ReplaySetup {
  std::shared_ptr<const Machine> machine;
  std::vector<RunSpec> runs;
  // Evaluated at each job start of each run on the same free nodes; their
  // choices are measured and not carried out.
  std::vector<std::string> previewed;
  PortMaker open_port;
  EstimateRule estimates = {};
  RuntimeOptions runtime = {};
  std::vector<NodeEvent> node_events;  // sorted by time
  // Jobs submitted earlier than this after the first submit run, but only the
  // others are measured.
  TimeMs warm_up_ms = 0;
  // Energy is counted for at least this long, also after the last end.
  TimeMs min_energy_ms = 0;
  // Of the jobs; nullptr: not known.
  std::shared_ptr<const PatternChoice> pattern = nullptr;
  std::string decisions_path;  // empty: no decision log
  Recording recording = {};
  // Runs that it has are not repeated, others are added to it; nullptr: none.
  // REQUIRES no decision log and no recording.
  std::shared_ptr<Checkpoint> checkpoint = nullptr;
};

// The workload of the runs of a seed. Thread-safe.
using WorkloadMaker =
    std::function<absl::StatusOr<std::shared_ptr<const Workload>>(
        std::uint64_t seed)>;
// The same for all seeds.
WorkloadMaker OneWorkload(Workload workload);

// Carries out all runs, one thread per processor. The result, except for real
// times, does not depend on the number of threads. started counts the started
// jobs of all runs, for a progress bar.
// The workload of a seed is kept while one of its runs needs it.
// Errors: open_port's and RunTimes', before anything runs; workload_of's;
// INVALID_ARGUMENT for a file that cannot be written; FAILED_PRECONDITION for a
// job that a policy never places; those of the allocators.
absl::StatusOr<std::vector<RunReport>> Replay(
    const ReplaySetup& setup, const WorkloadMaker& workload_of,
    std::atomic<std::uint64_t>& started);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_REPLAY_H_
