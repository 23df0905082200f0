// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ROOM_STATE_H_
#define COOLSPAN_CORE_ROOM_STATE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/availability.h"
#include "core/room.h"

namespace coolspan {

// Inlet biases learned from telemetry. Immutable: a new version replaces it as
// a whole.
struct InletCorrection {
  std::uint64_t version = 0;
  std::vector<double> bias_k;  // by zone, added to the inlets of the model
};

// Power and inlet temperatures of a room for given loads of its nodes. The same
// loads and correction give bit-identical inlets, whatever the earlier calls.
// Not thread-safe.
class RoomState {
 public:
  explicit RoomState(std::shared_ptr<const Room> room);

  const Room& room() const { return *room_; }
  // Sets the loads, by NodeId. Cost: O(nodes) comparisons, and the update of
  // the heat matrix for the zones with changed power.
  void Follow(std::span<const NodeLoad> loads);
  void Follow(const LoadsByNode& loads);
  // nullptr: no correction. REQUIRES a bias for each zone.
  void Correct(std::shared_ptr<const InletCorrection> correction);
  // Valid until the next Follow or Correct.
  RoomView view() const;
  // Power of the node by the model: 0 if its zone is off.
  double NodeWatts(NodeId node) const;
  // Forecast with additional load on some nodes (each at most once). Cost: as
  // Follow, for the affected zones only. Does not change the state.
  struct MoreLoad {
    NodeId node = 0;
    NodeLoad load;
  };
  struct Forecast {
    double peak_inlet_c = 0;
    double it_w = 0;

    friend bool operator==(const Forecast&, const Forecast&) = default;
  };
  Forecast With(std::span<const MoreLoad> more);

 private:
  double PowerOf(ZoneId zone) const;
  template <typename Loads>
  void FollowAll(const Loads& loads);
  void SumInlets();

  std::shared_ptr<const Room> room_;
  std::shared_ptr<const InletCorrection> correction_;
  std::vector<NodeLoad> loads_;  // by NodeId
  std::vector<double> power_w_;  // by zone, as the others
  std::vector<double> rise_k_;
  std::vector<double> inlet_c_;
  double it_w_ = 0;
  std::vector<ZonePower> changes_;  // of one Follow or Forecast
  std::vector<double> forecast_c_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ROOM_STATE_H_
