// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/recirculation_sums.h"

namespace coolspan {

std::vector<double> RecirculationSums(const Room& room) {
  const std::vector<double> ones(room.zone_count(), 1.0);
  std::vector<double> sums(room.zone_count(), 0.0);
  room.heat().AddPull(ones, sums);
  return sums;
}

}  // namespace coolspan
