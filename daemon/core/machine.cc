// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <random>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "core/counted.h"
#include "core/hostlist.h"
#include "core/stable_hash.h"

namespace coolspan {
namespace {

bool IsSeparator(char c) { return c == ',' || absl::ascii_isspace(c); }

bool IsListOfIds(std::string_view list) {
  return std::all_of(list.begin(), list.end(), [](char c) {
    return absl::ascii_isdigit(c) || IsSeparator(c);
  });
}

// Whether an entry of the list, outside brackets, is a number.
bool HasId(std::string_view list) {
  bool digits = false;
  bool other = false;
  int depth = 0;
  for (const char c : list) {
    if (depth == 0 && IsSeparator(c)) {
      if (digits && !other) return true;
      digits = other = false;
    } else {
      (absl::ascii_isdigit(c) ? digits : other) = true;
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
  }
  return digits && !other;
}

absl::StatusOr<NodeSet> ParseIds(std::string_view list, NodeCount node_count) {
  NodeSet nodes(node_count);
  const char* const end = list.data() + list.size();
  for (const char* at = list.data(); at != end;) {
    if (IsSeparator(*at)) {
      ++at;
      continue;
    }
    NodeId node = 0;
    const auto [stop, error] = std::from_chars(at, end, node);
    if (error != std::errc() || node >= node_count) {
      const std::string_view id(at, static_cast<std::size_t>(stop - at));
      return absl::InvalidArgumentError(
          fmt::format("column {}: {} is not a node id (expected 0 to {})",
                      at - list.data() + 1, id.substr(0, 20), node_count - 1));
    }
    nodes.Insert(node);
    at = stop;
  }
  return nodes;
}

}  // namespace

Machine::Machine(std::string name, std::vector<std::string> names,
                 std::shared_ptr<const Topology> topology,
                 std::shared_ptr<const Room> room)
    : name_(std::move(name)),
      names_(std::move(names)),
      topology_(std::move(topology)),
      room_(std::move(room)),
      by_name_(0, NameHash{&names_}, NameEqual{&names_}) {}

absl::StatusOr<std::shared_ptr<const Machine>> Machine::Create(
    std::string name, std::vector<std::string> names,
    std::shared_ptr<const Topology> topology,
    std::shared_ptr<const Room> room) {
  if (names.size() != topology->node_count()) {
    return absl::InvalidArgumentError(
        fmt::format("{}, {} in the topology (expected one "
                    "name per node)",
                    Counted(names.size(), "node name"),
                    Counted(topology->node_count(), "node")));
  }
  if (room != nullptr && room->node_count() != names.size()) {
    return absl::InvalidArgumentError(
        fmt::format("{}, {} in the room (expected one name "
                    "per node)",
                    Counted(names.size(), "node name"),
                    Counted(room->node_count(), "node")));
  }
  const std::shared_ptr<Machine> machine(new Machine(
      std::move(name), std::move(names), std::move(topology), std::move(room)));
  machine->by_name_.reserve(machine->names_.size());
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    const std::string& node_name = machine->names_[node];
    if (node_name.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("node {}: name is empty", node));
    }
    machine->digits_are_names_ |=
        std::all_of(node_name.begin(), node_name.end(), absl::ascii_isdigit);
    if (!machine->by_name_.insert(node).second) {
      return absl::InvalidArgumentError(
          fmt::format("node name {}: specified more than once", node_name));
    }
  }
  return machine;
}

absl::StatusOr<std::shared_ptr<const Machine>> Machine::InRoom(
    std::shared_ptr<const Room> room) const {
  return Create(name_, names_, topology_, std::move(room));
}

absl::StatusOr<std::shared_ptr<const Machine>> Machine::WithIdle(
    bool on) const {
  Room::Description changed = room_->description();
  changed.idle_on = on;
  auto room = Room::Create(std::move(changed));
  if (!room.ok()) return room.status();
  return InRoom(*std::move(room));
}

std::optional<NodeId> Machine::FindNode(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return *found;
}

std::uint64_t Machine::Fingerprint() const {
  constexpr int kPairs = 4096;
  StableHash hash;
  for (const std::string& name : names_) hash.Add(name);
  if (names_.empty()) return hash.value();
  std::minstd_rand random;  // the standard fixes its sequence
  for (int i = 0; i < kPairs; ++i) {
    const NodeId a = static_cast<NodeId>(random() % names_.size());
    const NodeId b = static_cast<NodeId>(random() % names_.size());
    hash.Add(std::uint64_t{topology_->Distance(a, b)});
  }
  return hash.value();
}

absl::Status Machine::NoSuchNode(std::string_view node_name,
                                 std::string_view list) const {
  constexpr std::size_t kMaxExampleBytes = 60;
  std::string example = CompressHostlist(
      std::vector<std::string_view>(names_.begin(), names_.end()));
  if (example.size() > kMaxExampleBytes) example = names_.front();
  if (digits_are_names_) {
    return absl::InvalidArgumentError(
        fmt::format("machine {} has no node \"{}\" (expected nodes as in {})",
                    name_, node_name, example));
  }
  const std::string expected =
      fmt::format("expected nodes as in {}, or ids 0 to {} separated by commas",
                  example, node_count() - 1);
  if (HasId(list)) {
    return absl::InvalidArgumentError(
        fmt::format("names and ids cannot be mixed ({})", expected));
  }
  return absl::InvalidArgumentError(fmt::format(
      "machine {} has no node \"{}\" ({})", name_, node_name, expected));
}

absl::StatusOr<NodeSet> Machine::ParseNodes(std::string_view list) const {
  if (!digits_are_names_ && IsListOfIds(list))
    return ParseIds(list, node_count());
  NodeSet nodes(node_count());
  // Lists mostly follow the machine's order: on a million nodes, comparing with
  // the next name first saves most of the lookups.
  NodeId next = 0;
  const absl::Status status = VisitHostlist(
      list, kMaxHostlistNames,
      [this, list, &nodes, &next](std::string_view node_name) -> absl::Status {
        if (next == node_count() || names_[next] != node_name) {
          const auto found = by_name_.find(node_name);
          if (found == by_name_.end()) {
            return NoSuchNode(node_name, list);
          }
          next = *found;
        }
        nodes.Insert(next++);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return nodes;
}

std::string Machine::FormatNodes(std::span<const NodeId> nodes) const {
  std::vector<std::string_view> names;
  names.reserve(nodes.size());
  for (const NodeId node : nodes) names.push_back(names_[node]);
  return CompressHostlist(names);
}

}  // namespace coolspan
