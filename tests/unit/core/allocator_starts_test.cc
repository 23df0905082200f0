// SPDX-License-Identifier: GPL-3.0-or-later
// The recent starts that an Allocator's snapshots carry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/allocator.h"
#include "unit/core/allocate_calls.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<RecentStart> StartsOf(const MachineSnapshot& snapshot) {
  std::vector<RecentStart> starts;
  for (std::size_t i = 0; i < snapshot.recent_starts->size(); ++i) {
    starts.push_back((*snapshot.recent_starts)[i]);
  }
  return starts;
}

// Records how many starts it sees.
class SeesStarts final : public Policy {
 public:
  std::string_view name() const override { return "sees-starts"; }
  std::optional<Allocation> Place(const MachineView& view, const Request&,
                                  Budget&, Trace& trace) const override {
    trace.Note("starts",
               view.recent_starts() == nullptr
                   ? std::int64_t{-1}
                   : static_cast<std::int64_t>(view.recent_starts()->size()));
    return std::nullopt;
  }
};

class AllocatorStartsTest : public ::testing::Test {
 protected:
  void Commit(std::uint32_t job_id, std::vector<NodeId> nodes, TimeMs now_ms,
              TimeMs end_ms = kUnknownEnd, std::uint32_t restart = 0) {
    Allocator::Fact fact = Runs(job_id, std::move(nodes), restart);
    fact.expected_end_ms = end_ms;
    allocator_.Commit(std::move(fact), now_ms);
  }
  std::vector<RecentStart> Starts() const {
    return StartsOf(allocator_.Snapshot());
  }

  Allocator allocator_{LineMachine(8)};
};

TEST_F(AllocatorStartsTest, ACommitIsAStart) {
  EXPECT_THAT(Starts(), IsEmpty());
  Commit(1, {0, 1, 2}, 100, 5'100);
  Commit(2, {3}, 100);
  EXPECT_THAT(Starts(),
              ElementsAre(RecentStart{100, 3, 5'000}, RecentStart{100, 1, 0}));
  Commit(3, {4}, 200, 150);
  EXPECT_EQ(Starts()[2], (RecentStart{200, 1, 0})) << "has run out of time";
}

TEST_F(AllocatorStartsTest, ADecisionIsNone) {
  const LowestFree policy;
  Budget budget;
  ASSERT_TRUE(allocator_.Allocate(At(50, Ask(1, 2)), {policy}, budget).ok());
  EXPECT_THAT(Starts(), IsEmpty());
  Commit(1, {0, 1}, 60);
  EXPECT_THAT(Starts(), ElementsAre(RecentStart{60, 2, 0}));
}

TEST_F(AllocatorStartsTest, ARunStartsOnce) {
  Commit(1, {0, 1}, 100);
  Commit(1, {0, 1}, 150);
  Commit(1, {0, 1, 2}, 200);
  allocator_.Resize(Runs(1, {0}), 250);
  allocator_.Suspend({1, 0}, true, 260);
  allocator_.Suspend({1, 0}, false, 270);
  allocator_.Sync({}, {Runs(1, {0})}, 300);
  Commit(1, {0}, 350);
  EXPECT_THAT(Starts(), ElementsAre(RecentStart{100, 2, 0}));
}

TEST_F(AllocatorStartsTest, ARequeuedRunStartsAgain) {
  Commit(1, {0, 1}, 100);
  Commit(1, {2, 3}, 200, kUnknownEnd, 1);
  Commit(1, {0, 1}, 210);  // late, of the earlier run
  allocator_.Release({1, 1}, 220);
  Commit(2, {2}, 300);
  EXPECT_THAT(Starts(),
              ElementsAre(RecentStart{100, 2, 0}, RecentStart{200, 2, 0},
                          RecentStart{300, 1, 0}));
}

// A Sync does not tell when a job started.
TEST_F(AllocatorStartsTest, AJobKnownFromASyncDoesNotStart) {
  allocator_.Sync({}, {Runs(1, {0})}, 100);
  Commit(1, {0}, 150);
  EXPECT_THAT(Starts(), IsEmpty());
}

TEST_F(AllocatorStartsTest, AResizeOfAnUnknownJobIsNoStart) {
  allocator_.Resize(Runs(1, {0, 1}), 100);
  EXPECT_THAT(Starts(), IsEmpty());
}

TEST_F(AllocatorStartsTest, RestoredStartsComeFirst) {
  allocator_.RestoreStart({10, 4, 0});
  allocator_.RestoreStart({20, 2, 6'000});
  Commit(1, {0}, 100);
  EXPECT_THAT(Starts(),
              ElementsAre(RecentStart{10, 4, 0}, RecentStart{20, 2, 6'000},
                          RecentStart{100, 1, 0}));
}

TEST_F(AllocatorStartsTest, StartsBeforeTheClockWasSetBackAreNotAhead) {
  Commit(1, {0}, 100);
  Commit(2, {1}, 3'600'000);
  allocator_.SetClock(200);
  Commit(3, {2}, 300);
  EXPECT_THAT(Starts(),
              ElementsAre(RecentStart{100, 1, 0}, RecentStart{200, 1, 0},
                          RecentStart{300, 1, 0}));
}

TEST_F(AllocatorStartsTest, ASnapshotStaysAsItWas) {
  Commit(1, {0}, 100);
  const MachineSnapshot snapshot = allocator_.Snapshot();
  const std::vector<RecentStart> before = StartsOf(snapshot);
  for (std::uint32_t job = 2; job < 2 + 2 * RecentStarts::kMax; ++job) {
    Commit(job, {1}, 100 + job);
    allocator_.Release({job, 0}, 100 + job);
  }
  allocator_.SetClock(10);
  EXPECT_EQ(StartsOf(snapshot), before);
  EXPECT_EQ(Starts().size(), RecentStarts::kMax);
}

TEST_F(AllocatorStartsTest, PoliciesSeeThem) {
  const auto seen = [&] {
    Budget budget;
    const auto preview =
        allocator_.Preview(At(500, Ask(9, 1)), {SeesStarts()}, budget);
    EXPECT_TRUE(preview.ok()) << preview.status();
    return Describe("", preview->trace);
  };
  const std::string none = seen();
  Commit(1, {0}, 100);
  EXPECT_NE(seen(), none);
  Trace one;
  one.Note("starts", std::int64_t{1});
  EXPECT_EQ(seen(), Describe("", one));
}

}  // namespace
}  // namespace coolspan
