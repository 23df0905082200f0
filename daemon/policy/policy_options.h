// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_POLICY_OPTIONS_H_
#define COOLSPAN_POLICY_POLICY_OPTIONS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ordering/ordering.h"
#include "topology/latency_matrix.h"

namespace coolspan {

enum class SpanKind { kRing, kLinear };

// Values of numeric options by name, "alpha" or "epsilon".
using PolicyNumbers = std::map<std::string, double, std::less<>>;

// What a policy is made with besides the machine.
struct PolicyOptions {
  std::shared_ptr<const Ordering> ordering;  // never null
  SpanKind span = SpanKind::kRing;
  // Measured latencies between all nodes of the machine; null: hop distances.
  std::shared_ptr<const LatencyMatrix> latencies = nullptr;
  // To MakePolicy: values in place of the defaults in the policy table; names
  // that are not options of the policy are ignored. To a make function: the
  // values of all numeric options of its policy.
  PolicyNumbers numbers = {};

  // REQUIRES a value of that name. Throws std::out_of_range otherwise.
  double Number(std::string_view name) const {
    return numbers.at(std::string(name));
  }
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_POLICY_OPTIONS_H_
