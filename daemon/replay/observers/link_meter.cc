// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/link_meter.h"

#include <algorithm>
#include <tuple>

#include "replay/node_speed.h"

namespace coolspan {

LinkMeter::LinkMeter(std::span<const WorkloadJob> jobs,
                     const SharedNetwork& network, const Room* room,
                     TimeMs begin_ms)
    : jobs_(jobs),
      network_(network),
      room_(room),
      begin_ms_(begin_ms),
      last_end_ms_(begin_ms),
      sent_gb_(network.capacities_gb_per_s().size(), 0) {}

void LinkMeter::Ended(const JobEnd& end) {
  if (end.now_ms > begin_ms_) {
    last_end_ms_ = end.now_ms;
    // Of a job that began in the warm-up, the part after it.
    const double counted =
        static_cast<double>(end.now_ms - std::max(end.start_ms, begin_ms_)) /
        static_cast<double>(end.now_ms - end.start_ms);
    const auto [loads, seconds] = network_.SentBy(end.job, end.now_ms);
    for (const auto& [link, gb_per_s] : loads) {
      sent_gb_[link] += gb_per_s * seconds * counted;
    }
  }
  const TimeMs logged_ms =
      AtSpeed(jobs_[end.job].run_ms,
              room_ == nullptr ? 1 : SlowestSpeed(*room_, end.nodes));
  if (end.failed || end.submit_ms < begin_ms_ || logged_ms == 0) return;
  const TimeMs run_ms = end.end_ms - end.start_ms;
  const double stretch =
      static_cast<double>(run_ms) / static_cast<double>(logged_ms);
  ++counted_;
  if (run_ms > logged_ms) ++stretched_;
  stretch_sum_ += stretch;
  stretch_max_ = std::max(stretch_max_, stretch);
}

void LinkMeter::Report(RunReport& report) const {
  const double time_s = ToSeconds(last_end_ms_ - begin_ms_);
  const std::span<const double> capacities = network_.capacities_gb_per_s();
  double use_sum = 0;
  std::vector<LinkReport> links;
  for (LinkId link = 0; link < sent_gb_.size(); ++link) {
    const Routes::Ends ends = network_.routes().EndsOf(link);
    if (ends.from == ends.to) continue;
    const double use =
        Ratio(sent_gb_[link], capacities[link] * time_s).value_or(0);
    use_sum += use;
    links.push_back({ends.from, ends.to, sent_gb_[link], use});
  }
  report.links.resize(std::min(links.size(), kReported));
  std::partial_sort_copy(links.begin(), links.end(), report.links.begin(),
                         report.links.end(),
                         [](const LinkReport& a, const LinkReport& b) {
                           return std::tuple(-a.use, a.from, a.to) <
                                  std::tuple(-b.use, b.from, b.to);
                         });
  std::vector<NamedValue>& values = report.metrics;
  const auto jobs = static_cast<double>(counted_);
  values.push_back({"stretch", Ratio(stretch_sum_, jobs)});
  values.push_back({"stretch_max", stretch_max_});
  values.push_back({"stretched_jobs", static_cast<double>(stretched_)});
  values.push_back(
      {"mean_link_use", Ratio(use_sum, static_cast<double>(links.size()))});
  values.push_back(
      {"busiest_link_use", links.empty() ? 0 : report.links.front().use});
}

}  // namespace coolspan
