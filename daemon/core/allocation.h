// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ALLOCATION_H_
#define COOLSPAN_CORE_ALLOCATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/types.h"

namespace coolspan {

// The chosen nodes, ascending, each once.
struct Allocation {
  std::vector<NodeId> nodes;

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// Why a policy chose these nodes: facts in the order in which they were found.
// Cheap to record: text is formatted only when a trace is shown.
class Trace {
 public:
  using Value = std::variant<std::int64_t, double, std::string_view>;
  struct Fact {
    std::string_view name;  // a literal: snake_case, with its unit
    Value value;            // text values are literals too
  };

  // REQUIRES name, and a text value, to outlive the trace: literals.
  void Note(std::string_view name, Value value) {
    facts_.push_back({name, value});
  }
  void Clear() { facts_.clear(); }
  const absl::InlinedVector<Fact, 8>& facts() const { return facts_; }

 private:
  absl::InlinedVector<Fact, 8> facts_;
};

// One line of text: fact names in words, numbers rounded and with their units.
// For example "hybrid: lowest peak 24.27 C, pairwise total 20 hops".
std::string Describe(std::string_view policy, const Trace& trace);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ALLOCATION_H_
