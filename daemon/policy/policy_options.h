// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_POLICY_OPTIONS_H_
#define COOLSPAN_POLICY_POLICY_OPTIONS_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/spec/spec_options.h"
#include "ordering/ordering.h"
#include "policy/linear/span_kind.h"
#include "topology/latency_matrix.h"

namespace coolspan {

// What a policy is made with besides the machine.
struct PolicyOptions {
  std::shared_ptr<const Ordering> ordering;  // never null
  SpanKind span = SpanKind::kOfOrdering;
  // Measured latencies between all nodes of the machine; null: hop distances.
  std::shared_ptr<const LatencyMatrix> latencies = nullptr;
  // To MakePolicy: values in place of the defaults in the policy table; names
  // that are not options of the policy are ignored. To a make function: the
  // values of all options of its policy.
  SpecValues values = {};

  // A number, or the index of a word. REQUIRES a value of that name. Throws
  // std::out_of_range otherwise.
  double Value(std::string_view name) const {
    return values.at(std::string(name));
  }
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_POLICY_OPTIONS_H_
