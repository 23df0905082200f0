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
        left_(view.available()),
        free_(blocks_.count(), 0) {
    KeepSpares();
  }

  std::optional<Allocation> Place(Budget& budget, Trace& trace) {
    Allocation allocation;
    for (NodeCount i = 0; i < segments_; ++i) {
      trace.Clear();
      Budget part = budget.Part(1.0 / static_cast<double>(segments_ - i));
      const auto segment = PlaceOne(i, part, trace);
      budget.Take(part);
      if (!segment.has_value()) return std::nullopt;
      for (const NodeId node : segment->nodes) {
        left_.Erase(node);
        --free_[BlockOf(blocks_, node)];
      }
      allocation.nodes.insert(allocation.nodes.end(), segment->nodes.begin(),
                              segment->nodes.end());
    }
    std::sort(allocation.nodes.begin(), allocation.nodes.end());
    if (segments_ > 1) trace.Note("segments", std::int64_t{segments_});
    trace.Note("blocks", CountBlocks(allocation.nodes));
    return allocation;
  }

 private:
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
         b < EndOf(first_block, rule_.block_size); b += rule_.part_size) {
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

  // Adds the available nodes of a block that a segment may use.
  void AddNodesFor(std::uint32_t first_block, NodeSet& nodes) const {
    for (const std::uint32_t part : PartsFor(first_block)) {
      const NodeId end = blocks_.first_node[EndOf(part, rule_.part_size)];
      for (NodeId node = left_.FindNext(blocks_.first_node[part]); node < end;
           node = left_.FindNext(node + 1)) {
        nodes.Insert(node);
      }
    }
  }

  // Those with room for a segment, the fewest free nodes first.
  std::vector<Candidate> Places() const {
    std::vector<Candidate> places;
    for (std::uint32_t b = 0; b < blocks_.count(); b += rule_.block_size) {
      const NodeCount free = FreeIn(b, rule_.block_size);
      if (free >= request_.segment_nodes && !PartsFor(b).empty()) {
        places.push_back({b, free});
      }
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
  // equally many free nodes, to the front.
  void PreferByPolicy(const Request& request, std::vector<Candidate>& places,
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
      AddNodesFor(places[i].first_block, any);
    }
    const auto chosen = Ask(request, any, 0.5, budget, trace);
    if (!chosen.has_value()) return;
    std::vector<NodeCount> votes(blocks_.count() / rule_.block_size + 1, 0);
    for (const NodeId node : chosen->nodes) {
      ++votes[BlockOf(blocks_, node) / rule_.block_size];
    }
    const auto most = std::max_element(
        places.begin(), places.begin() + static_cast<std::ptrdiff_t>(ties),
        [&](const Candidate& a, const Candidate& b) {
          return votes[a.first_block / rule_.block_size] <
                 votes[b.first_block / rule_.block_size];
        });
    std::rotate(places.begin(), most, most + 1);
  }

  std::optional<Allocation> PlaceOne(NodeCount segment, Budget& budget,
                                     Trace& trace) const {
    const Request request = RequestFor(segment);
    std::vector<Candidate> places = Places();
    if (places.empty()) return std::nullopt;
    PreferByPolicy(request, places, budget, trace);
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
      request.demand.min_nodes != request.segment_nodes) {
    return "nodes are required of a job with several segments";
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
                 NodeCount segment_nodes) {
  const BlockRule rule = RuleFor(blocks, segment_nodes);
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
