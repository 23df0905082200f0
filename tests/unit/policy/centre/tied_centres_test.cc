// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/tied_centres.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "mesh_machine.h"
#include "policy/distance/free_sites.h"
#include "policy/place_demand.h"

namespace coolspan {
namespace {

constexpr NodeCount kSide = 48;

// A mesh of 48x48 with a busy block of 20x20 at one corner.
class TiedCentresTest : public testing::Test {
 protected:
  TiedCentresTest() {
    for (NodeId node = 0; node < free_.size(); ++node) {
      if (node % kSide < 20 && node / kSide < 20) {
        free_.Erase(node);
      } else {
        centres_.push_back(node);
      }
    }
  }
  std::vector<VertexId> Kept(NodeCount wanted, std::uint32_t shells) const {
    const NodeSet required;
    const FreeSites sites(machine_->topology(),
                          Choice{free_, required, 0, wanted, 0});
    const GridTable table(*machine_->topology().grid());
    return FewestFreeAround(PlacesOnGrid(table, ShellKind::kBox, sites),
                            centres_, shells);
  }
  NodeCount FreeAround(VertexId centre, std::uint32_t shells) const {
    NodeCount free = 0;
    free_.ForEach([&](NodeId node) {
      const auto apart = [](NodeId a, NodeId b) {
        return a > b ? a - b : b - a;
      };
      if (apart(node % kSide, centre % kSide) <= shells &&
          apart(node / kSide, centre / kSide) <= shells) {
        ++free;
      }
    });
    return free;
  }

  const std::shared_ptr<const Machine> machine_ =
      MeshMachine(FlatGrid({kSide, kSide}));
  NodeSet free_ = NodeSet::All(kSide * kSide);
  std::vector<VertexId> centres_;  // all free ones
};

TEST_F(TiedCentresTest, FewAreAllKept) { EXPECT_EQ(Kept(100, 6), centres_); }

TEST_F(TiedCentresTest, OfManyThoseWithTheFewestFreeNodesAroundAreKept) {
  constexpr std::uint32_t kShells = 17;
  const std::vector<VertexId> kept = Kept(1000, kShells);
  EXPECT_GE(kept.size(), 16U);
  EXPECT_LT(kept.size(), centres_.size() / 2);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  NodeCount most_kept = 0;
  NodeCount fewest_dropped = kSide * kSide;
  for (const VertexId centre : centres_) {
    const NodeCount free = FreeAround(centre, kShells);
    if (std::binary_search(kept.begin(), kept.end(), centre)) {
      most_kept = std::max(most_kept, free);
    } else {
      fewest_dropped = std::min(fewest_dropped, free);
    }
  }
  EXPECT_LE(most_kept, fewest_dropped);
}

}  // namespace
}  // namespace coolspan
