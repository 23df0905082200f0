// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_LIVE_ROOM_H_
#define COOLSPAN_THERMAL_LIVE_ROOM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/room.h"
#include "core/room_state.h"
#include "core/sensor_reading.h"
#include "core/types.h"

namespace coolspan {

enum class SensorState : std::uint8_t {
  kUnknown,  // nothing heard of yet
  kGood,
  kMissing,  // nothing heard for longer than may be
  kAbsurd,   // no temperature or power that there is
  kDeviant,  // far from the model, where the rest of the room is not
};
// "unknown", "good", "missing", "absurd", "deviant".
const char* NameOf(SensorState state);

// A sensor whose state changed.
struct SensorAlarm {
  NodeId node = 0;
  bool is_power = false;  // else its inlet
  SensorState state = SensorState::kUnknown;
  double value = 0;     // what it said last; 0 where it said nothing
  double expected = 0;  // what the model says
};

struct SensorLimits {
  double missing_after_s = 300;
  double min_inlet_c = -20;
  double max_inlet_c = 80;
  // Most that a node's power can be, over the most of its type.
  double max_power_share = 3;
  // How much further from the model than the median of the room's sensors is.
  double most_deviation_k = 6;
  // In which a lasting deviation is believed to two thirds.
  double bias_time_s = 600;
  // How long after a job's start or end its node's power is not believed.
  double power_settles_s = 60;
};

// The room as it is now. Inlets follow the steady ones of the allocations with
// a first-order lag of the room's time constant; sensors correct them: power
// that differs from the model's by what D makes of it, what is left inlet by
// inlet. Sensors that are missing, absurd or deviant are named and left out;
// their inlets fall back to the model as fast as they left it. Time comes in
// with each call; an earlier one than seen counts as the latest seen. Not
// thread-safe.
class LiveRoom {
 public:
  explicit LiveRoom(std::shared_ptr<const Room> room, SensorLimits limits = {});

  // Inlets go to what they are there, without a correction, from now on. The
  // first call sets them to it.
  void Follow(const RoomState& steady, TimeMs now_ms);
  void AdvanceTo(TimeMs now_ms);
  // What several said at about one time.
  void Read(std::span<const SensorReading> readings, TimeMs now_ms);

  // Best estimate now, by zone.
  std::vector<double> InletC() const;
  // What sensors add to the steady inlets, for decisions; never null. A new one
  // where it says something else by more than 0.01 K.
  const std::shared_ptr<const InletCorrection>& correction() const {
    return correction_;
  }
  SensorState inlet_state(NodeId node) const { return inlets_[node].state; }
  SensorState power_state(NodeId node) const { return powers_[node].state; }
  // What it said last; 0 where it said nothing.
  double last_inlet_c(NodeId node) const { return inlets_[node].value; }
  double last_power_w(NodeId node) const { return powers_[node].value; }
  // What changed since the last call; a sensor heard of for the first time and
  // good is no news.
  std::vector<SensorAlarm> TakeAlarms();

 private:
  struct Sensor {
    SensorState state = SensorState::kUnknown;
    TimeMs heard_ms = 0;  // when what it said last was read
    double value = 0;
    double off_by = 0;    // value minus the model's, when it was read
    bool speaks = false;  // something possible, lately
  };

  void Hear(NodeId node, double inlet_c, TimeMs read_ms);
  void ReadPower(NodeId node, double power_w, TimeMs read_ms);
  SensorState Judge(const Sensor& inlet, double median_off_by) const;
  double MedianOffBy() const;
  void Enter(SensorState state, NodeId node, bool is_power, double expected);
  void FindMissing();
  double ExcessW(ZoneId zone) const;
  void MeasurePower(ZoneId zone);
  void SpreadExcess();
  void LearnBias(double seconds);
  void PublishCorrection();

  std::shared_ptr<const Room> room_;
  SensorLimits limits_;
  bool following_ = false;
  TimeMs now_ms_ = 0;
  std::optional<TimeMs> first_inlet_ms_;  // when one was heard of
  // By zone, all of them.
  std::vector<double> steady_c_;
  std::vector<double> lagged_c_;
  std::vector<double> excess_w_;  // measured over the model's
  std::vector<double> excess_rise_k_;
  std::vector<double> bias_k_;
  // By NodeId.
  std::vector<double> power_w_;  // the model's
  std::vector<TimeMs> power_since_ms_;
  std::vector<Sensor> inlets_;
  std::vector<Sensor> powers_;
  std::shared_ptr<const InletCorrection> correction_;
  std::vector<SensorAlarm> alarms_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_LIVE_ROOM_H_
