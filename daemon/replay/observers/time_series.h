// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_TIME_SERIES_H_
#define COOLSPAN_REPLAY_OBSERVERS_TIME_SERIES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/machine.h"
#include "ordering/ordering.h"
#include "replay/contention/shared_network.h"
#include "replay/observers/free_space.h"
#include "replay/observers/room_meter.h"
#include "replay/observers/run_observer.h"
#include "replay/observers/sampled.h"
#include "replay/run_series.h"

namespace coolspan {

// Samples the state of a run at up to kMaxSamples evenly spaced instants, and
// adds to the report means over those samples: an estimate of the means over
// time. A state that lasts over several samples is measured once. Not
// thread-safe.
class TimeSeries final : public RunObserver {
 public:
  static constexpr std::size_t kMaxSamples = 1024;

  struct Setup {
    const Machine& machine;
    const Ordering& ordering;
    RoomMeter* room;  // nullptr: no room. REQUIRES that it is notified later.
    // nullptr: none. REQUIRES that it changes later.
    const SharedNetwork* network = nullptr;
    TimeMs begin_ms;          // of the first sample
    TimeMs min_end_ms;        // the run ends then or later
    bool with_shape = false;  // measure FreeSpace::shape
    bool in_report = false;   // keep the samples in RunReport::series
  };
  // What setup refers to must outlive the object.
  explicit TimeSeries(const Setup& setup);

  void Submitted(const WorkloadJob& job, TimeMs now_ms) override;
  absl::Status Started(const JobStart& start) override;
  void NodesChanged(const NodesChange& change) override;
  void Moved(const JobMove& move) override;
  void Ended(const JobEnd& end) override;
  void Finished() override;
  void Report(RunReport& report) const override;

 private:
  // Of a job; freed_ has those of nodes that are available.
  void Release(const std::vector<NodeId>& nodes);
  void Take(const std::vector<NodeId>& nodes);
  void AdvanceTo(TimeMs now_ms);
  const SeriesSample& Measure();
  void ReportMeans(RunReport& report) const;

  const Setup setup_;
  FreeSpaceMeter free_space_;
  const std::vector<std::string> space_names_;
  TimeMs now_ms_;  // of the last event
  // Its counts are those of now; the rest is measured when a sample is due.
  SeriesSample state_;
  std::vector<bool> is_used_;
  std::vector<bool> is_unavailable_;
  std::vector<NodeId> freed_;  // kept to reuse its memory
  bool is_measured_ = false;
  bool has_events_ = false;
  Sampled<SeriesSample> samples_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_TIME_SERIES_H_
