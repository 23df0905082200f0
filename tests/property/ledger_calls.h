// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_LEDGER_CALLS_H_
#define COOLSPAN_TESTS_PROPERTY_LEDGER_CALLS_H_

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "core/ledger.h"

namespace coolspan {

// What a failed property prints.
inline std::ostream& operator<<(std::ostream& out, const Holding& holding) {
  out << holding.job.job_id << '.' << holding.job.restart << '.'
      << holding.attempt << (holding.committed ? " committed" : " tentative")
      << (holding.whole ? " whole" : " shared")
      << (holding.suspended ? " suspended" : "")
      << (holding.disputed ? " disputed" : "") << " nodes";
  for (const NodeId node : holding.nodes) out << ' ' << node;
  out << " units";
  for (const Units units : holding.units) out << ' ' << units;
  out << " contested";
  for (const NodeId node : holding.contested) out << ' ' << node;
  return out << " expires " << holding.expires_ms << " decision "
             << holding.decision_id;
}

inline std::ostream& operator<<(std::ostream& out, JobKey job) {
  return out << job.job_id << '.' << job.restart;
}

// One call on an Allocator; the numbers mean what the kind makes of them.
struct LedgerCall {
  // Nodes of the machine.
  static constexpr NodeCount kNodes = 7;

  enum class Kind {
    kAllocate,
    kRepeat,
    kCommitAsDecided,
    kCommit,
    kRelease,
    kResize,
    kSuspend,
    kSync,
    kAdvance,
  };

  Kind kind = Kind::kAllocate;
  std::uint32_t job_id = 1;
  std::uint32_t restart = 0;
  std::uint64_t attempt = 0;
  std::uint32_t nodes_mask = 1;
  std::uint32_t other_mask = 1;
  std::uint32_t count = 1;
  std::uint32_t units = 0;
  bool whole = true;
  bool flag = false;
  std::int64_t wait_ms = 0;

  static std::vector<NodeId> NodesOf(std::uint32_t mask) {
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < kNodes; ++node) {
      if ((mask >> node & 1U) != 0) nodes.push_back(node);
    }
    return nodes;
  }
  JobKey job() const { return {job_id, restart}; }
};

inline std::ostream& operator<<(std::ostream& out, const LedgerCall& call) {
  static constexpr const char* kNames[] = {
      "allocate", "repeat",  "commit as decided",
      "commit",   "release", "resize",
      "suspend",  "sync",    "advance"};
  return out << kNames[static_cast<int>(call.kind)] << " job " << call.job()
             << '.' << call.attempt << " mask " << call.nodes_mask << " other "
             << call.other_mask << " count " << call.count << " units "
             << call.units << (call.whole ? " whole" : " shared")
             << (call.flag ? " flag" : "") << " wait " << call.wait_ms << '\n';
}

inline rc::Gen<LedgerCall> AnyLedgerCall() {
  using Kind = LedgerCall::Kind;
  const auto number = [](std::uint32_t least, std::uint32_t below) {
    return rc::gen::inRange<std::uint32_t>(least, below);
  };
  const std::uint32_t masks = 1U << LedgerCall::kNodes;
  return rc::gen::build<LedgerCall>(
      rc::gen::set(&LedgerCall::kind,
                   rc::gen::weightedElement<Kind>({{6, Kind::kAllocate},
                                                   {3, Kind::kRepeat},
                                                   {4, Kind::kCommitAsDecided},
                                                   {2, Kind::kCommit},
                                                   {3, Kind::kRelease},
                                                   {1, Kind::kResize},
                                                   {2, Kind::kSuspend},
                                                   {1, Kind::kSync},
                                                   {2, Kind::kAdvance}})),
      rc::gen::set(&LedgerCall::job_id, number(1, 6)),
      rc::gen::set(&LedgerCall::restart,
                   rc::gen::weightedElement<std::uint32_t>({{4, 0}, {1, 1}})),
      rc::gen::set(&LedgerCall::attempt, number(0, 5)),
      rc::gen::set(&LedgerCall::nodes_mask, number(1, masks)),
      rc::gen::set(&LedgerCall::other_mask, number(0, masks)),
      rc::gen::set(&LedgerCall::count, number(1, 4)),
      rc::gen::set(&LedgerCall::units, number(0, 7)),
      rc::gen::set(&LedgerCall::whole), rc::gen::set(&LedgerCall::flag),
      rc::gen::set(&LedgerCall::wait_ms,
                   rc::gen::weightedElement<std::int64_t>({{12, 0},
                                                           {6, 1},
                                                           {4, 4'000},
                                                           {2, 9'999},
                                                           {2, 10'000},
                                                           {1, 60'000},
                                                           {1, -5'000}})));
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_LEDGER_CALLS_H_
