// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_PATTERN_METER_H_
#define COOLSPAN_REPLAY_OBSERVERS_PATTERN_METER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/machine.h"
#include "mapping/mapper.h"
#include "replay/job_patterns.h"
#include "replay/run_report.h"

namespace coolspan {

// Costs of a pattern on the nodes of a job: byte hops per node.
struct PatternCost {
  double comm_cost = 0;       // ranks mapped by rcb
  double in_order_cost = 0;   // ranks in order
  double bisection_cost = 0;  // rcb:swaps=0
  std::shared_ptr<const CommPattern> pattern = nullptr;
  RankToNode rank_to_node = {};  // by rcb
};

// Maps the ranks of the jobs of a run to their nodes. Not thread-safe.
class PatternMeter {
 public:
  PatternMeter(std::shared_ptr<const Machine> machine,
               std::shared_ptr<const PatternChoice> pattern);

  // nodes: ascending. nullopt: the pattern does not suit their number.
  std::optional<PatternCost> Measure(const std::vector<NodeId>& nodes,
                                     std::uint64_t seed);
  // A job that started.
  void Count(NodeCount nodes, const std::optional<PatternCost>& cost);
  // pattern_jobs, pattern_jobs_unsuited, and of jobs of two nodes and more
  // mapping_gain_percent and mapping_gain_percent_max, the cost saved against
  // in-order, and bisection_gain_percent and bisection_gain_percent_max, the
  // same of rcb:swaps=0.
  void Report(RunReport& report) const;

 private:
  // Of a mapping, so that a replay does not depend on the time it takes. About
  // 10 ms.
  static constexpr std::uint64_t kWork = 2'000'000;

  std::shared_ptr<const Machine> machine_;
  JobPatterns patterns_;
  std::unique_ptr<const Mapper> mapper_;
  std::unique_ptr<const Mapper> bisection_;
  std::uint64_t jobs_ = 0;
  std::uint64_t unsuited_ = 0;
  std::uint64_t jobs_n2_ = 0;
  // Against in-order, in percent.
  struct Gains {
    double sum = 0;
    double max = 0;
    void Add(double cost, double in_order_cost);
  };
  Gains mapping_gains_;
  Gains bisection_gains_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_PATTERN_METER_H_
