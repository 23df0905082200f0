// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/topology_kinds.h"

#include "config/mesh_kind.h"

namespace coolspan {
namespace {

constexpr TopologyKind kTable[] = {
    {"mesh", MakeMeshKind},
};

}  // namespace

std::span<const TopologyKind> TopologyKindTable() { return kTable; }

std::vector<std::string_view> TopologyKindNames() {
  std::vector<std::string_view> names;
  for (const TopologyKind& kind : kTable) names.push_back(kind.name);
  return names;
}

}  // namespace coolspan
