// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_POLICY_H_
#define COOLSPAN_CORE_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/allocation.h"
#include "core/availability.h"
#include "core/budget.h"
#include "core/machine.h"
#include "core/node_set.h"
#include "core/recent_starts.h"
#include "core/request.h"
#include "core/room.h"

namespace coolspan {

// The state of the machine for one request. The MachineSnapshot behind it must
// outlive it.
class MachineView {
 public:
  // available: the nodes that this request may use: free (without any holder
  // for whole-node requests, with a free unit for shared ones), offered as
  // candidates, not excluded.
  // free_units: read only for demands in units, may be nullptr otherwise.
  // room: the current state of the room; nullptr if the machine has none.
  // ends: when the jobs on the nodes are expected to end; nullptr: not known.
  // now_ms: on the same clock.
  // recent_starts: nullptr: not known.
  MachineView(const Machine& machine, const NodeSet& available,
              const UnitsByNode* free_units, std::uint64_t version,
              const RoomView* room = nullptr, const EndsByNode* ends = nullptr,
              TimeMs now_ms = 0, const RecentStarts* recent_starts = nullptr)
      : machine_(&machine),
        available_(&available),
        free_units_(free_units),
        version_(version),
        room_(room),
        ends_(ends),
        now_ms_(now_ms),
        recent_starts_(recent_starts) {}

  const Machine& machine() const { return *machine_; }
  const Topology& topology() const { return machine_->topology(); }
  const NodeSet& available() const { return *available_; }
  Units FreeUnits(NodeId node) const { return (*free_units_)[node]; }
  // Version of the ledger, for the trace.
  std::uint64_t version() const { return version_; }
  const RoomView* room() const { return room_; }
  bool KnowsEnds() const { return ends_ != nullptr; }
  // When the last job on the node is expected to end.
  TimeMs EndOn(NodeId node) const {
    return ends_ == nullptr ? kUnknownEnd : (*ends_)[node];
  }
  TimeMs now_ms() const { return now_ms_; }
  const RecentStarts* recent_starts() const { return recent_starts_; }

  // The same state with other available nodes, which must outlive the view.
  MachineView With(const NodeSet& available) const {
    MachineView view = *this;
    view.available_ = &available;
    return view;
  }

 private:
  const Machine* machine_;
  const NodeSet* available_;
  const UnitsByNode* free_units_;
  std::uint64_t version_;
  const RoomView* room_;
  const EndsByNode* ends_;
  TimeMs now_ms_;
  const RecentStarts* recent_starts_;
};

// Chooses nodes. The same view, request, seed and budget give the same answer,
// whatever the earlier calls. Thread-safe.
//
// The answer has exactly min_nodes nodes for a demand in nodes. For a demand in
// units it has min_nodes to max_nodes nodes with enough free units, and above
// min_nodes no node is superfluous. All nodes are available, and all required
// nodes are included.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;
  // The name with the options that it was made with, as "bqp:alpha=1:beta=0".
  std::string_view spec() const {
    return spec_.empty() ? name() : std::string_view(spec_);
  }
  void set_spec(std::string_view spec) { spec_ = spec; }
  // Whether Place itself obeys Request::segment_nodes of a request that is
  // neither spread nor consolidated and requires no nodes of several segments.
  // Otherwise it gets a request for each segment.
  virtual bool PlacesSegments() const { return false; }
  // nullopt: the request does not fit now, which is not an error.
  virtual std::optional<Allocation> Place(const MachineView& view,
                                          const Request& request,
                                          Budget& budget,
                                          Trace& trace) const = 0;

 private:
  std::string spec_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_POLICY_H_
