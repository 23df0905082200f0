// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_ORDERING_H_
#define COOLSPAN_ORDERING_ORDERING_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/types.h"

namespace coolspan {

// How near an ordering is to the least locality cost there is (locality.h).
struct OrderingProof {
  bool ring = false;  // of the ring form
  double bound = 0;   // no ordering costs less
  double gap = 0;     // (cost - bound) / cost; 0 where proved
  bool proved = false;
};

// Nodes in rank order, and what is proved of them.
struct OrderedNodes {
  // NOLINTNEXTLINE(google-explicit-constructor): most prove nothing.
  OrderedNodes(std::vector<NodeId> ordered) : nodes(std::move(ordered)) {}
  OrderedNodes(std::vector<NodeId> ordered, const OrderingProof& what)
      : nodes(std::move(ordered)), proof(what) {}

  std::vector<NodeId> nodes;
  std::optional<OrderingProof> proof;
};

// A permutation of a machine's nodes; a node's rank is its place in it.
// Immutable, thread-safe.
class Ordering {
 public:
  // node_at_rank: each node of [0, node_count) once.
  // Errors: INVALID_ARGUMENT naming the first node missing or repeated.
  static absl::StatusOr<Ordering> Create(
      std::string name, std::vector<NodeId> node_at_rank,
      std::optional<OrderingProof> proof = std::nullopt);

  const std::string& name() const { return name_; }
  NodeCount size() const {
    return static_cast<NodeCount>(node_at_rank_.size());
  }
  NodeId NodeAt(Rank rank) const { return node_at_rank_[rank]; }
  Rank RankOf(NodeId node) const { return rank_of_node_[node]; }
  std::span<const NodeId> nodes() const { return node_at_rank_; }
  // Absent where the ordering is no solution of mip.
  const std::optional<OrderingProof>& proof() const { return proof_; }

 private:
  Ordering(std::string name, std::vector<NodeId> node_at_rank,
           std::vector<Rank> rank_of_node, std::optional<OrderingProof> proof);

  std::string name_;
  std::vector<NodeId> node_at_rank_;
  std::vector<Rank> rank_of_node_;
  std::optional<OrderingProof> proof_;
};

// One line of the table of orderings (table.cc): a new one is one file and one
// line there. make's argument is what stands behind the colon in "file:PATH".
struct OrderingEntry {
  std::string_view name;  // "hilbert"; a trailing colon: takes an argument
  std::string_view help;
  absl::StatusOr<OrderedNodes> (*make)(const Machine& machine,
                                       std::string_view argument);
  std::string_view argument = {};  // as users are shown it, "PATH"
};
std::span<const OrderingEntry> OrderingTable();

// spec: a name of the table, with its argument where it takes one, or empty for
// the default: hilbert where the topology has coordinates, else spectral.
// Errors: INVALID_ARGUMENT (unknown name, with the known ones; a topology the
// ordering does not apply to; a bad file, with its line).
absl::StatusOr<std::shared_ptr<const Ordering>> MakeOrdering(
    const Machine& machine, std::string_view spec);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_ORDERING_H_
