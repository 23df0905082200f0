// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of random users that come and go, against progressive filling over all
// of them, and the conditions of max-min fairness.
#include "topology/link_shares.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "naive_shares.h"

namespace coolspan {
namespace {

constexpr double kTolerance = 1e-7;

double Amount(int max) { return *rc::gen::inRange(1, max) / 8.0; }

std::vector<double> DrawCapacities() {
  std::vector<double> capacities(*rc::gen::inRange<std::size_t>(1, 12));
  for (double& capacity : capacities) capacity = Amount(40);
  return capacities;
}

std::vector<LinkLoad> DrawLoads(std::size_t links) {
  std::map<LinkId, double> loads;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    loads[*rc::gen::inRange<LinkId>(0, static_cast<LinkId>(links))] =
        Amount(24);
  }
  std::vector<LinkLoad> listed;
  for (const auto& [link, load] : loads) listed.push_back({link, load});
  return listed;
}

using Users = std::map<LinkShares::User, std::vector<LinkLoad>>;

void CheckAgainstNaive(const LinkShares& shares, const Users& users) {
  std::vector<std::vector<LinkLoad>> loads;
  for (const auto& [user, of_user] : users) loads.push_back(of_user);
  const std::vector<double> expected = NaiveShares(
      {shares.capacities().begin(), shares.capacities().end()}, loads);
  std::size_t i = 0;
  for (const auto& [user, of_user] : users) {
    RC_ASSERT(std::abs(shares.ShareOf(user) - expected[i++]) < kTolerance);
  }
}

// No link above its capacity; each user has a share of 1 or a full link on
// which nobody has more.
void CheckFair(const LinkShares& shares, const Users& users) {
  std::vector<double> traffic(shares.capacities().size(), 0);
  std::vector<double> greatest(traffic.size(), 0);
  for (const auto& [user, loads] : users) {
    const double share = shares.ShareOf(user);
    RC_ASSERT(share > 0 && share <= 1);
    for (const auto& [link, load] : loads) {
      traffic[link] += load * share;
      greatest[link] = std::max(greatest[link], share);
    }
  }
  for (LinkId link = 0; link < traffic.size(); ++link) {
    const double capacity = shares.capacities()[link];
    RC_ASSERT(traffic[link] <= capacity * (1 + kTolerance));
    RC_ASSERT(std::abs(shares.UseOf(link) - traffic[link] / capacity) <
              kTolerance);
  }
  for (const auto& [user, loads] : users) {
    const double share = shares.ShareOf(user);
    const bool has_bottleneck =
        std::any_of(loads.begin(), loads.end(), [&](const LinkLoad& on) {
          return traffic[on.link] >=
                     shares.capacities()[on.link] * (1 - kTolerance) &&
                 greatest[on.link] <= share * (1 + kTolerance);
        });
    RC_ASSERT(share == 1 || has_bottleneck);
  }
}

RC_GTEST_PROP(LinkSharesTest, AreMaxMinFairWhileUsersComeAndGo, ()) {
  LinkShares shares(DrawCapacities());
  Users users;
  const int changes = *rc::gen::inRange(1, 24);
  for (int i = 0; i < changes; ++i) {
    // Several changes at an instant.
    for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
      if (!users.empty() && *rc::gen::inRange(0, 3) == 0) {
        auto gone = users.begin();
        std::advance(gone, *rc::gen::inRange<std::size_t>(0, users.size()));
        shares.Remove(gone->first);
        users.erase(gone);
      } else {
        std::vector<LinkLoad> loads = DrawLoads(shares.capacities().size());
        const LinkShares::User user = shares.Add(loads);
        RC_ASSERT(users.emplace(user, std::move(loads)).second);
      }
    }
    std::map<LinkShares::User, double> before;
    for (const auto& [user, loads] : users) before[user] = shares.ShareOf(user);
    const auto listed = shares.Update();
    const std::set<LinkShares::User> changed(listed.begin(), listed.end());
    for (const auto& [user, share] : before) {
      RC_ASSERT(changed.contains(user) || shares.ShareOf(user) == share);
    }
    CheckFair(shares, users);
    CheckAgainstNaive(shares, users);
  }
}

RC_GTEST_PROP(LinkSharesTest, DoNotDependOnTheOrder, ()) {
  const std::vector<double> capacities = DrawCapacities();
  std::vector<std::vector<LinkLoad>> users(
      *rc::gen::inRange<std::size_t>(1, 9));
  for (auto& loads : users) loads = DrawLoads(capacities.size());
  LinkShares forward(capacities);
  LinkShares backward(capacities);
  std::vector<LinkShares::User> first;
  std::vector<LinkShares::User> second(users.size());
  for (const auto& loads : users) first.push_back(forward.Add(loads));
  for (std::size_t i = users.size(); i-- > 0;) {
    second[i] = backward.Add(users[i]);
    backward.Update();
  }
  forward.Update();
  for (std::size_t i = 0; i < users.size(); ++i) {
    RC_ASSERT(std::abs(forward.ShareOf(first[i]) -
                       backward.ShareOf(second[i])) < kTolerance);
  }
}

// What others leave of a link is the load of a user, but for rounding: it has
// all of it, now and when the others have gone.
TEST(LinkSharesTest, AreWholeWhereALinkIsExactlyLargeEnough) {
  for (int tenths = 1; tenths < 60; ++tenths) {
    LinkShares shares({1.0, 3.0});
    const double load = tenths / 10.0;
    // The first two share link 0, and leave `load` of link 1.
    const auto first = shares.Add({{0, 1.3}, {1, 1.3 * (3.0 - load)}});
    const auto other = shares.Add({{1, load}});
    const auto third = shares.Add({{1, 1e-3}});
    shares.Update();
    shares.Remove(third);
    shares.Update();
    const double share = shares.ShareOf(other);
    EXPECT_TRUE(share == 1 || share < 1 - 1e-9) << load << ": " << 1 - share;
    shares.Remove(first);
    shares.Update();
    EXPECT_TRUE(load > 3 || shares.ShareOf(other) == 1) << load;
  }
}

TEST(LinkSharesTest, HaveBottlenecks) {
  // A flow over two links and one on each.
  LinkShares shares({1, 2});
  const auto both = shares.Add({{0, 1}, {1, 1}});
  const auto first = shares.Add({{0, 1}});
  const auto second = shares.Add({{1, 2}});
  shares.Update();
  EXPECT_DOUBLE_EQ(shares.ShareOf(both), 0.5);
  EXPECT_DOUBLE_EQ(shares.ShareOf(first), 0.5);
  EXPECT_DOUBLE_EQ(shares.ShareOf(second), 0.75);
  shares.Remove(first);
  const auto changed = shares.Update();
  EXPECT_EQ(std::vector(changed.begin(), changed.end()),
            (std::vector{both, second}));
  EXPECT_NEAR(shares.ShareOf(both), 2 / 3.0, 1e-12);
  EXPECT_NEAR(shares.ShareOf(second), 2 / 3.0, 1e-12);
}

TEST(LinkSharesTest, OnlyConnectedUsersAreComputedAnew) {
  LinkShares shares({1, 1, 8});
  shares.Add({{0, 1}, {2, 1}});
  const auto far = shares.Add({{1, 1}, {2, 1}});
  shares.Update();
  const auto added = shares.Add({{0, 1}, {2, 1}});
  const auto changed = shares.Update();
  // Link 2 is never full.
  EXPECT_EQ(std::vector(changed.begin(), changed.end()),
            (std::vector<LinkShares::User>{0, added}));
  EXPECT_EQ(shares.ShareOf(far), 1);
}

}  // namespace
}  // namespace coolspan
