// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/user_slots.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <vector>

#include "service/journal/event_log.h"
#include "service/rpc/listening_socket.h"

namespace coolspan {
namespace {

constexpr uid_t kManager = 40'000;
constexpr gid_t kOperators = 777;
constexpr uid_t kUser = 50'000;

AccessRules Rules() {
  const auto file = ParseDaemonFile(
      "machine: m\naccess: {resource_manager: [40000], "
      "operator: [\"group:777\"]}\n",
      "/etc/d.yaml");
  return *MakeAccessRules(*file, "/etc/d.yaml");
}

class UserSlotsTest : public ::testing::Test {
 protected:
  // Whether there is a slot for a connection, which then stays open.
  bool Connect(uid_t user, bool is_operator) {
    const gid_t group = is_operator ? kOperators : user;
    const UserSlots::Slot slot = slots_.SlotOf(user, {{group}}, connections_);
    if (slot.acceptor == nullptr) return false;
    open_.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connections_.Add(open_.back().get(), slot.owner, true),
              ConnectionTable::Verdict::kAccepted);
    return true;
  }

  std::unique_ptr<EventLog> log_ =
      EventLog::Open({"error", "/dev/null", "json"}).value();
  AccessLog access_log_{*log_};
  CallCounts counts_;
  grpc::ServerBuilder managers_;
  grpc::ServerBuilder others_;
  UserSlots slots_{managers_, others_, Rules(), 100, {access_log_, counts_}};
  ConnectionTable connections_{{.all = 500, .reserved = 0, .per_owner = 10}};
  std::vector<OwnedDescriptor> open_;
};

TEST_F(UserSlotsTest, ReadersTakeNoSlotOfOperatorsAndManagers) {
  for (uid_t i = 0; i < UserSlots::kMaxOthers; ++i)
    ASSERT_TRUE(Connect(kUser + i, false)) << i;
  EXPECT_FALSE(Connect(kUser - 1, false)) << "all slots of readers are in use";
  EXPECT_TRUE(Connect(kUser, false)) << "a user has one slot";
  EXPECT_TRUE(Connect(kUser - 1, true)) << "an operator";
  EXPECT_TRUE(Connect(kManager, false));
  for (uid_t i = 2; i < UserSlots::kMaxManagers; ++i)
    ASSERT_TRUE(Connect(kUser + i, true)) << i;
  EXPECT_FALSE(Connect(kUser, true))
      << "operators and managers have all of theirs";
}

TEST_F(UserSlotsTest, TheSlotOfAUserWhoLeftIsFree) {
  for (uid_t i = 0; i < UserSlots::kMaxOthers; ++i)
    ASSERT_TRUE(Connect(kUser + i, false)) << i;
  EXPECT_FALSE(Connect(kUser - 1, false));
  open_.front().Close();
  EXPECT_TRUE(Connect(kUser - 1, false));
  EXPECT_FALSE(Connect(kUser, false));
}

}  // namespace
}  // namespace coolspan
