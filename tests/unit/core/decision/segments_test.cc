// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "unit/core/allocate_calls.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Nodes in a row, in blocks.
class BlockLine final : public Topology {
 public:
  explicit BlockLine(Blocks blocks)
      : line_(blocks.first_node.back()), blocks_(std::move(blocks)) {}
  std::string_view kind() const override { return "blocks"; }
  NodeCount node_count() const override { return line_.node_count(); }
  VertexId vertex_count() const override { return line_.vertex_count(); }
  VertexId VertexOf(NodeId node) const override { return node; }
  NodeRange NodesAt(VertexId vertex) const override { return {vertex, 1}; }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    return line_.VertexDistance(a, b);
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    line_.AppendNeighbours(vertex, out);
  }
  const Blocks* blocks() const override { return &blocks_; }

 private:
  LineTopology line_;
  Blocks blocks_;
};

Blocks EqualBlocks(std::uint32_t count, NodeCount nodes,
                   std::vector<std::uint32_t> sizes = {1},
                   NodeCount spare = 0) {
  Blocks blocks;
  for (std::uint32_t b = 0; b <= count; ++b) {
    blocks.first_node.push_back(b * nodes);
  }
  blocks.base_nodes = nodes;
  blocks.sizes = std::move(sizes);
  blocks.spare_nodes = spare;
  return blocks;
}

std::shared_ptr<const Machine> MachineOf(Blocks blocks) {
  std::vector<std::string> names;
  for (NodeId node = 0; node < blocks.first_node.back(); ++node) {
    names.push_back("n" + std::to_string(node));
  }
  return *Machine::Create("blocks", std::move(names),
                          std::make_shared<BlockLine>(std::move(blocks)));
}

// The highest available nodes.
class HighestFree final : public Policy {
 public:
  std::string_view name() const override { return "highest-free"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget&,
                                  Trace&) const override {
    std::vector<NodeId> free = view.available().Members();
    const NodeCount nodes = request.demand.min_nodes;
    if (free.size() < nodes) return std::nullopt;
    free.erase(free.begin(), free.end() - nodes);
    return Allocation{std::move(free)};
  }
};

Request Segments(NodeCount nodes, NodeCount segment_nodes) {
  Request request;
  request.demand = Demand::Nodes(nodes);
  request.segment_nodes = segment_nodes;
  return request;
}

std::vector<NodeId> Place(const Machine& machine, const Policy& policy,
                          const std::vector<NodeId>& free,
                          const Request& request) {
  const NodeSet available(machine.node_count(), free);
  const UnitsByNode units(std::vector<Units>(machine.node_count(), 1));
  Budget budget;
  Trace trace;
  const auto allocation =
      PlaceSegments(policy, MachineView(machine, available, &units, 0), request,
                    budget, trace);
  return allocation.has_value() ? allocation->nodes : std::vector<NodeId>();
}

std::vector<NodeId> UpTo(NodeId end) {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < end; ++node) nodes.push_back(node);
  return nodes;
}

TEST(BlockRuleTest, TheSmallestBlockThatHoldsTheNodes) {
  const Blocks blocks = EqualBlocks(8, 18, {1, 2, 8});
  const auto rule = [&blocks](NodeCount nodes) {
    const BlockRule found = RuleFor(blocks, nodes);
    return std::vector<std::uint32_t>{found.block_size, found.part_size,
                                      found.max_parts};
  };
  EXPECT_THAT(rule(1), ElementsAre(1, 1, 1));
  EXPECT_THAT(rule(18), ElementsAre(1, 1, 1));
  EXPECT_THAT(rule(19), ElementsAre(2, 1, 2));
  EXPECT_THAT(rule(36), ElementsAre(2, 1, 2));
  EXPECT_THAT(rule(37), ElementsAre(8, 2, 2));
  EXPECT_THAT(rule(144), ElementsAre(8, 2, 4));
  // More than the largest block.
  EXPECT_THAT(rule(145), ElementsAre(8, 8, 2));
}

TEST(SegmentsTest, TheFullestBlockWithRoomIsUsed) {
  const auto machine = MachineOf(EqualBlocks(3, 4));
  // Free: 4, 2 and 3 nodes.
  const std::vector<NodeId> free = {0, 1, 2, 3, 4, 6, 9, 10, 11};
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(2, 2)),
              ElementsAre(4, 6));
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(3, 3)),
              ElementsAre(9, 10, 11));
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(4, 4)),
              ElementsAre(0, 1, 2, 3));
  // More than a block has: at most two of them.
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(6, 6)),
              ElementsAre(0, 1, 2, 3, 4, 6));
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(8, 8)), IsEmpty());
}

TEST(SegmentsTest, EachSegmentIsWithinABlock) {
  const auto machine = MachineOf(EqualBlocks(3, 4));
  const std::vector<NodeId> free = {0, 1, 2, 3, 4, 6, 9, 10, 11};
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(4, 2)),
              ElementsAre(4, 6, 9, 10));
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(8, 2)),
              ElementsAre(0, 1, 2, 3, 4, 6, 9, 10));
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(9, 3)), IsEmpty());
}

TEST(SegmentsTest, ThePolicyChoosesAmongEqualBlocks) {
  const auto machine = MachineOf(EqualBlocks(3, 4));
  EXPECT_THAT(Place(*machine, HighestFree(), UpTo(12), Segments(2, 2)),
              ElementsAre(10, 11));
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(12), Segments(2, 2)),
              ElementsAre(0, 1));
}

TEST(SegmentsTest, LargeSegmentsUseFewParts) {
  // Pairs of blocks of 4.
  const auto machine = MachineOf(EqualBlocks(4, 4, {1, 2}));
  // Free: 3 + 3 and 4 + 2.
  const std::vector<NodeId> free = {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(6, 6)),
              ElementsAre(0, 1, 2, 5, 6, 7));
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(7, 7)), IsEmpty());
  // 12 nodes: no block has as many, so all blocks; at most 2 of the pairs.
  EXPECT_THAT(Place(*machine, LowestFree(), free, Segments(12, 12)),
              ElementsAre(0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13));
}

TEST(SegmentsTest, TooManyPartsAreNotUsed) {
  // One block of 4 base blocks of 4; a segment of 9 may use 3 of them.
  const auto machine = MachineOf(EqualBlocks(4, 4, {1, 4}));
  EXPECT_THAT(Place(*machine, LowestFree(), {0, 1, 4, 5, 8, 9, 10, 12, 13},
                    Segments(9, 9)),
              IsEmpty());
  EXPECT_THAT(Place(*machine, LowestFree(),
                    {0, 1, 4, 5, 6, 8, 9, 10, 12, 13, 14}, Segments(9, 9)),
              ElementsAre(4, 5, 6, 8, 9, 10, 12, 13, 14));
}

// Slurm refuses it, as a last pair without its second block does not count.
TEST(SegmentsTest, AnIncompleteLastPartIsNotUsedByTheLargestJobs) {
  const auto machine = MachineOf(EqualBlocks(5, 4, {1, 2}));
  EXPECT_THAT(Place(*machine, HighestFree(), UpTo(20), Segments(12, 12)),
              ElementsAre(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  std::vector<NodeId> free = UpTo(20);
  free.erase(free.begin(), free.begin() + 8);
  EXPECT_THAT(Place(*machine, HighestFree(), free, Segments(12, 12)),
              IsEmpty());
  // A job that fits in a pair may be in the last one.
  EXPECT_THAT(Place(*machine, HighestFree(), {16, 17, 18}, Segments(3, 3)),
              ElementsAre(16, 17, 18));
}

TEST(SegmentsTest, SpareNodesAreKept) {
  const auto machine = MachineOf(EqualBlocks(2, 4, {1}, 1));
  EXPECT_THAT(Place(*machine, HighestFree(), UpTo(8), Segments(3, 3)),
              ElementsAre(4, 5, 6));
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(8), Segments(4, 4)),
              IsEmpty());
  EXPECT_THAT(Place(*machine, LowestFree(), {0, 4, 5}, Segments(1, 1)),
              ElementsAre(4));
}

TEST(SegmentsTest, RequiredNodesDecideTheBlock) {
  const auto machine = MachineOf(EqualBlocks(3, 4));
  Request request = Segments(3, 3);
  request.required = NodeSet(12, std::vector<NodeId>{5, 7});
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(12), request),
              ElementsAre(4, 5, 7));
  request.required = NodeSet(12, std::vector<NodeId>{3, 4});
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(12), request), IsEmpty());
}

TEST(SegmentsTest, WhatCanNeverBePlaced) {
  const auto blocks = MachineOf(EqualBlocks(3, 4));
  EXPECT_THAT(ReasonAgainstSegments(blocks->topology(), Segments(4, 2)),
              IsEmpty());
  EXPECT_THAT(ReasonAgainstSegments(blocks->topology(), Segments(4, 3)),
              HasSubstr("multiple"));
  EXPECT_THAT(ReasonAgainstSegments(LineMachine(4)->topology(), Segments(4, 2)),
              HasSubstr("no blocks"));
  Request request = Segments(4, 2);
  request.required = NodeSet(12, std::vector<NodeId>{5});
  EXPECT_THAT(ReasonAgainstSegments(blocks->topology(), request),
              HasSubstr("required"));
}

TEST(SegmentsTest, AllNodesMayBeRequired) {
  const auto machine = MachineOf(EqualBlocks(3, 4));
  Request request = Segments(4, 2);
  request.required = NodeSet(12, std::vector<NodeId>{1, 3, 8, 9});
  EXPECT_THAT(ReasonAgainstSegments(machine->topology(), request), IsEmpty());
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(12), request),
              ElementsAre(1, 3, 8, 9));
  request.required = NodeSet(12, std::vector<NodeId>{1, 4, 8, 9});
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(12), request), IsEmpty());
}

TEST(SegmentsTest, SpreadSegmentsShareNoBlock) {
  const auto machine = MachineOf(EqualBlocks(4, 4, {1, 2}));
  Request request = Segments(4, 2);
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(16), request),
              ElementsAre(0, 1, 2, 3));
  request.spread_segments = true;
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(16), request),
              ElementsAre(0, 1, 4, 5));
  // Room for three segments, in two blocks.
  request.demand = Demand::Nodes(6);
  EXPECT_THAT(Place(*machine, LowestFree(), {0, 1, 2, 3, 4, 5}, request),
              IsEmpty());
  // A segment of more than a base block has takes both blocks of a pair.
  Request large = Segments(12, 6);
  large.spread_segments = true;
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(16), large),
              ElementsAre(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13));
}

TEST(SegmentsTest, ConsolidatedSegmentsAreInTheSmallestBlock) {
  const Blocks blocks = EqualBlocks(8, 4, {1, 2, 4});
  const auto machine = MachineOf(blocks);
  // Segments of 2: three blocks have just that many free nodes, but no pair of
  // blocks has all the 6 nodes, except for the last.
  const std::vector<NodeId> free = {0, 1, 8, 9, 16, 17, 24, 25, 26, 27, 28, 29};
  Request request = Segments(6, 2);
  EXPECT_THAT(Place(*machine, LowestFree(), free, request),
              ElementsAre(0, 1, 8, 9, 16, 17));
  request.consolidate_segments = true;
  EXPECT_THAT(Place(*machine, LowestFree(), free, request),
              ElementsAre(24, 25, 26, 27, 28, 29));
  // The pair with the fewest free nodes.
  std::vector<NodeId> more = free;
  for (NodeId node = 0; node < 8; ++node) more.push_back(node);
  std::sort(more.begin(), more.end());
  more.erase(std::unique(more.begin(), more.end()), more.end());
  EXPECT_THAT(Place(*machine, LowestFree(), more, request),
              ElementsAre(24, 25, 26, 27, 28, 29));
  // Spread as well: the smallest block with room for the whole blocks of 3
  // segments is one of 4.
  request.spread_segments = true;
  EXPECT_THAT(Place(*machine, LowestFree(), more, request),
              ElementsAre(16, 17, 24, 25, 28, 29));
  EXPECT_THAT(Place(*machine, LowestFree(), UpTo(16), request),
              ElementsAre(0, 1, 4, 5, 8, 9));
  // More nodes than the largest block has: all blocks are one.
  request = Segments(20, 2);
  request.consolidate_segments = true;
  EXPECT_EQ(Place(*machine, LowestFree(), UpTo(20), request), UpTo(20));
}

// The policy chooses among blocks with equally many free nodes.
TEST(SegmentsTest, ThePolicyChoosesTheBlockOfConsolidatedSegments) {
  const auto machine = MachineOf(EqualBlocks(8, 4, {1, 2}));
  Request request = Segments(6, 2);
  request.consolidate_segments = true;
  EXPECT_THAT(Place(*machine, HighestFree(), UpTo(32), request),
              ElementsAre(26, 27, 28, 29, 30, 31));
}

// Against all ways to take segments of a random machine: spread over base
// blocks, in one pair of blocks, both and neither.
TEST(SegmentsTest, PlacedExactlyIfThereIsRoomForSpreadAndConsolidated) {
  std::mt19937 random(11);
  const auto below = [&random](NodeCount end) {
    return static_cast<NodeCount>(random() % end);
  };
  int placed = 0;
  for (int i = 0; i < 2000; ++i) {
    const NodeCount block = 2 + below(5);
    const Blocks blocks = EqualBlocks(6, block, {1, 2});
    const auto machine = MachineOf(blocks);
    Request request = Segments(0, 1 + below(block));
    const NodeCount segments = 2 + below(3);
    request.demand = Demand::Nodes(request.segment_nodes * segments);
    request.spread_segments = below(2) == 0;
    request.consolidate_segments = below(2) == 0;
    std::vector<NodeId> free;
    std::vector<NodeCount> room_in(6, 0);
    for (NodeId node = 0; node < machine->node_count(); ++node) {
      if (below(4) == 0) continue;
      free.push_back(node);
      ++room_in[node / block];
    }
    for (NodeCount& nodes : room_in) {
      nodes /= request.segment_nodes;
      if (request.spread_segments) nodes = std::min<NodeCount>(nodes, 1);
    }
    const NodeCount held =
        request.spread_segments ? segments * block : request.demand.min_nodes;
    const std::size_t group = !request.consolidate_segments ? 6
                              : held <= block               ? 1
                              : held <= 2 * block           ? 2
                                                            : 6;
    NodeCount room = 0;
    for (std::size_t b = 0; b < room_in.size(); b += group) {
      NodeCount sum = 0;
      for (std::size_t j = b; j < b + group; ++j) sum += room_in[j];
      room = std::max(room, sum);
    }
    const auto nodes = Place(*machine, LowestFree(), free, request);
    ASSERT_EQ(nodes.empty(), room < segments) << i;
    if (nodes.empty()) continue;
    ++placed;
    ASSERT_EQ(nodes.size(), request.demand.min_nodes) << i;
    ASSERT_TRUE(AreSegments(blocks, nodes, request)) << i;
    ASSERT_TRUE(
        std::includes(free.begin(), free.end(), nodes.begin(), nodes.end()))
        << i;
  }
  EXPECT_GT(placed, 500);
}

// Of all sets of free nodes: the answer is segments, and there is one exactly
// if the blocks have room for that many.
TEST(SegmentsTest, PlacedExactlyIfThereIsRoom) {
  std::mt19937 random(7);
  const auto below = [&random](NodeCount end) {
    return static_cast<NodeCount>(random() % end);
  };
  int placed = 0;
  for (int i = 0; i < 2000; ++i) {
    const NodeCount block = 2 + below(6);
    const std::uint32_t count = 1 + below(6);
    const Blocks blocks = EqualBlocks(count, block);
    const auto machine = MachineOf(blocks);
    const NodeCount segment = 1 + below(block);
    const NodeCount segments = 1 + below(4);
    std::vector<NodeId> free;
    std::vector<NodeCount> free_in(count, 0);
    for (NodeId node = 0; node < machine->node_count(); ++node) {
      if (below(3) == 0) continue;
      free.push_back(node);
      ++free_in[node / block];
    }
    NodeCount room = 0;
    for (const NodeCount nodes : free_in) room += nodes / segment;
    const auto nodes = Place(*machine, LowestFree(), free,
                             Segments(segment * segments, segment));
    ASSERT_EQ(nodes.empty(), room < segments) << i;
    if (nodes.empty()) continue;
    ++placed;
    ASSERT_EQ(nodes.size(), segment * segments) << i;
    ASSERT_TRUE(AreSegments(blocks, nodes, Segments(0, segment))) << i;
    ASSERT_TRUE(
        std::includes(free.begin(), free.end(), nodes.begin(), nodes.end()))
        << i;
  }
  EXPECT_GT(placed, 500);
}

TEST(SegmentsTest, NodesOfTwoBlocksAreNoSegment) {
  const Blocks blocks = EqualBlocks(4, 4, {1, 2});
  const auto are = [&blocks](std::vector<NodeId> nodes, NodeCount segment) {
    return AreSegments(blocks, nodes,
                       Segments(static_cast<NodeCount>(nodes.size()), segment));
  };
  EXPECT_TRUE(are({0, 1, 14, 15}, 2));
  EXPECT_FALSE(are({0, 1, 2, 15}, 2));
  EXPECT_FALSE(are({3, 4}, 2));
  // Six nodes: a pair of blocks.
  EXPECT_TRUE(are({0, 1, 2, 5, 6, 7}, 6));
  EXPECT_FALSE(are({2, 3, 4, 5, 8, 9}, 6));
}

TEST(SegmentsTest, SpreadAndConsolidatedNodesAreChecked) {
  const Blocks blocks = EqualBlocks(4, 4, {1, 2});
  Request request = Segments(4, 2);
  request.spread_segments = true;
  EXPECT_TRUE(AreSegments(blocks, std::vector<NodeId>{0, 1, 14, 15}, request));
  EXPECT_FALSE(AreSegments(blocks, std::vector<NodeId>{0, 1, 2, 3}, request));
  request.consolidate_segments = true;
  EXPECT_FALSE(AreSegments(blocks, std::vector<NodeId>{0, 1, 14, 15}, request));
  EXPECT_TRUE(AreSegments(blocks, std::vector<NodeId>{0, 1, 6, 7}, request));
  request.spread_segments = false;
  EXPECT_FALSE(AreSegments(blocks, std::vector<NodeId>{0, 1, 6, 7}, request));
  EXPECT_TRUE(AreSegments(blocks, std::vector<NodeId>{4, 5, 6, 7}, request));
}

TEST(SegmentsTest, TheAllocatorKeepsThem) {
  Allocator allocator(MachineOf(EqualBlocks(3, 4)));
  const LowestFree policy;
  const auto place = [&](std::uint32_t job, Request request,
                         std::vector<Tier> tiers = {}) {
    AllocateCall call;
    call.job = {job, 0};
    call.request = std::move(request);
    call.tiers = std::move(tiers);
    Budget budget;
    return *allocator.Allocate(call, {policy}, budget);
  };
  EXPECT_THAT(place(1, Segments(3, 3))->allocation.nodes, ElementsAre(0, 1, 2));
  EXPECT_THAT(place(2, Segments(2, 2))->allocation.nodes, ElementsAre(4, 5));
  // Block 0 has 1 free node, block 1 has 2, block 2 has 4: the preferred nodes
  // are in two blocks.
  const auto tiered =
      place(3, Segments(3, 3), {1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1});
  EXPECT_THAT(tiered->allocation.nodes, ElementsAre(8, 9, 10));
  const auto too_large = place(4, Segments(4, 2));
  EXPECT_FALSE(too_large->placed);
  EXPECT_EQ(too_large->reason, "the policy found no place");
}

}  // namespace
}  // namespace coolspan
