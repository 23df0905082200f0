// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_MACHINE_H_
#define COOLSPAN_CORE_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "core/node_set.h"
#include "core/room.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The nodes of a machine by name, their topology and, if known, the room they
// stand in. Immutable, thread-safe.
class Machine {
 public:
  // names: in NodeId order, one per node of the topology.
  // room: nullptr if unknown.
  // Errors: INVALID_ARGUMENT for a number of names other than the number of
  // nodes of the topology or the room, and for an empty or repeated name.
  static absl::StatusOr<std::shared_ptr<const Machine>> Create(
      std::string name, std::vector<std::string> names,
      std::shared_ptr<const Topology> topology,
      std::shared_ptr<const Room> room = nullptr);

  const std::string& name() const { return name_; }
  NodeCount node_count() const { return static_cast<NodeCount>(names_.size()); }
  const std::string& NodeName(NodeId node) const { return names_[node]; }
  std::optional<NodeId> FindNode(std::string_view name) const;
  const Topology& topology() const { return *topology_; }
  const std::shared_ptr<const Room>& room() const { return room_; }

  // The same machine with another room; nullptr: with none. Errors: as Create.
  absl::StatusOr<std::shared_ptr<const Machine>> InRoom(
      std::shared_ptr<const Room> room) const;
  // The same machine with Room::Description::idle_on changed. REQUIRES a room.
  // Errors: as Create.
  absl::StatusOr<std::shared_ptr<const Machine>> WithIdle(bool on) const;

  // Equal for machines with the same node names in the same order and the same
  // distances, of which a sample of 4,096 pairs is hashed. O(nodes).
  std::uint64_t Fingerprint() const;

  // Parses a Slurm hostlist, or ids separated by commas: numbers are ids unless
  // some node has a name of digits only. Empty text: empty set.
  // Errors: INVALID_ARGUMENT naming the first unknown node or a syntax error.
  absl::StatusOr<NodeSet> ParseNodes(std::string_view list) const;
  // Compressed hostlist of the nodes, in the machine's order.
  std::string FormatNodes(std::span<const NodeId> nodes) const;

 private:
  Machine(std::string name, std::vector<std::string> names,
          std::shared_ptr<const Topology> topology,
          std::shared_ptr<const Room> room);
  // The error of ParseNodes(list), in which this name is unknown.
  absl::Status NoSuchNode(std::string_view node_name,
                          std::string_view list) const;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Finds ids by name without a copy of the names: on a million nodes this set
  // takes 10 bytes per node, a map from string_view 50.
  struct NameHash {
    using is_transparent = void;
    const std::vector<std::string>* names;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
    std::size_t operator()(NodeId node) const {
      return (*this)((*names)[node]);
    }
  };
  struct NameEqual {
    using is_transparent = void;
    const std::vector<std::string>* names;
    std::string_view Name(std::string_view name) const { return name; }
    std::string_view Name(NodeId node) const { return (*names)[node]; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Name(a) == Name(b);
    }
  };

  std::string name_;
  std::vector<std::string> names_;
  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<const Room> room_;
  bool digits_are_names_ = false;  // some name is digits only
  absl::flat_hash_set<NodeId, NameHash, NameEqual> by_name_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_MACHINE_H_
