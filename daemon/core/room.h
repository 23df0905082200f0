// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ROOM_H_
#define COOLSPAN_CORE_ROOM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "core/types.h"

namespace coolspan {

// How much of a node jobs use, by what they do: shares that sum to at most 1.
struct NodeLoad {
  float compute = 0;
  float communicate = 0;

  friend bool operator==(const NodeLoad&, const NodeLoad&) = default;
};

// The room a machine stands in: what its nodes draw, what warms whom, and what
// cooling costs. Immutable, thread-safe.
class Room {
 public:
  // Watts of a node, all its servers together.
  struct NodePower {
    double idle_w = 0;
    double compute_w = 0;
    double communicate_w = 0;
    double speed = 1;  // relative
  };
  struct Description {
    std::shared_ptr<const HeatMatrix> heat;
    std::vector<ZoneId> zone_of;  // by NodeId
    std::vector<NodePower> types;
    std::vector<std::uint16_t> type_of;  // by NodeId, into types
    double communication_share = 0.3;    // of jobs that say nothing
    // Without, a zone none of whose nodes has a load draws nothing.
    bool idle_on = true;
    double supply_c = 0;
    double redline_c = 0;
    std::array<double, 3> cop = {0.0068, 0.0008, 0.458};  // c2, c1, c0
    double time_constant_s = 160;
  };

  // Errors: INVALID_ARGUMENT: types or zones out of range or another number of
  // nodes in them, power below 0 or busy power below idle power.
  static absl::StatusOr<std::shared_ptr<const Room>> Create(
      Description description);

  const HeatMatrix& heat() const { return *description_.heat; }
  ZoneId zone_count() const { return description_.heat->zone_count(); }
  NodeCount node_count() const {
    return static_cast<NodeCount>(description_.zone_of.size());
  }
  ZoneId ZoneOf(NodeId node) const { return description_.zone_of[node]; }
  // Ascending.
  std::span<const NodeId> NodesOf(ZoneId zone) const {
    return {&nodes_by_zone_[first_of_zone_[zone]],
            first_of_zone_[zone + 1] - first_of_zone_[zone]};
  }
  const NodePower& PowerOf(NodeId node) const {
    return description_.types[description_.type_of[node]];
  }
  // What a job adds to an idle node: (1-s) compute + s communicate - idle.
  double AddedWatts(NodeId node, double communication_share) const;
  // Of a node with that load that is on.
  double NodeWatts(NodeId node, const NodeLoad& load) const {
    const NodePower& power = PowerOf(node);
    return power.idle_w + load.compute * (power.compute_w - power.idle_w) +
           load.communicate * (power.communicate_w - power.idle_w);
  }
  // Of all its nodes.
  double IdleWatts(ZoneId zone) const { return idle_w_[zone]; }
  double communication_share() const {
    return description_.communication_share;
  }
  bool idle_on() const { return description_.idle_on; }
  double supply_c() const { return description_.supply_c; }
  double redline_c() const { return description_.redline_c; }
  const std::array<double, 3>& cop() const { return description_.cop; }
  // c2 T^2 + c1 T + c0 at T degrees Celsius supplied (joint-allocation-sst,
  // equation 10).
  double CopAt(double supply_c) const;
  // Whether the polynomial means something there: above 0, and growing.
  bool CopIsSensibleAt(double supply_c) const;
  // What cooling takes with air supplied at that temperature (equation 12);
  // infinite where the polynomial is not above 0.
  double CoolingWatts(double it_w, double supply_c) const;
  // The highest supply temperature that keeps all inlets under the redline,
  // with that peak at supply_c() (equation 11).
  double SupplyMaxC(double peak_inlet_c) const {
    return supply_c() + redline_c() - peak_inlet_c;
  }
  double time_constant_s() const { return description_.time_constant_s; }
  const Description& description() const { return description_; }
  // The same for rooms of the same nodes' power, zones, temperatures and CoP
  // and of the same D, as far as a few thousand entries tell. Whether idle
  // nodes are on and what share jobs communicate are left out. O(nodes).
  std::uint64_t Fingerprint() const;

 private:
  explicit Room(Description description);

  Description description_;
  std::vector<double> idle_w_;  // by zone
  std::vector<NodeId> nodes_by_zone_;
  std::vector<NodeCount> first_of_zone_;
};

// The room as a decision sees it: with all that holds nodes, once it is steady.
class RoomView {
 public:
  // rise_k, inlet_c and power_w by zone; they must outlive the view.
  RoomView(const Room& room, std::span<const double> rise_k,
           std::span<const double> inlet_c, std::span<const double> power_w,
           double it_w, std::uint64_t version)
      : room_(&room),
        rise_k_(rise_k),
        inlet_c_(inlet_c),
        power_w_(power_w),
        it_w_(it_w),
        version_(version) {}

  const Room& room() const { return *room_; }
  // D times power: the model alone.
  std::span<const double> rise_k() const { return rise_k_; }
  // At the room's supply temperature, with what telemetry has taught.
  std::span<const double> inlet_c() const { return inlet_c_; }
  std::span<const double> power_w() const { return power_w_; }
  double it_w() const { return it_w_; }  // of all zones
  // Of what telemetry has taught; a trace records it. 0: the model alone.
  std::uint64_t version() const { return version_; }
  // What the zone draws more as soon as one of its nodes has a load: its idle
  // power where idle zones are off and this one is, else 0.
  double WakingWatts(ZoneId zone) const {
    return room_->idle_on() || power_w_[zone] > 0 ? 0 : room_->IdleWatts(zone);
  }

 private:
  const Room* room_;
  std::span<const double> rise_k_;
  std::span<const double> inlet_c_;
  std::span<const double> power_w_;
  double it_w_;
  std::uint64_t version_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ROOM_H_
