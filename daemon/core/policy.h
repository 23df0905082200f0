// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_POLICY_H_
#define COOLSPAN_CORE_POLICY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/allocation.h"
#include "core/availability.h"
#include "core/budget.h"
#include "core/machine.h"
#include "core/node_set.h"
#include "core/request.h"
#include "core/room.h"

namespace coolspan {

// The machine as one request sees it, on a MachineSnapshot that outlives it.
class MachineView {
 public:
  // available: the nodes this request may be given: free for it (of everybody
  // for a whole-node request, with a unit left for a shared one), offered as
  // candidate, not excluded.
  // free_units: units still free; read for demands in units only, may be
  // nullptr otherwise.
  // room: what the machine's room is like now; nullptr if it has none.
  MachineView(const Machine& machine, const NodeSet& available,
              const UnitsByNode* free_units, std::uint64_t version,
              const RoomView* room = nullptr)
      : machine_(&machine),
        available_(&available),
        free_units_(free_units),
        version_(version),
        room_(room) {}

  const Machine& machine() const { return *machine_; }
  const Topology& topology() const { return machine_->topology(); }
  const NodeSet& available() const { return *available_; }
  Units FreeUnits(NodeId node) const { return (*free_units_)[node]; }
  // Of the ledger the view was taken from; a trace records it.
  std::uint64_t version() const { return version_; }
  const RoomView* room() const { return room_; }

 private:
  const Machine* machine_;
  const NodeSet* available_;
  const UnitsByNode* free_units_;
  std::uint64_t version_;
  const RoomView* room_;
};

// Chooses nodes; never changes what it sees. The same view, request, seed and
// budget give the same answer, whatever was asked before. Thread-safe.
//
// The answer has exactly min_nodes nodes for a demand in nodes; for a demand
// in units it meets the demand, has at most max_nodes nodes, at least
// min_nodes, and beyond those none that could be dropped. All are available,
// all required ones are among them.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;
  // nullopt: does not fit now, which is not an error.
  virtual std::optional<Allocation> Place(const MachineView& view,
                                          const Request& request,
                                          Budget& budget,
                                          Trace& trace) const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_POLICY_H_
