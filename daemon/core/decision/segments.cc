// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/segments.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace coolspan {
namespace {

// Blocks that are tried for one segment: a policy may find no place in a block
// although it has enough nodes, for lack of units.
constexpr std::size_t kMaxTries = 64;

// A block that may hold a segment.
struct Candidate {
  std::uint32_t first_block = 0;  // of its base blocks
  NodeCount free = 0;
};

// The base blocks of the smallest block that holds the consolidated segments
// (eval_nodes_block of Slurm 25.11).
std::uint32_t ConsolidatedSize(const Blocks& blocks, const Request& request) {
  const NodeCount nodes = request.demand.min_nodes;
  const NodeCount segment = request.segment_nodes;
  const NodeCount whole_blocks =
      (segment - 1) / blocks.base_nodes * blocks.base_nodes + blocks.base_nodes;
  return RuleFor(blocks, request.spread_segments
                             ? nodes / segment * whole_blocks
                             : nodes)
      .block_size;
}

// Whether the base blocks can each have nodes of one segment only.
bool AreSpread(const Blocks& blocks, std::span<const NodeId> nodes,
               NodeCount segment_nodes) {
  std::size_t used = 0;
  for (auto node = nodes.begin(); node != nodes.end(); ++used) {
    const auto end = std::lower_bound(
        node, nodes.end(), blocks.first_node[BlockOf(blocks, *node) + 1]);
    if (end - node > static_cast<std::ptrdiff_t>(segment_nodes)) return false;
    node = end;
  }
  return used >= nodes.size() / segment_nodes;
}

class SegmentPlacer {
 public:
  SegmentPlacer(const Policy& policy, const MachineView& view,
                const Request& request)
      : policy_(policy),
        view_(view),
        blocks_(*view.topology().blocks()),
        request_(request),
        segments_(request.demand.min_nodes / request.segment_nodes),
        rule_(RuleFor(blocks_, request.segment_nodes)),
        end_block_(blocks_.count()),
        left_(view.available()),
        free_(blocks_.count(), 0) {
    if (segments_ > 1 && request.required.size() != 0)
      left_ &= request.required;
    KeepSpares();
  }

  std::optional<Allocation> Place(Budget& budget, Trace& trace) {
    return request_.consolidate_segments && segments_ > 1
               ? PlaceTogether(budget, trace)
               : PlaceAll(budget, trace);
  }

 private:
  // In one of the smallest blocks that have room for the job.
  std::optional<Allocation> PlaceTogether(Budget& budget, Trace& trace) {
    const std::uint32_t size = ConsolidatedSize(blocks_, request_);
    std::vector<Candidate> places =
        PlacesFor(size, [this, size](std::uint32_t block) {
          return FreeIn(block, size) >= request_.demand.min_nodes;
        });
    Request whole = request_;
    whole.segment_nodes = 0;
    PreferByPolicy(
        whole, size,
        [this, size](std::uint32_t block, NodeSet& nodes) {
          AddNodesOf(block, size, nodes);
        },
        places, budget, trace);
    const NodeSet left = left_;
    const std::vector<NodeCount> free = free_;
    const std::size_t tries = std::min(places.size(), kMaxTries);
    for (std::size_t i = 0; i < tries; ++i) {
      first_block_ = places[i].first_block;
      end_block_ = EndOf(first_block_, size);
      Budget part = budget.Part(1.0 / static_cast<double>(tries - i));
      auto allocation = PlaceAll(part, trace);
      budget.Take(part);
      if (allocation.has_value()) return allocation;
      left_ = left;
      free_ = free;
    }
    return std::nullopt;
  }

  // In the blocks from first_block_ to end_block_.
  std::optional<Allocation> PlaceAll(Budget& budget, Trace& trace) {
    Allocation allocation;
    for (NodeCount i = 0; i < segments_; ++i) {
      trace.Clear();
      Budget part = budget.Part(1.0 / static_cast<double>(segments_ - i));
      const auto segment = PlaceOne(i, part, trace);
      budget.Take(part);
      if (!segment.has_value()) return std::nullopt;
      Take(segment->nodes);
      allocation.nodes.insert(allocation.nodes.end(), segment->nodes.begin(),
                              segment->nodes.end());
    }
    std::sort(allocation.nodes.begin(), allocation.nodes.end());
    if (segments_ > 1) trace.Note("segments", std::int64_t{segments_});
    trace.Note("blocks", CountBlocks(allocation.nodes));
    return allocation;
  }

  // Removes the nodes of a segment, and whatever else no other one may use.
  void Take(std::span<const NodeId> nodes) {
    for (const NodeId node : nodes) {
      left_.Erase(node);
      --free_[BlockOf(blocks_, node)];
    }
    if (!request_.spread_segments) return;
    for (const NodeId node : nodes) {
      const std::uint32_t block = BlockOf(blocks_, node);
      if (free_[block] == 0) continue;
      free_[block] = 0;
      for (NodeId other = blocks_.first_node[block];
           other < blocks_.first_node[block + 1]; ++other) {
        left_.Erase(other);
      }
    }
  }

  std::int64_t CountBlocks(std::span<const NodeId> nodes) const {
    std::int64_t count = 0;
    std::uint32_t last = blocks_.count();
    for (const NodeId node : nodes) {
      const std::uint32_t block = BlockOf(blocks_, node);
      count += block != last ? 1 : 0;
      last = block;
    }
    return count;
  }

  // Takes the spare nodes of each base block, its last free ones, from those
  // left, and counts the rest.
  void KeepSpares() {
    for (std::uint32_t b = 0; b < blocks_.count(); ++b) {
      std::vector<NodeId> nodes;
      for (NodeId node = left_.FindNext(blocks_.first_node[b]);
           node < blocks_.first_node[b + 1]; node = left_.FindNext(node + 1)) {
        nodes.push_back(node);
      }
      const std::size_t kept =
          std::min<std::size_t>(blocks_.spare_nodes, nodes.size());
      for (std::size_t i = nodes.size() - kept; i < nodes.size(); ++i) {
        left_.Erase(nodes[i]);
      }
      free_[b] = static_cast<NodeCount>(nodes.size() - kept);
    }
  }

  std::uint32_t EndOf(std::uint32_t first_block, std::uint32_t size) const {
    return std::min(first_block + size, blocks_.count());
  }

  NodeCount FreeIn(std::uint32_t first_block, std::uint32_t size) const {
    return std::accumulate(free_.begin() + first_block,
                           free_.begin() + EndOf(first_block, size),
                           NodeCount{0});
  }

  // The parts of a block that a segment uses: as few as possible, the last one
  // as small as possible. Empty: it does not fit.
  std::vector<std::uint32_t> PartsFor(std::uint32_t first_block) const {
    struct Part {
      std::uint32_t first_block;
      NodeCount free;
    };
    std::vector<Part> parts;
    for (std::uint32_t b = first_block;
         b < EndOf(first_block, rule_.block_size) && parts.size() < rule_.parts;
         b += rule_.part_size) {
      parts.push_back({b, FreeIn(b, rule_.part_size)});
    }
    std::stable_sort(
        parts.begin(), parts.end(),
        [](const Part& a, const Part& b) { return a.free > b.free; });
    std::vector<std::uint32_t> used;
    NodeCount missing = request_.segment_nodes;
    for (auto next = parts.begin(); next != parts.end() && missing > 0;) {
      if (used.size() == rule_.max_parts || next->free == 0) return {};
      if (next->free < missing) {
        missing -= next->free;
        used.push_back((next++)->first_block);
        continue;
      }
      // Parts are sorted: the last one that holds the rest is the smallest.
      const auto end = std::partition_point(
          next, parts.end(),
          [missing](const Part& part) { return part.free >= missing; });
      used.push_back((end - 1)->first_block);
      missing = 0;
    }
    return missing == 0 ? used : std::vector<std::uint32_t>();
  }

  // Adds the available nodes of a block of that many base blocks.
  void AddNodesOf(std::uint32_t first_block, std::uint32_t size,
                  NodeSet& nodes) const {
    const NodeId end = blocks_.first_node[EndOf(first_block, size)];
    for (NodeId node = left_.FindNext(blocks_.first_node[first_block]);
         node < end; node = left_.FindNext(node + 1)) {
      nodes.Insert(node);
    }
  }

  // Adds the available nodes of a block that a segment may use.
  void AddNodesFor(std::uint32_t first_block, NodeSet& nodes) const {
    for (const std::uint32_t part : PartsFor(first_block)) {
      AddNodesOf(part, rule_.part_size, nodes);
    }
  }

  // The blocks of that many base blocks that have room, the fewest free nodes
  // first.
  template <typename HasRoom>
  std::vector<Candidate> PlacesFor(std::uint32_t size,
                                   const HasRoom& has_room) const {
    std::vector<Candidate> places;
    for (std::uint32_t b = first_block_; b < end_block_; b += size) {
      if (has_room(b)) places.push_back({b, FreeIn(b, size)});
    }
    std::stable_sort(
        places.begin(), places.end(),
        [](const Candidate& a, const Candidate& b) { return a.free < b.free; });
    return places;
  }

  // The request for one segment.
  Request RequestFor(NodeCount segment) const {
    Request request = request_;
    request.segment_nodes = 0;
    if (segments_ > 1) request.required = NodeSet();
    request.seed += segment;
    Demand& demand = request.demand;
    demand.min_nodes /= segments_;
    demand.max_nodes /= segments_;
    demand.units = (demand.units + segments_ - 1) / segments_;
    return request;
  }

  std::optional<Allocation> Ask(const Request& request, const NodeSet& nodes,
                                double share, Budget& budget,
                                Trace& trace) const {
    trace.Clear();
    if (request.required.size() != 0 && !request.required.IsSubsetOf(nodes)) {
      return std::nullopt;
    }
    Budget part = budget.Part(share);
    auto allocation = policy_.Place(view_.With(nodes), request, part, trace);
    budget.Take(part);
    return allocation;
  }

  // Moves the block that the policy prefers among the first ones, which have
  // equally many free nodes, to the front. add_nodes(block, set) adds the nodes
  // of a block of `size` base blocks that the request may use.
  template <typename AddNodes>
  void PreferByPolicy(const Request& request, std::uint32_t size,
                      const AddNodes& add_nodes, std::vector<Candidate>& places,
                      Budget& budget, Trace& trace) const {
    const auto ties = static_cast<std::size_t>(
        std::find_if(places.begin(), places.end(),
                     [&places](const Candidate& place) {
                       return place.free != places.front().free;
                     }) -
        places.begin());
    if (ties < 2) return;
    NodeSet any(left_.size(), {});
    for (std::size_t i = 0; i < ties; ++i) {
      add_nodes(places[i].first_block, any);
    }
    const auto chosen = Ask(request, any, 0.5, budget, trace);
    if (!chosen.has_value()) return;
    std::vector<NodeCount> votes(blocks_.count() / size + 1, 0);
    for (const NodeId node : chosen->nodes) {
      ++votes[BlockOf(blocks_, node) / size];
    }
    const auto most = std::max_element(
        places.begin(), places.begin() + static_cast<std::ptrdiff_t>(ties),
        [&](const Candidate& a, const Candidate& b) {
          return votes[a.first_block / size] < votes[b.first_block / size];
        });
    std::rotate(places.begin(), most, most + 1);
  }

  std::optional<Allocation> PlaceOne(NodeCount segment, Budget& budget,
                                     Trace& trace) const {
    const Request request = RequestFor(segment);
    std::vector<Candidate> places =
        PlacesFor(rule_.block_size, [this](std::uint32_t block) {
          return FreeIn(block, rule_.block_size) >= request_.segment_nodes &&
                 !PartsFor(block).empty();
        });
    if (places.empty()) return std::nullopt;
    PreferByPolicy(
        request, rule_.block_size,
        [this](std::uint32_t block, NodeSet& nodes) {
          AddNodesFor(block, nodes);
        },
        places, budget, trace);
    const std::size_t tries = std::min(places.size(), kMaxTries);
    for (std::size_t i = 0; i < tries; ++i) {
      NodeSet nodes(left_.size(), {});
      AddNodesFor(places[i].first_block, nodes);
      auto allocation = Ask(
          request, nodes, 1.0 / static_cast<double>(tries - i), budget, trace);
      if (allocation.has_value()) return allocation;
    }
    return std::nullopt;
  }

  const Policy& policy_;
  const MachineView& view_;
  const Blocks& blocks_;
  const Request& request_;
  const NodeCount segments_;
  const BlockRule rule_;
  // The blocks in which segments are placed.
  std::uint32_t first_block_ = 0;
  std::uint32_t end_block_;
  NodeSet left_;
  std::vector<NodeCount> free_;  // by base block, of left_
};

}  // namespace

std::string_view ReasonAgainstSegments(const Topology& topology,
                                       const Request& request) {
  const Blocks* const blocks = topology.blocks();
  if (blocks == nullptr) {
    return "segments are requested, and the machine has no blocks (expected "
           "topology.kind: blocks)";
  }
  if (request.demand.min_nodes % request.segment_nodes != 0) {
    return "the nodes are no multiple of the segment";
  }
  if (request.required.size() != 0 &&
      request.demand.min_nodes != request.segment_nodes &&
      request.demand.min_nodes > request.required.Count()) {
    return "some nodes, not all, are required of a job with several segments";
  }
  return {};
}

std::optional<Allocation> PlaceSegments(const Policy& policy,
                                        const MachineView& view,
                                        const Request& request, Budget& budget,
                                        Trace& trace) {
  return SegmentPlacer(policy, view, request).Place(budget, trace);
}

bool AreSegments(const Blocks& blocks, std::span<const NodeId> nodes,
                 const Request& request) {
  const NodeCount segment_nodes = request.segment_nodes;
  const BlockRule rule = RuleFor(blocks, segment_nodes);
  if (request.spread_segments && !AreSpread(blocks, nodes, segment_nodes)) {
    return false;
  }
  if (request.consolidate_segments && !nodes.empty()) {
    const std::uint32_t size = ConsolidatedSize(blocks, request);
    if (BlockOf(blocks, nodes.front()) / size !=
        BlockOf(blocks, nodes.back()) / size) {
      return false;
    }
  }
  const auto end_of = [&blocks](std::uint32_t block, std::uint32_t size) {
    return blocks.first_node[std::min(block + size, blocks.count())];
  };
  auto node = nodes.begin();
  for (std::uint32_t b = 0; b < blocks.count() && node != nodes.end();
       b += rule.block_size) {
    std::size_t in_block = 0;
    std::size_t parts = 0;
    for (std::uint32_t part = b;
         part < std::min(b + rule.block_size, blocks.count());
         part += rule.part_size) {
      const auto end =
          std::lower_bound(node, nodes.end(), end_of(part, rule.part_size));
      in_block += static_cast<std::size_t>(end - node);
      parts += end != node ? 1 : 0;
      node = end;
    }
    if (in_block % segment_nodes != 0 ||
        parts > rule.max_parts * (in_block / segment_nodes)) {
      return false;
    }
  }
  return node == nodes.end();
}

}  // namespace coolspan
