// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/picture_recorder.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace coolspan {
namespace {

constexpr JobIndex kNoJob = std::numeric_limits<JobIndex>::max();

std::size_t ValuesIn(const std::vector<RunPicture::Frame>& frames) {
  std::size_t values = 0;
  for (const RunPicture::Frame& frame : frames) {
    values += frame.stretches.size() + frame.inlet_c.size();
  }
  return values;
}

// The intervals of the nodes along the ordering.
std::vector<std::pair<Rank, NodeCount>> RanksOf(
    const std::vector<NodeId>& nodes, const Ordering& ordering) {
  std::vector<Rank> ranks;
  ranks.reserve(nodes.size());
  for (const NodeId node : nodes) ranks.push_back(ordering.RankOf(node));
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::pair<Rank, NodeCount>> intervals;
  for (const Rank rank : ranks) {
    if (!intervals.empty() &&
        intervals.back().first + intervals.back().second == rank) {
      ++intervals.back().second;
    } else {
      intervals.emplace_back(rank, 1);
    }
  }
  return intervals;
}

}  // namespace

PictureRecorder::PictureRecorder(const Setup& setup)
    : setup_(setup),
      job_at_(setup.machine.node_count(), kNoJob),
      now_ms_(setup.begin_ms),
      frames_(setup.begin_ms, setup.min_end_ms, setup.bounds.frames) {}

RunPicture::Frame PictureRecorder::TakeFrame() {
  RunPicture::Frame frame;
  JobIndex last = kNoJob;
  for (const JobIndex job : job_at_) {
    if (frame.stretches.empty() || job != last) {
      frame.stretches.push_back({0, job == kNoJob ? RunPicture::Frame::kFree
                                                  : setup_.jobs[job].number});
      last = job;
    }
    ++frame.stretches.back().nodes;
  }
  if (setup_.room != nullptr) {
    for (const double inlet_c : setup_.room->InletsNow()) {
      frame.inlet_c.push_back(static_cast<float>(inlet_c));
    }
  }
  return frame;
}

void PictureRecorder::AdvanceTo(TimeMs now_ms) {
  frames_.AddBefore(
      now_ms, [this] { return TakeFrame(); },
      [this](const auto& frames) {
        return ValuesIn(frames) > setup_.bounds.frame_values;
      });
  now_ms_ = now_ms;
}

absl::Status PictureRecorder::Started(const JobStart& start) {
  AdvanceTo(start.placement.start_ms());
  for (const NodeId node : start.placement.nodes) {
    job_at_[node] = start.placement.job;
  }
  return absl::OkStatus();
}

void PictureRecorder::Moved(const JobMove& move) {
  AdvanceTo(move.now_ms);
  for (const NodeId node : move.from) job_at_[node] = kNoJob;
  for (const NodeId node : move.to) job_at_[node] = move.job;
  AddBar(move.job, move.from, move.since_ms, move.now_ms);
}

void PictureRecorder::Ended(const JobEnd& end) {
  AdvanceTo(end.now_ms);
  for (const NodeId node : end.nodes) job_at_[node] = kNoJob;
  AddBar(end.job, end.nodes, end.since_ms, end.now_ms);
}

bool PictureRecorder::HasTooManyBars() const {
  return bars_.size() > setup_.bounds.bars ||
         bar_intervals_ > setup_.bounds.bar_intervals;
}

void PictureRecorder::AddBar(JobIndex job, const std::vector<NodeId>& nodes,
                             TimeMs start_ms, TimeMs end_ms) {
  const double node_s = static_cast<double>(nodes.size()) *
                        (static_cast<double>(end_ms - start_ms) / kMsPerSecond);
  total_node_s_ += node_s;
  const std::size_t number = bars_made_++;
  RunPicture::Bar bar = {.job = setup_.jobs[job].number,
                         .start_ms = start_ms,
                         .end_ms = end_ms,
                         .nodes = static_cast<NodeCount>(nodes.size()),
                         .ranks = RanksOf(nodes, setup_.ordering)};
  bar_intervals_ += bar.ranks.size();
  bars_.emplace(number, std::move(bar));
  by_size_.emplace(node_s, -static_cast<std::int64_t>(number));
  while (HasTooManyBars()) {
    const auto dropped =
        bars_.find(static_cast<std::size_t>(-by_size_.begin()->second));
    by_size_.erase(by_size_.begin());
    bar_intervals_ -= dropped->second.ranks.size();
    bars_.erase(dropped);
  }
}

void PictureRecorder::Finished() {
  if (bars_made_ > 0) {
    frames_.AddThrough(
        now_ms_, [this] { return TakeFrame(); },
        [this](const auto& frames) {
          return ValuesIn(frames) > setup_.bounds.frame_values;
        });
  }
}

void PictureRecorder::Report(RunReport& report) const {
  auto picture = std::make_shared<RunPicture>();
  picture->begin_ms = frames_.begin_ms();
  picture->interval_ms = frames_.interval_ms();
  picture->frames = frames_.values();
  for (const auto& [number, bar] : bars_) picture->bars.push_back(bar);
  for (const auto& [node_s, number] : by_size_) picture->bar_node_s += node_s;
  picture->total_node_s = total_node_s_;
  report.picture = std::move(picture);
}

}  // namespace coolspan
