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

// The shares of a node's time that jobs compute and communicate; their sum is
// at most 1.
struct NodeLoad {
  float compute = 0;
  float communicate = 0;

  friend bool operator==(const NodeLoad&, const NodeLoad&) = default;
};

// The room a machine stands in: power of the nodes, heat distribution matrix,
// cooling model. Immutable, thread-safe.
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
    double communication_share = 0.3;    // of jobs that do not specify one
    // If false, a zone without a loaded node draws no power.
    bool idle_on = true;
    double supply_c = 0;
    double redline_c = 0;
    std::array<double, 3> cop = {0.0068, 0.0008, 0.458};  // c2, c1, c0
    double time_constant_s = 160;
  };

  // Errors: INVALID_ARGUMENT for types or zones out of range or for different
  // numbers of nodes, power below 0, busy power below idle power.
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
  // The power that a job adds to an idle node, in watts, with its communication
  // share s: (1 - s) compute_w + s communicate_w - idle_w.
  double AddedWatts(NodeId node, double communication_share) const;
  // The power of a node that is on, in watts:
  // idle_w + x (compute_w - idle_w) + y (communicate_w - idle_w),
  // x = load.compute, y = load.communicate.
  double NodeWatts(NodeId node, const NodeLoad& load) const {
    const NodePower& power = PowerOf(node);
    return power.idle_w + load.compute * (power.compute_w - power.idle_w) +
           load.communicate * (power.communicate_w - power.idle_w);
  }
  // The sum over the nodes of the zone.
  double IdleWatts(ZoneId zone) const { return idle_w_[zone]; }
  double communication_share() const {
    return description_.communication_share;
  }
  bool idle_on() const { return description_.idle_on; }
  double supply_c() const { return description_.supply_c; }
  double redline_c() const { return description_.redline_c; }
  const std::array<double, 3>& cop() const { return description_.cop; }
  // Coefficient of performance at supply temperature T in degrees Celsius:
  // CoP(T) = c2 T^2 + c1 T + c0 (joint-allocation-sst, equation 10).
  double CopAt(double supply_c) const {
    const auto& [c2, c1, c0] = description_.cop;
    return (c2 * supply_c + c1) * supply_c + c0;
  }
  // Whether supply_c is in the valid range of the CoP model: CoP(T) > 0 and
  // CoP'(T) > 0.
  bool CopIsSensibleAt(double supply_c) const;
  // Cooling power at supply temperature T: it_w / CoP(T) (equation 12);
  // infinite unless CoP(T) > 0.
  double CoolingWatts(double it_w, double supply_c) const;
  // Maximum supply temperature at which no inlet exceeds the redline:
  // T_max = T_supply + T_redline - T_peak, where T_peak is the peak inlet
  // temperature at supply_c() (equation 11).
  double SupplyMaxC(double peak_inlet_c) const {
    return supply_c() + redline_c() - peak_inlet_c;
  }
  double time_constant_s() const { return description_.time_constant_s; }
  const Description& description() const { return description_; }
  // Equal for rooms with the same node power, zones, temperatures, CoP and D,
  // of which a sample of 4,096 entries is hashed. Ignores idle_on and
  // communication_share. O(nodes).
  std::uint64_t Fingerprint() const;

 private:
  explicit Room(Description description);

  Description description_;
  std::vector<double> idle_w_;  // by zone
  std::vector<NodeId> nodes_by_zone_;
  std::vector<NodeCount> first_of_zone_;
};

// The steady state of the room under the current holdings, as decisions use it.
class RoomView {
 public:
  // rise_k, inlet_c and power_w are by zone and must outlive the view.
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
  // D * power_w, in kelvins: the model without corrections.
  std::span<const double> rise_k() const { return rise_k_; }
  // At the room's supply temperature, with the corrections from telemetry.
  std::span<const double> inlet_c() const { return inlet_c_; }
  std::span<const double> power_w() const { return power_w_; }
  double it_w() const { return it_w_; }  // of all zones
  // Version of the corrections from telemetry, for traces; 0: none.
  std::uint64_t version() const { return version_; }
  // The power that the zone draws in addition once one of its nodes is loaded:
  // its idle power if idle zones are off and this zone is idle, else 0.
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
