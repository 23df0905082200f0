// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/page_data.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "replay/input/workload.h"
#include "replies/machine_json.h"
#include "report/replay_page.h"

namespace coolspan {
namespace {

constexpr double kPerCentidegree = 100;

std::int64_t WholeSeconds(TimeMs time_ms) { return time_ms / kMsPerSecond; }

Json Rounded(double value, double per_unit) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * per_unit) / per_unit;
}
Json Watts(double value) {
  if (!std::isfinite(value)) return nullptr;
  return static_cast<std::int64_t>(std::llround(value));
}

// One value of each sample; of(sample) must be of JSON.
template <typename Of>
Json Column(const RunSeries& series, Of of) {
  Json column = Json::array();
  for (const SeriesSample& sample : series.samples) {
    column.push_back(of(sample));
  }
  return column;
}

Json IntervalColumns(const RunSeries& series) {
  std::size_t bins = 0;
  for (const SeriesSample& sample : series.samples) {
    bins = std::max(bins, sample.free.intervals.size());
  }
  Json columns = Json::array();
  for (std::size_t bin = 0; bin < bins; ++bin) {
    columns.push_back(Column(series, [bin](const SeriesSample& sample) {
      const std::vector<std::uint32_t>& counts = sample.free.intervals;
      return bin < counts.size() ? counts[bin] : 0;
    }));
  }
  return columns;
}

Json SeriesData(const Machine& machine, const RunSeries& series) {
  using Sample = SeriesSample;
  Json data = {
      {"begin_s", WholeSeconds(series.begin_ms)},
      {"interval_s", WholeSeconds(series.interval_ms)},
      {"used", Column(series, [](const Sample& s) { return s.used_nodes; })},
      {"unavailable",
       Column(series, [](const Sample& s) { return s.unavailable_nodes; })},
      {"running",
       Column(series, [](const Sample& s) { return s.running_jobs; })},
      {"queued", Column(series, [](const Sample& s) { return s.queued_jobs; })},
      {"queued_nodes",
       Column(series, [](const Sample& s) { return s.queued_nodes; })},
      {"largest_interval",
       Column(series, [](const Sample& s) { return s.free.largest_interval; })},
      {"largest_component",
       Column(series,
              [](const Sample& s) { return s.free.shape->largest_component; })},
      {"intervals", IntervalColumns(series)}};
  if (machine.topology().grid() != nullptr) {
    data["largest_box"] =
        Column(series, [](const Sample& s) { return *s.free.largest_box; });
  }
  if (machine.room() != nullptr) {
    data["inlet_c"] = Column(series, [](const Sample& s) {
      return Rounded(s.room->peak_inlet_c, kPerCentidegree);
    });
    data["cooling_w"] = Column(
        series, [](const Sample& s) { return Watts(s.room->cooling_w); });
    data["it_w"] =
        Column(series, [](const Sample& s) { return Watts(s.room->it_w); });
  }
  return data;
}

Json FrameData(const RunPicture::Frame& frame) {
  Json jobs = Json::array();
  for (const auto& [nodes, job] : frame.stretches) {
    jobs.push_back(nodes);
    jobs.push_back(job);
  }
  Json data = {{"jobs", std::move(jobs)}};
  if (!frame.inlet_c.empty()) {
    Json& inlets = data["inlet_dc"] = Json::array();
    constexpr float kTenths = 10;
    for (const float inlet_c : frame.inlet_c) {
      inlets.push_back(std::lround(inlet_c * kTenths));
    }
  }
  return data;
}

// job, start, end, nodes, then pairs of first rank and count.
Json BarData(const RunPicture::Bar& bar, TimeMs begin_ms) {
  Json data = {bar.job, WholeSeconds(bar.start_ms - begin_ms),
               WholeSeconds(bar.end_ms - begin_ms), bar.nodes};
  for (const auto& [first, count] : bar.ranks) {
    data.push_back(first);
    data.push_back(count);
  }
  return data;
}

Json PictureData(const RunPicture& picture) {
  Json data = {{"interval_s", WholeSeconds(picture.interval_ms)},
               {"frames", Json::array()},
               {"bars", Json::array()},
               {"bar_node_s", Rounded(picture.bar_node_s, 1)},
               {"total_node_s", Rounded(picture.total_node_s, 1)}};
  for (const RunPicture::Frame& frame : picture.frames) {
    data["frames"].push_back(FrameData(frame));
  }
  for (const RunPicture::Bar& bar : picture.bars) {
    data["bars"].push_back(BarData(bar, picture.begin_ms));
  }
  return data;
}

}  // namespace

Json MachineData(const Machine& machine) {
  Json data = MachineJson(machine, kMaxNamedNodes);
  data["max_named_nodes"] = kMaxNamedNodes;
  return data;
}

Json RunData(const Machine& machine, const RunReport& report) {
  Json waits = Json::array();
  for (const float wait_s : report.wait_percentiles_s) {
    waits.push_back(Rounded(wait_s, 1));
  }
  return {{"policy", report.run.policy},
          {"ordering", report.run.ordering->name()},
          {"scheduler", report.run.scheduler.spec()},
          {"seed", report.run.seed},
          {"jobs", report.jobs},
          {"wait_percentiles_s", std::move(waits)},
          {"series", SeriesData(machine, report.series)},
          {"picture", PictureData(*report.picture)}};
}

}  // namespace coolspan
