// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/connection_table.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "service/rpc/listening_socket.h"

namespace coolspan {
namespace {

using Verdict = ConnectionTable::Verdict;

OwnedDescriptor OpenSocket() {
  return OwnedDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

TEST(ConnectionTableTest, OwnersAndAllAreLimited) {
  ConnectionTable table({.all = 5, .reserved = 2, .per_owner = 2});
  std::vector<OwnedDescriptor> open;
  const auto add = [&](ConnectionTable::Owner owner, bool is_limited) {
    open.push_back(OpenSocket());
    return table.Add(open.back().get(), owner, is_limited);
  };
  EXPECT_EQ(add(1, true), Verdict::kAccepted);
  EXPECT_EQ(add(1, true), Verdict::kAccepted);
  EXPECT_EQ(add(1, true), Verdict::kTooManyOfOwner);
  EXPECT_EQ(add(2, true), Verdict::kAccepted);
  EXPECT_EQ(add(2, true), Verdict::kTooMany);  // two are reserved
  EXPECT_EQ(add(3, false), Verdict::kAccepted);
  EXPECT_EQ(add(3, false), Verdict::kAccepted);
  EXPECT_EQ(add(3, false), Verdict::kTooMany);
  EXPECT_EQ(table.size(), 5U);
  EXPECT_EQ(table.CountOf(3), 2U);
}

TEST(ConnectionTableTest, ClosedConnectionsMakeRoom) {
  ConnectionTable table({.all = 2, .reserved = 0, .per_owner = 2});
  OwnedDescriptor first = OpenSocket();
  OwnedDescriptor second = OpenSocket();
  EXPECT_EQ(table.Add(first.get(), 1, true), Verdict::kAccepted);
  EXPECT_EQ(table.Add(second.get(), 2, true), Verdict::kAccepted);
  const int number = first.get();
  first.Close();
  // Another socket takes the number of the closed one.
  const OwnedDescriptor other = OpenSocket();
  ASSERT_EQ(other.get(), number);
  const OwnedDescriptor third = OpenSocket();
  EXPECT_EQ(table.Add(third.get(), 3, true), Verdict::kAccepted);
  EXPECT_EQ(table.CountOf(1), 0U);
  EXPECT_EQ(table.CountOf(2), 1U);
  EXPECT_EQ(table.size(), 2U);
}

TEST(ConnectionTableTest, ANumberUsedAgainIsANewConnection) {
  ConnectionTable table({.all = 4, .reserved = 0, .per_owner = 4});
  OwnedDescriptor first = OpenSocket();
  const int number = first.get();
  EXPECT_EQ(table.Add(number, 1, true), Verdict::kAccepted);
  first.Close();
  const OwnedDescriptor second = OpenSocket();
  ASSERT_EQ(second.get(), number);
  EXPECT_EQ(table.Add(number, 2, true), Verdict::kAccepted);
  EXPECT_EQ(table.CountOf(1), 0U);
  EXPECT_EQ(table.CountOf(2), 1U);
  table.Sweep();
  EXPECT_EQ(table.size(), 1U);
}

}  // namespace
}  // namespace coolspan
