// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_INTERVAL_POLICY_H_
#define COOLSPAN_POLICY_LINEAR_INTERVAL_POLICY_H_

#include <optional>
#include <string_view>

#include "policy/linear/free_intervals.h"
#include "policy/linear/index_pool.h"
#include "policy/place_demand.h"
#include "policy/policy_options.h"

namespace coolspan {

// One-dimensional allocation (cpa-rd100-cplant-bender, Cplant paper, section
// 2.3). If an interval is large enough, the policy chooses one (policies differ
// in which) and takes its smallest ranks; otherwise it takes the nodes of
// minimum span.
//
// With required nodes, only the interval that contains them all qualifies: the
// policy takes its first ranks that include them. If that interval is too small
// or does not exist, it takes the nodes of minimum span that include them.
class IntervalPolicy final : public Policy {
 public:
  // Returns an interval of at least `nodes` ranks; nullopt only if there is
  // none.
  using ChooseInterval = std::optional<Interval> (*)(const FreeIntervals&,
                                                     NodeCount nodes);

  // name: a string literal.
  IntervalPolicy(std::string_view name, ChooseInterval choose,
                 const Machine& machine, const PolicyOptions& options);

  std::string_view name() const override { return name_; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override;

 private:
  std::vector<NodeId> ChooseRanks(const Choice& choice, Trace& trace) const;
  std::vector<Rank> WithoutRequired(FreeIntervals& index, NodeCount nodes,
                                    Trace& trace) const;
  std::vector<Rank> WithRequired(const FreeIntervals& index,
                                 const Choice& choice, Trace& trace) const;

  std::string_view name_;
  ChooseInterval choose_;
  SpanKind span_;
  // A cache: does not affect the answers.
  mutable IndexPool indexes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_INTERVAL_POLICY_H_
