// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_CENTRE_POLICY_H_
#define COOLSPAN_POLICY_CENTRE_CENTRE_POLICY_H_

#include <array>
#include <optional>
#include <string_view>

#include "core/policy.h"
#include "policy/centre/centre_search.h"
#include "policy/place_demand.h"
#include "policy/policy_options.h"

namespace coolspan {

// The option `ties`: "perimeter" or "paper".
inline constexpr std::array<std::string_view, 2> kTieWords = {"perimeter",
                                                              "paper"};
inline CentreRule::Ties TiesOf(const PolicyOptions& options) {
  return options.Value("ties") == 0 ? CentreRule::Ties::kPerimeter
                                    : CentreRule::Ties::kPairwise;
}

// Places a job around a centre. mc, mc1x1, mm, mm-inc and genalg differ in the
// rule, in whether they use the request's shape, and in whether swaps follow.
class CentrePolicy final : public Policy {
 public:
  struct Kind {
    std::string_view name;  // a string literal
    CentreRule rule;
    bool uses_shape = false;
    bool swaps = false;  // improve the answer by swaps of one node
  };
  CentrePolicy(const Kind& kind, const Machine& machine);

  std::string_view name() const override { return kind_.name; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override;

 private:
  std::vector<NodeId> ChooseNodes(const Topology& topology,
                                  const Choice& choice,
                                  const std::vector<std::uint32_t>& shape,
                                  Budget& budget, Trace& trace) const;

  Kind kind_;
  std::optional<GridTable> grid_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_CENTRE_POLICY_H_
