// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_LINK_METER_H_
#define COOLSPAN_REPLAY_OBSERVERS_LINK_METER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/contention/shared_network.h"
#include "replay/input/workload.h"
#include "replay/observers/run_observer.h"

namespace coolspan {

// The traffic on the links of a run, and how much longer its jobs run for it.
// Not thread-safe.
class LinkMeter final : public RunObserver {
 public:
  static constexpr std::size_t kReported = 10;

  // begin_ms: as RunMetrics. room: whose nodes have speeds; nullptr: none. What
  // it gets must outlive the object.
  LinkMeter(std::span<const WorkloadJob> jobs, const SharedNetwork& network,
            const Room* room, TimeMs begin_ms);

  void Ended(const JobEnd& end) override;
  // stretch, the mean over jobs of run time / logged run time at the speed of
  // the nodes, and stretch_max; stretched_jobs, those that ran longer;
  // mean_link_use, traffic / (capacity * makespan) over all links, and
  // busiest_link_use, that of the link with the greatest. RunReport::links: the
  // kReported links with the greatest use, descending.
  void Report(RunReport& report) const override;

 private:
  const std::span<const WorkloadJob> jobs_;
  const SharedNetwork& network_;
  const Room* room_;
  const TimeMs begin_ms_;
  TimeMs last_end_ms_;
  std::vector<double> sent_gb_;  // by link
  std::uint64_t counted_ = 0;
  std::uint64_t stretched_ = 0;
  double stretch_sum_ = 0;
  double stretch_max_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_LINK_METER_H_
