// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/node_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "core/counted.h"
#include "core/hostlist.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

absl::Status CheckDistinct(const std::vector<std::string>& names,
                           const std::string& file, Place place) {
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(names.size());
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return ErrorAt(
          file, place,
          fmt::format("node {}: specified more than once", Quoted(name)));
    }
  }
  return absl::OkStatus();
}

// The first of the names that is not among the others; nullptr: all are.
const std::string* FirstNotAmong(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  const absl::flat_hash_set<std::string_view> known(others.begin(),
                                                    others.end());
  const auto first = std::find_if(
      names.begin(), names.end(),
      [&known](const std::string& name) { return !known.contains(name); });
  return first == names.end() ? nullptr : &*first;
}

// REQUIRES distinct names in both.
absl::Status CheckSameNames(const std::vector<std::string>& listed,
                            const std::vector<std::string>& in_topology,
                            const std::string& file, Place place) {
  if (const std::string* missing = FirstNotAmong(in_topology, listed)) {
    return ErrorAt(file, place,
                   fmt::format("nodes: {} of the topology is missing (expected "
                               "the same nodes)",
                               Quoted(*missing)));
  }
  if (listed.size() == in_topology.size()) return absl::OkStatus();
  if (const std::string* unknown = FirstNotAmong(listed, in_topology)) {
    return ErrorAt(file, place,
                   fmt::format("nodes: {} is not in the topology (expected the "
                               "same nodes)",
                               Quoted(*unknown)));
  }
  return absl::OkStatus();
}

// The limit for expanding a hostlist: above the expected number, so that the
// error can give the actual one, but bounded.
std::size_t MaxNames(std::size_t expected) {
  constexpr std::size_t kMinLimit = 1'000'000;
  return std::max(expected, kMinLimit);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadNodeNames(
    const MachineDescription& machine, const std::string& file,
    std::size_t max_names) {
  if (machine.nodes.value.empty()) {
    return ErrorAt(file, machine.topology.place,
                   "nodes: missing (expected the node names as a hostlist)");
  }
  auto names = ExpandHostlist(machine.nodes.value, max_names);
  if (!names.ok()) {
    return ErrorAt(file, machine.nodes.place,
                   fmt::format("nodes: {}", MessageOf(names.status())));
  }
  absl::Status status = CheckDistinct(*names, file, machine.nodes.place);
  if (!status.ok()) return status;
  return names;
}

absl::StatusOr<std::vector<std::string>> NamesFor(
    const MachineDescription& machine, NamedTopology& topology,
    const std::string& file) {
  const bool by_coordinates = !machine.coordinates.value.empty();
  if (by_coordinates && !machine.nodes.value.empty()) {
    return ErrorAt(file, machine.coordinates.place,
                   "coordinates: specified together with nodes (expected one "
                   "of the two)");
  }
  if (topology.names.has_value()) {
    std::vector<std::string> names = *std::move(topology.names);
    absl::Status status = CheckDistinct(
        names, file,
        by_coordinates ? machine.coordinates.place : machine.topology.place);
    if (!status.ok() || machine.nodes.value.empty()) {
      if (!status.ok()) return status;
      return names;
    }
    auto listed = ReadNodeNames(machine, file, MaxNames(names.size()));
    if (!listed.ok()) return listed.status();
    status = CheckSameNames(*listed, names, file, machine.nodes.place);
    if (!status.ok()) return status;
    return names;
  }
  const NodeCount nodes = topology.topology->node_count();
  auto names = ReadNodeNames(machine, file, MaxNames(nodes));
  if (!names.ok()) return names.status();
  if (names->size() != nodes) {
    return ErrorAt(
        file, machine.nodes.place,
        fmt::format("nodes: {}, {} in the topology "
                    "(expected one name per node)",
                    Counted(names->size(), "name"), Counted(nodes, "node")));
  }
  return names;
}

}  // namespace coolspan
