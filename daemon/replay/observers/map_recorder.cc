// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/map_recorder.h"

namespace coolspan {

absl::Status MapRecorder::Started(const JobStart& start) {
  AdvanceTo(start.placement.start_ms());
  if (!is_taken_) running_[start.placement.job] = start.placement.nodes;
  return absl::OkStatus();
}

void MapRecorder::Moved(const JobMove& move) {
  AdvanceTo(move.now_ms);
  if (!is_taken_) running_[move.job] = move.to;
}

void MapRecorder::Ended(const JobEnd& end) {
  AdvanceTo(end.now_ms);
  running_.erase(end.job);
}

void MapRecorder::Take() {
  if (is_taken_) return;
  is_taken_ = true;
  for (const auto& [job, nodes] : running_) {
    map_.jobs.push_back({jobs_[job].number, nodes});
  }
  if (network_ == nullptr) return;
  const Routes& routes = network_->routes();
  for (LinkId link = 0; link < routes.link_count(); ++link) {
    const Routes::Ends ends = routes.EndsOf(link);
    if (ends.from == ends.to) continue;
    map_.links.push_back({ends.from, ends.to, network_->UseOf(link)});
  }
}

}  // namespace coolspan
