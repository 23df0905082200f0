// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the mapping that take long for some patterns end with their budget.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "mapping/graph_cut.h"
#include "mapping/rank_swaps.h"
#include "mesh_machine.h"

namespace coolspan {
namespace {

RankGraph GraphOf(std::uint32_t ranks, const std::vector<RankVolume>& edges) {
  const auto pattern = CommPattern::Create(ranks, edges);
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  return RankGraph(**pattern, ranks);
}

// Rank 0 talks to all others.
RankGraph Star(std::uint32_t ranks) {
  std::vector<RankVolume> edges;
  for (TaskRank rank = 1; rank < ranks; ++rank)
    edges.push_back({0, rank, 1.0 + rank});
  return GraphOf(ranks, edges);
}

RankGraph Random(std::uint32_t ranks, std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<RankVolume> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<TaskRank>(random() % (ranks - 1));
    const auto to =
        static_cast<TaskRank>(from + 1 + random() % (ranks - from - 1));
    edges.push_back({from, to, 1});
  }
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [](const auto& a, const auto& b) {
                            return a.from == b.from && a.to == b.to;
                          }),
              edges.end());
  return GraphOf(ranks, edges);
}

std::vector<bool> Cut(const RankGraph& graph, Budget& budget) {
  std::vector<TaskRank> ranks(graph.size());
  std::iota(ranks.begin(), ranks.end(), TaskRank{0});
  std::vector<std::uint32_t> index_of(ranks.begin(), ranks.end());
  const std::vector<double> pull(graph.size(), 0);
  return CutRanks(graph, ranks, index_of, pull, graph.size() / 2, 1, budget);
}

bool IsInOrder(const std::vector<bool>& is_second) {
  return std::is_sorted(is_second.begin(), is_second.end());
}

// Rank 0 could be swapped with each of thousands of ranks on each site near its
// partners, and each swap costs the edges of all its partners.
TEST(BoundedSearchTest, SwapsEndWithinOneRank) {
  constexpr std::uint32_t kRanks = 4000;
  const RankGraph graph = Star(kRanks);
  const auto machine = MeshMachine(FlatGrid({8}));
  const std::vector<NodeId> nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  const Sites sites(machine->topology(), nodes);
  std::vector<SiteId> before(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    before[rank] = rank * 8 / kRanks;
  std::vector<SiteId> after = before;
  Budget over;
  over.StopWhen([] { return true; });
  ImproveBySwaps(graph, sites, after, over);
  EXPECT_TRUE(over.exhausted());
  int moved = 0;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    moved += before[rank] != after[rank] ? 1 : 0;
  EXPECT_LE(moved, 2) << "at most one swap before the first look";
}

TEST(BoundedSearchTest, ACutWithoutTimeIsInOrder) {
  const RankGraph graph = Random(1000, 5000);
  Budget budget;
  EXPECT_FALSE(IsInOrder(Cut(graph, budget)));
  Budget over;
  over.StopWhen([] { return true; });
  const std::vector<bool> is_second = Cut(graph, over);
  EXPECT_TRUE(IsInOrder(is_second));
  EXPECT_EQ(std::count(is_second.begin(), is_second.end(), true), 500);
}

// METIS does not see ranks without edges, of which a problem with more slots
// than ranks has any number.
TEST(BoundedSearchTest, RanksWithoutEdgesFillTheParts) {
  std::vector<RankVolume> pairs;
  for (TaskRank rank = 0; rank < 100; rank += 2)
    pairs.push_back({rank, rank + 1, 1});
  constexpr std::uint32_t kRanks = 1'000'000;
  const RankGraph graph = GraphOf(kRanks, pairs);
  Budget budget;
  const std::vector<bool> is_second = Cut(graph, budget);
  EXPECT_NEAR(
      static_cast<double>(std::count(is_second.begin(), is_second.end(), true)),
      kRanks / 2, 100);
  int cut = 0;
  for (const RankVolume& pair : pairs)
    cut += is_second[pair.from] != is_second[pair.to] ? 1 : 0;
  EXPECT_EQ(cut, 0);
}

std::atomic<int> received = 0;

// METIS takes a SIGTERM for an error of its own.
TEST(BoundedSearchTest, ASigtermArrivesAfterTheCut) {
  const RankGraph graph = Random(60'000, 600'000);
  struct sigaction count = {};
  count.sa_handler = [](int) { ++received; };
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGTERM, &count, &before), 0);
  const pthread_t here = pthread_self();
  std::atomic<bool> is_over = false;
  int sent = 0;
  std::thread sender([&] {
    while (!is_over) {
      pthread_kill(here, SIGTERM);
      ++sent;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  Budget budget;
  const std::vector<bool> is_second = Cut(graph, budget);
  is_over = true;
  sender.join();
  sigaction(SIGTERM, &before, nullptr);
  EXPECT_GT(sent, 0);
  EXPECT_GT(received, 0);
  EXPECT_FALSE(IsInOrder(is_second)) << "the cut was given up";
}

}  // namespace
}  // namespace coolspan
