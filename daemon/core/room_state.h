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

// What telemetry has taught of the inlets beyond the model, published as a
// whole: a writer makes a new one. Immutable.
struct InletCorrection {
  std::uint64_t version = 0;
  std::vector<double> bias_k;  // by zone, added to the model's inlets
};

// Power and inlets of a room that follows its nodes' loads. The same loads and
// correction give the same inlets, to the last bit, whatever came before. Not
// thread-safe.
class RoomState {
 public:
  explicit RoomState(std::shared_ptr<const Room> room);

  const Room& room() const { return *room_; }
  // Takes the loads, by NodeId. O(nodes) comparisons, then as much as the heat
  // matrix takes for the zones whose power changed.
  void Follow(std::span<const NodeLoad> loads);
  void Follow(const LoadsByNode& loads);
  // nullptr: the model alone. REQUIRES a bias for each zone.
  void Correct(std::shared_ptr<const InletCorrection> correction);
  // Valid until the next Follow or Correct.
  RoomView view() const;
  // What the model says that the node draws: 0 where its zone is off.
  double NodeWatts(NodeId node) const;
  // What would be with more load on some nodes, none twice. As Follow, for the
  // zones concerned alone. Changes nothing.
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
