// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_LIVE_ROOM_H_
#define COOLSPAN_THERMAL_LIVE_ROOM_H_

#include <cstddef>
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
  kUnknown,  // no reading yet
  kGood,
  kMissing,  // no reading for longer than missing_after_s
  kAbsurd,   // outside the plausible range
  kDeviant,  // outlier: far from the model unlike the other sensors
};
inline constexpr std::size_t kSensorStates = 5;
// "unknown", "good", "missing", "absurd", "deviant".
const char* NameOf(SensorState state);

// A sensor whose state changed.
struct SensorAlarm {
  NodeId node = 0;
  bool is_power = false;  // else its inlet
  SensorState state = SensorState::kUnknown;
  double value = 0;     // last reading; 0 if there was none
  double expected = 0;  // by the model
};

struct SensorLimits {
  double missing_after_s = 300;
  double min_inlet_c = -20;
  double max_inlet_c = 80;
  // Maximum plausible power of a node, as a multiple of its type's maximum.
  double max_power_share = 3;
  // Maximum error of an inlet relative to the median error of all inlets.
  double most_deviation_k = 6;
  // Bias time constant.
  double bias_time_s = 600;
  // Power readings are ignored for this long after a job starts or ends.
  double power_settles_s = 60;
};

// What a LiveRoom has learned from sensors, by zone; to go on with after a
// restart.
struct LearnedRoom {
  std::vector<double> bias_k;
  std::vector<double> excess_w;  // measured minus modelled power
  std::vector<double> lag_k;     // modelled inlet minus the steady one
};

// Estimate of the current state of the room. The modelled inlets T follow the
// steady ones of the allocations with a first-order lag:
//   dT/dt = (T_steady + D p_excess - T) / time_constant
// p_excess: measured minus modelled power. What remains of the difference to
// the readings is learned inlet by inlet as a bias, an exponential moving
// average with time constant bias_time_s. Missing, absurd and deviant sensors
// are reported and ignored; the bias of their inlets decays with the same time
// constant. Every call states the time; times before the latest one seen count
// as that one. Not thread-safe.
class LiveRoom {
 public:
  explicit LiveRoom(std::shared_ptr<const Room> room, SensorLimits limits = {});

  // Applies to the readings from now on.
  void SetLimits(const SensorLimits& limits) { limits_ = limits; }

  LearnedRoom Learned() const;
  // Goes on with what was learned age_s seconds ago, on a room with the same
  // jobs. Biases and lags decay with their time constants meanwhile; the excess
  // of power counts until a zone has a reading, at most missing_after_s.
  // REQUIRES values of each zone, and that nothing was called before.
  void Restore(const LearnedRoom& learned, double age_s);

  // Sets the steady state, without corrections, that inlets approach from now
  // on. The first call sets the inlets to it.
  void Follow(const RoomState& steady, TimeMs now_ms);
  void AdvanceTo(TimeMs now_ms);
  // Readings taken at about the same time.
  void Read(std::span<const SensorReading> readings, TimeMs now_ms);

  // Best estimate now, by zone.
  std::vector<double> InletC() const;
  // Correction of the steady inlets by sensors, for decisions; never null.
  // Replaced when it changes by more than 0.01 K in any zone.
  const std::shared_ptr<const InletCorrection>& correction() const {
    return correction_;
  }
  SensorState inlet_state(NodeId node) const { return inlets_[node].state; }
  SensorState power_state(NodeId node) const { return powers_[node].state; }
  // Last reading; 0 if there was none.
  double last_inlet_c(NodeId node) const { return inlets_[node].value; }
  double last_power_w(NodeId node) const { return powers_[node].value; }
  // Time of the last reading; 0 if there was none.
  TimeMs inlet_read_ms(NodeId node) const { return inlets_[node].read_ms; }
  TimeMs power_read_ms(NodeId node) const { return powers_[node].read_ms; }
  // State changes since the last call, except for a first reading that is good.
  std::vector<SensorAlarm> TakeAlarms();

 private:
  struct Sensor {
    SensorState state = SensorState::kUnknown;
    TimeMs read_ms = 0;         // time of the last reading
    double value = 0;           // last reading
    double error_k = 0;         // inlets: last reading minus the model then
    bool is_plausible = false;  // inlets: plausible and not missing
  };

  void ReadInlet(NodeId node, double inlet_c, TimeMs read_ms);
  void ReadPower(NodeId node, double power_w, TimeMs read_ms);
  SensorState Classify(const Sensor& inlet, double median_error_k) const;
  double MedianErrorK() const;
  void SetState(SensorState state, NodeId node, bool is_power, double expected);
  void FindMissing();
  double ExcessW(ZoneId zone) const;
  // Whether the zone's excess is that of Restore: no reading yet.
  bool IsCarried(ZoneId zone) const;
  void EndCarrying();
  void UpdateExcess(ZoneId zone);
  void ComputeExcessRise();
  void UpdateBias(double seconds);
  void PublishCorrection();

  std::shared_ptr<const Room> room_;
  SensorLimits limits_;
  bool following_ = false;
  TimeMs now_ms_ = 0;
  std::optional<TimeMs> first_inlet_ms_;  // time of the first inlet reading
  // By zone.
  std::vector<double> steady_c_;
  std::vector<double> lagged_c_;
  std::vector<double> excess_w_;       // p_excess
  std::vector<double> excess_rise_k_;  // D p_excess
  std::vector<double> bias_k_;
  // Of Restore; empty: none.
  std::vector<double> carried_excess_w_;
  std::vector<double> restored_lag_k_;
  TimeMs carried_until_ms_ = 0;
  // By NodeId.
  std::vector<double> power_w_;  // by the model
  std::vector<TimeMs> power_since_ms_;
  std::vector<Sensor> inlets_;
  std::vector<Sensor> powers_;
  std::shared_ptr<const InletCorrection> correction_;
  std::vector<SensorAlarm> alarms_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_LIVE_ROOM_H_
