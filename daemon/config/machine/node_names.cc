// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/node_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "core/hostlist.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

absl::Status CheckNamedOnce(const std::vector<std::string>& names,
                            const std::string& file, Place place) {
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(names.size());
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return ErrorAt(file, place,
                     fmt::format("node {} is named twice; each node is wanted "
                                 "once",
                                 Quoted(name)));
    }
  }
  return absl::OkStatus();
}

// REQUIRES both with each name once.
absl::Status CheckSameNames(const std::vector<std::string>& listed,
                            const std::vector<std::string>& wired,
                            const std::string& file, Place place) {
  const absl::flat_hash_set<std::string_view> in_list(listed.begin(),
                                                      listed.end());
  for (const std::string& name : wired) {
    if (in_list.contains(name)) continue;
    return ErrorAt(file, place,
                   fmt::format("nodes does not have {}, which the topology "
                               "has; the same nodes are wanted",
                               Quoted(name)));
  }
  if (listed.size() == wired.size()) return absl::OkStatus();
  const absl::flat_hash_set<std::string_view> in_wires(wired.begin(),
                                                       wired.end());
  for (const std::string& name : listed) {
    if (in_wires.contains(name)) continue;
    return ErrorAt(file, place,
                   fmt::format("nodes has {}, which the topology does not "
                               "have; the same nodes are wanted",
                               Quoted(name)));
  }
  return absl::OkStatus();
}

// Names too many are counted, to say how many there are, but not for ever.
std::size_t MaxListed(std::size_t wanted) {
  constexpr std::size_t kCountedInAnyCase = 1'000'000;
  return std::max(wanted, kCountedInAnyCase);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadNodeNames(
    const MachineDescription& machine, const std::string& file,
    std::size_t max_names) {
  if (machine.nodes.value.empty()) {
    return ErrorAt(file, machine.topology.place,
                   "nodes is missing; the nodes' names are wanted, as a "
                   "hostlist");
  }
  auto names = ExpandHostlist(machine.nodes.value, max_names);
  if (!names.ok()) {
    return ErrorAt(file, machine.nodes.place,
                   fmt::format("nodes: {}", MessageOf(names.status())));
  }
  absl::Status status = CheckNamedOnce(*names, file, machine.nodes.place);
  if (!status.ok()) return status;
  return names;
}

absl::StatusOr<std::vector<std::string>> NamesFor(
    const MachineDescription& machine, NamedTopology& topology,
    const std::string& file) {
  const bool by_coordinates = !machine.coordinates.value.empty();
  if (by_coordinates && !machine.nodes.value.empty()) {
    return ErrorAt(file, machine.coordinates.place,
                   "nodes and coordinates are both given; one of the two is "
                   "wanted");
  }
  if (topology.names.has_value()) {
    std::vector<std::string> names = *std::move(topology.names);
    absl::Status status = CheckNamedOnce(
        names, file,
        by_coordinates ? machine.coordinates.place : machine.topology.place);
    if (!status.ok() || machine.nodes.value.empty()) {
      if (!status.ok()) return status;
      return names;
    }
    auto listed = ReadNodeNames(machine, file, MaxListed(names.size()));
    if (!listed.ok()) return listed.status();
    status = CheckSameNames(*listed, names, file, machine.nodes.place);
    if (!status.ok()) return status;
    return names;
  }
  const NodeCount wanted = topology.topology->node_count();
  auto names = ReadNodeNames(machine, file, MaxListed(wanted));
  if (!names.ok()) return names.status();
  if (names->size() != wanted) {
    return ErrorAt(file, machine.nodes.place,
                   fmt::format("nodes has {} names; the topology has {} "
                               "nodes, as many names are wanted",
                               names->size(), wanted));
  }
  return names;
}

}  // namespace coolspan
