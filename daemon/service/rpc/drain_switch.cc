// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/drain_switch.h"

namespace coolspan {

bool DrainSwitch::Set(bool is_drained) {
  const std::lock_guard lock(changing_);
  const bool was_drained = since_ms_ != 0;
  if (was_drained == is_drained) return was_drained;
  is_end_logged_ = false;
  since_ms_ = is_drained ? wall_clock_ms_() : 0;
  log_.Write(spdlog::level::warn, "drain",
             {{"decisions", is_drained ? "refused" : "made again"}});
  on_change_();
  return was_drained;
}

DrainSwitch::InProgress DrainSwitch::in_progress() const {
  InProgress found;
  // A call that is being refused counts for a moment.
  found.decisions = static_cast<std::uint32_t>(decisions_);
  for (const auto& cluster : clusters_.All()) {
    found.tentative += cluster->Status().jobs_tentative();
  }
  return found;
}

void DrainSwitch::Tick() {
  if (since_ms_ == 0 || is_end_logged_ || !in_progress().none()) return;
  is_end_logged_ = true;
  log_.Write(spdlog::level::info, "drain", {{"in_progress", 0}});
  log_.Flush();
}

}  // namespace coolspan
