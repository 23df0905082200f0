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

// Proven bound on the minimum locality cost (ordering_cost.h) of all orderings.
struct OrderingProof {
  bool ring = false;  // for the ring form of the cost
  double bound = 0;   // lower bound on the cost of all orderings
  double gap = 0;     // (cost - bound) / cost; 0 if proved optimal
  bool proved = false;
};

// Nodes in rank order, with a proof if there is one.
struct OrderedNodes {
  // NOLINTNEXTLINE(google-explicit-constructor): most prove nothing.
  OrderedNodes(std::vector<NodeId> ordered) : nodes(std::move(ordered)) {}
  OrderedNodes(std::vector<NodeId> ordered, const OrderingProof& ordering_proof)
      : nodes(std::move(ordered)), proof(ordering_proof) {}

  std::vector<NodeId> nodes;
  std::optional<OrderingProof> proof;
};

// A permutation of a machine's nodes. The rank of a node is its place in it.
// Immutable, thread-safe.
class Ordering {
 public:
  // node_at_rank: each node of [0, node_count) once.
  // Errors: INVALID_ARGUMENT naming the first node unknown or repeated.
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
  // Set for orderings by mip.
  const std::optional<OrderingProof>& proof() const { return proof_; }

 private:
  Ordering(std::string name, std::vector<NodeId> node_at_rank,
           std::vector<Rank> rank_of_node, std::optional<OrderingProof> proof);

  std::string name_;
  std::vector<NodeId> node_at_rank_;
  std::vector<Rank> rank_of_node_;
  std::optional<OrderingProof> proof_;
};

// An entry of the table of orderings (table.cc). To add an ordering, add a file
// and an entry. argument of make: the text after the colon in "file:PATH".
struct OrderingEntry {
  std::string_view name;  // "hilbert"; a trailing colon: takes an argument
  std::string_view help;
  absl::StatusOr<OrderedNodes> (*make)(const Machine& machine,
                                       std::string_view argument);
  std::string_view argument = {};  // placeholder in help texts, "PATH"
};
std::span<const OrderingEntry> OrderingTable();

// spec: a name of the table, with an argument if it takes one; empty: hilbert
// if the topology has coordinates, else spectral. Errors: INVALID_ARGUMENT for
// an unknown name (lists the known ones), a topology that the ordering does not
// support, an invalid file (with its line).
absl::StatusOr<std::shared_ptr<const Ordering>> MakeOrdering(
    const Machine& machine, std::string_view spec);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_ORDERING_H_
