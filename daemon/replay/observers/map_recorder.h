// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_MAP_RECORDER_H_
#define COOLSPAN_REPLAY_OBSERVERS_MAP_RECORDER_H_

#include <map>
#include <span>
#include <vector>

#include "replay/contention/shared_network.h"
#include "replay/input/workload.h"
#include "replay/observers/run_observer.h"

namespace coolspan {

// Records the RunMap of a run. Not thread-safe.
class MapRecorder final : public RunObserver {
 public:
  // network: nullptr: none. REQUIRES that it changes later. jobs and network
  // must outlive the object.
  MapRecorder(std::span<const WorkloadJob> jobs, const SharedNetwork* network,
              TimeMs at_ms)
      : jobs_(jobs), network_(network), map_{.at_ms = at_ms} {}

  absl::Status Started(const JobStart& start) override;
  void Moved(const JobMove& move) override;
  void Ended(const JobEnd& end) override;
  void Finished() override { Take(); }
  void Report(RunReport& report) const override { report.map = map_; }

 private:
  // The state after the events of an instant lasts until the next one.
  void AdvanceTo(TimeMs now_ms) {
    if (now_ms > map_.at_ms) Take();
  }
  void Take();

  const std::span<const WorkloadJob> jobs_;
  const SharedNetwork* const network_;
  std::map<JobIndex, std::vector<NodeId>> running_;
  bool is_taken_ = false;
  RunMap map_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_MAP_RECORDER_H_
