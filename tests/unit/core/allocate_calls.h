// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CORE_ALLOCATE_CALLS_H_
#define COOLSPAN_TESTS_UNIT_CORE_ALLOCATE_CALLS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/allocator.h"

namespace coolspan {

// A request for whole nodes.
inline AllocateCall Ask(std::uint32_t job_id, NodeCount nodes,
                        std::uint64_t attempt = 1, std::uint32_t restart = 0) {
  AllocateCall call;
  call.job = {job_id, restart};
  call.attempt = attempt;
  call.request.demand = Demand::Nodes(nodes);
  return call;
}

inline AllocateCall At(TimeMs now_ms, AllocateCall call) {
  call.now_ms = now_ms;
  return call;
}

// A job that runs on whole nodes.
inline Allocator::Fact Runs(std::uint32_t job_id, std::vector<NodeId> nodes,
                            std::uint32_t restart = 0) {
  Allocator::Fact fact;
  fact.job = {job_id, restart};
  fact.nodes = std::move(nodes);
  return fact;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CORE_ALLOCATE_CALLS_H_
