// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/output/series_csv.h"

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>

#include "replay/output/csv_cells.h"

namespace coolspan {
namespace {

// Lengths of the free intervals that are counted together: from 2^i nodes on.
std::vector<NodeCount> IntervalLengths(NodeCount nodes) {
  std::vector<NodeCount> lengths;
  for (std::uint64_t length = 1; length <= nodes; length *= 2) {
    lengths.push_back(static_cast<NodeCount>(length));
  }
  return lengths;
}

std::size_t LevelsOf(const Topology& topology) {
  if (topology.switches() == nullptr) return 0;
  const std::vector<NodeCount> none(topology.vertex_count(), 0);
  return SwitchSpaceOf(topology, none).levels.size();
}

class SeriesWriter {
 public:
  SeriesWriter(const Machine& machine, bool has_network)
      : machine_(machine),
        has_network_(has_network),
        lengths_(IntervalLengths(machine.node_count())),
        levels_(LevelsOf(machine.topology())),
        block_sizes_(FreeBlockSizes(machine.topology())) {}

  std::string Header() const {
    std::string line =
        "run,policy,ordering,scheduler,seed,time_s,used_nodes,"
        "unavailable_nodes,running_jobs,queued_jobs,queued_nodes,"
        "largest_interval,largest_component";
    const auto end = std::back_inserter(line);
    for (const NodeCount length : lengths_) {
      fmt::format_to(end, ",free_intervals_{}", length);
    }
    if (const Blocks* blocks = machine_.topology().blocks()) {
      line += ",largest_job,idle_blocks";
      for (const NodeCount size : SegmentSizes(*blocks)) {
        fmt::format_to(end, ",idle_segments_{}", size);
      }
    }
    for (std::size_t level = 0; level < levels_; ++level) {
      fmt::format_to(end, ",largest_switch_{},idle_switches_{}", level, level);
    }
    if (!block_sizes_.empty()) line += ",largest_box";
    for (const NodeCount size : block_sizes_) {
      fmt::format_to(end, ",free_blocks_{}", size);
    }
    if (machine_.room() != nullptr) line += ",peak_inlet_c,it_w,cooling_w";
    if (has_network_) line += ",link_use_mean,link_use_max,full_links";
    return line + "\n";
  }

  // run: counted from 1.
  std::string Lines(std::size_t run, const RunReport& report) const {
    const RunSpec& spec = report.run;
    const std::string first_cells =
        fmt::format("{},{},{},{},{},", run, CsvText(spec.policy),
                    CsvText(spec.ordering->name()),
                    CsvText(spec.scheduler.spec()), spec.seed);
    const RunSeries& series = report.series;
    std::string lines;
    TimeMs time_ms = series.begin_ms;
    for (const SeriesSample& sample : series.samples) {
      lines += first_cells;
      AppendCsvSeconds(time_ms, lines);
      Append(sample, lines);
      lines += '\n';
      time_ms += series.interval_ms;
    }
    return lines;
  }

 private:
  void Append(const SeriesSample& sample, std::string& line) const {
    const FreeSpace& free = sample.free;
    fmt::format_to(std::back_inserter(line), ",{},{},{},{},{},{},{}",
                   sample.used_nodes, sample.unavailable_nodes,
                   sample.running_jobs, sample.queued_jobs, sample.queued_nodes,
                   free.largest_interval, free.shape->largest_component);
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      AppendCount(i < free.intervals.size() ? free.intervals[i] : 0, line);
    }
    if (free.block_space.has_value()) {
      AppendCount(free.block_space->largest_job, line);
      AppendCount(free.block_space->idle_blocks, line);
      for (const std::uint32_t count : free.block_space->segments) {
        AppendCount(count, line);
      }
    }
    for (std::size_t level = 0; level < levels_; ++level) {
      AppendCount(free.switch_space->levels[level].largest, line);
      AppendCount(free.switch_space->levels[level].idle, line);
    }
    if (!block_sizes_.empty()) AppendCount(*free.largest_box, line);
    for (std::size_t i = 0; i < block_sizes_.size(); ++i) {
      AppendCount(free.shape->blocks[i], line);
    }
    if (sample.room.has_value()) {
      AppendValues({sample.room->peak_inlet_c, sample.room->it_w,
                    sample.room->cooling_w},
                   line);
    }
    if (sample.network.has_value()) {
      AppendValues({sample.network->mean, sample.network->max}, line);
      AppendCount(sample.network->full_links, line);
    }
  }
  static void AppendValues(std::initializer_list<double> values,
                           std::string& line) {
    for (const double value : values) {
      line += ',';
      AppendCsvNumber(value, line);
    }
  }
  static void AppendCount(std::uint64_t count, std::string& line) {
    fmt::format_to(std::back_inserter(line), ",{}", count);
  }

  const Machine& machine_;
  const bool has_network_;
  const std::vector<NodeCount> lengths_;
  const std::size_t levels_;  // of SwitchSpace
  const std::vector<NodeCount> block_sizes_;
};

}  // namespace

absl::Status WriteSeries(const Machine& machine,
                         const std::vector<RunReport>& reports,
                         ReplacedFile& file) {
  const bool has_network =
      !reports.empty() && !reports.front().series.samples.empty() &&
      reports.front().series.samples.front().network.has_value();
  const SeriesWriter writer(machine, has_network);
  if (absl::Status written = file.Write(writer.Header()); !written.ok()) {
    return written;
  }
  for (std::size_t i = 0; i < reports.size(); ++i) {
    absl::Status written = file.Write(writer.Lines(i + 1, reports[i]));
    if (!written.ok()) return written;
  }
  return file.Finish();
}

}  // namespace coolspan
