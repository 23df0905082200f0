// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/heat/job_load.h"

#include <algorithm>
#include <utility>

namespace coolspan {

UnitsOfJob UnitsTaken(const Request& request, std::span<const NodeId> nodes,
                      const UnitsByNode& free_units) {
  if (request.whole) return {};
  const std::size_t demanded = request.demand.units;
  std::size_t left = demanded > nodes.size() ? demanded - nodes.size() : 0;
  std::vector<Units> units(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const UsableUnits usable = request.usable == nullptr
                                   ? UsableUnits{free_units[nodes[i]]}
                                   : (*request.usable)[nodes[i]];
    const Units others =
        std::max<Units>(usable.Within(free_units[nodes[i]]), 1) - 1;
    const auto more = static_cast<Units>(std::min<std::size_t>(left, others));
    units[i] = usable.Held(units[i] + more);
    left -= more;
  }
  return {std::move(units), left == 0};
}

std::vector<RoomState::MoreLoad> LoadOf(const Request& request,
                                        const Room& room,
                                        std::span<const NodeId> nodes,
                                        const UnitsByNode& free_units,
                                        const std::vector<Units>& capacity) {
  const auto share = request.communication_share.value_or(
      static_cast<float>(room.communication_share()));
  const UnitsOfJob taken = UnitsTaken(request, nodes, free_units);
  std::vector<RoomState::MoreLoad> load;
  load.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const float used = request.whole
                           ? 1
                           : static_cast<float>(taken.units[i]) /
                                 static_cast<float>(capacity[nodes[i]]);
    load.push_back({nodes[i], {used * (1 - share), used * share}});
  }
  return load;
}

}  // namespace coolspan
