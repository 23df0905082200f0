// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_PICTURE_RECORDER_H_
#define COOLSPAN_REPLAY_OBSERVERS_PICTURE_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "ordering/ordering.h"
#include "replay/observers/room_meter.h"
#include "replay/observers/run_observer.h"
#include "replay/observers/sampled.h"
#include "replay/run_picture.h"

namespace coolspan {

// Records the RunPicture of a run. Not thread-safe.
class PictureRecorder final : public RunObserver {
 public:
  struct Setup {
    const Machine& machine;
    const Ordering& ordering;
    RoomMeter* room;  // nullptr: no room. REQUIRES that it is notified later.
    std::span<const WorkloadJob> jobs;
    TimeMs begin_ms;    // of the first frame
    TimeMs min_end_ms;  // the run ends then or later
    PictureBounds bounds;
  };
  // What setup refers to must outlive the object.
  explicit PictureRecorder(const Setup& setup);

  absl::Status Started(const JobStart& start) override;
  void Moved(const JobMove& move) override;
  void Ended(const JobEnd& end) override;
  void Finished() override;
  void Report(RunReport& report) const override;

 private:
  void AdvanceTo(TimeMs now_ms);
  RunPicture::Frame TakeFrame();
  void AddBar(JobIndex job, const std::vector<NodeId>& nodes, TimeMs start_ms,
              TimeMs end_ms);
  bool HasTooManyBars() const;

  const Setup setup_;
  std::vector<JobIndex> job_at_;  // by node; kNoJob
  TimeMs now_ms_;
  Sampled<RunPicture::Frame> frames_;
  std::map<std::size_t, RunPicture::Bar> bars_;  // by the number of its end
  // The node-seconds of the bars and minus that number: the smallest first, of
  // equal ones the later.
  std::set<std::pair<double, std::int64_t>> by_size_;
  std::size_t bar_intervals_ = 0;
  std::size_t bars_made_ = 0;
  double total_node_s_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_PICTURE_RECORDER_H_
