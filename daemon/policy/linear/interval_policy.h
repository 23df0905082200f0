// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_INTERVAL_POLICY_H_
#define COOLSPAN_POLICY_LINEAR_INTERVAL_POLICY_H_

#include <memory>
#include <optional>
#include <string_view>

#include "policy/linear/free_intervals.h"
#include "policy/linear/index_pool.h"
#include "policy/place_demand.h"
#include "policy/table.h"

namespace coolspan {

// One-dimensional allocation (cpa-rd100-cplant-bender, section 2.3): the nodes
// at the smallest ranks of an interval that is long enough, which one is what
// these policies differ in; where none is, the window of least span. Required
// nodes leave one interval to choose, the one that has them all: the first
// ranks of it that include them; where it is too short, or there is none, the
// least span that includes them.
class IntervalPolicy final : public Policy {
 public:
  // An interval of at least so many ranks; nullopt only if there is none.
  using ChooseInterval = std::optional<Interval> (*)(const FreeIntervals&,
                                                     NodeCount nodes);

  // name: a literal.
  IntervalPolicy(std::string_view name, ChooseInterval choose,
                 const PolicyOptions& options);

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
  // A cache: no answer depends on what is in it.
  mutable IndexPool indexes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_INTERVAL_POLICY_H_
