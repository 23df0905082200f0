// SPDX-License-Identifier: GPL-3.0-or-later
// Who may do what on the Unix socket of a real daemon, and how many connections
// it takes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "client/calls.h"
#include "folders.h"
#include "integration/running_daemon.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr uid_t kStranger = 54'321;
constexpr uid_t kOtherStranger = 54'322;

// The output of coolspan, run by another user, and "exit N"; needs root.
std::string CommandAs(uid_t user, const RunningDaemon& daemon,
                      const std::string& arguments) {
  const std::string command = fmt::format(
      "/usr/bin/setpriv --reuid={0} --regid={0} --clear-groups "
      "{1}/bin/coolspan {2} --endpoint {3} 2>&1",
      user, BinaryDir().string(), arguments, daemon.endpoint());
  std::FILE* const output = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 1024> part{};
  while (std::fgets(part.data(), part.size(), output) != nullptr)
    text += part.data();
  return text + fmt::format("exit {}", WEXITSTATUS(pclose(output)));
}

std::string SocketOf(const RunningDaemon& daemon) {
  return daemon.endpoint().substr(std::string("unix://").size());
}

// The roles alone decide.
void OpenToEveryone(const RunningDaemon& daemon) {
  const std::string path = SocketOf(daemon);
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  ASSERT_EQ(chmod(path.substr(0, path.rfind('/')).c_str(), 0755), 0);
}

// Connections that say nothing.
std::vector<int> Silent(const std::string& path, int count) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  std::vector<int> open;
  for (int i = 0; i < count; ++i) {
    const int descriptor =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    if (descriptor >= 0 && connect(descriptor, generic, sizeof(address)) == 0) {
      open.push_back(descriptor);
    } else if (descriptor >= 0) {
      close(descriptor);
    }
  }
  return open;
}

bool AnswersSoon(const RunningDaemon& daemon) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < until) {
    if ((*Calls::Create(daemon.endpoint()))->Status().ok()) return true;
    std::this_thread::sleep_for(200ms);
  }
  return false;
}

TEST(AccessTest, OtherUsersReadOnly) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to act as another user";
  RunningDaemon daemon;
  OpenToEveryone(daemon);
  EXPECT_THAT(CommandAs(kStranger, daemon, "status"), HasSubstr("exit 0"));
  const std::string refused = CommandAs(kStranger, daemon, "mode off");
  EXPECT_THAT(refused, HasSubstr("exit 1"));
  EXPECT_THAT(refused, HasSubstr("SetMode needs the role operator; user 54321 "
                                 "has: reader (expected an entry in "
                                 "access.operator of the daemon file)"));
}

TEST(AccessTest, OneUserLeavesConnectionsToOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to act as other users";
  RunningDaemon::Options options;
  // A quarter of it is for connections: 256, of which 64 are for managers.
  options.wrapper = {"/usr/bin/prlimit", "--nofile=1024"};
  RunningDaemon daemon(options);
  OpenToEveryone(daemon);
  // The user of a connection is the effective one of its connect.
  ASSERT_EQ(seteuid(kStranger), 0);
  const std::vector<int> greedy = Silent(SocketOf(daemon), 400);
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_GT(greedy.size(), 256U);
  // Theirs are open for the ten seconds of a handshake.
  EXPECT_THAT(CommandAs(kOtherStranger, daemon, "status"), HasSubstr("exit 0"));
  for (const int descriptor : greedy) close(descriptor);
}

TEST(AccessTest, LogAndStateAreNotForAllUsers) {
  RunningDaemon daemon;
  const std::string path = SocketOf(daemon);
  const std::string folder = path.substr(0, path.rfind('/'));
  for (const char* const name : {"/state.db", "/state.db-archive"}) {
    struct stat file = {};
    ASSERT_EQ(stat((folder + name).c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0007, 0U) << name;
  }
}

// As a daemon in a container sees clients outside of it.
TEST(AccessTest, ClientsOfAnotherPidNamespaceAreServed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a namespace";
  RunningDaemon::Options options;
  options.wrapper = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child"};
  RunningDaemon daemon(options);
  EXPECT_TRUE((*Calls::Create(daemon.endpoint()))->Status().ok());
}

TEST(AccessTest, SilentConnectionsDoNotStopTheDaemon) {
  constexpr int kConnections = 1100;
  rlimit own{};
  getrlimit(RLIMIT_NOFILE, &own);
  own.rlim_cur = own.rlim_max;
  setrlimit(RLIMIT_NOFILE, &own);
  if (own.rlim_cur < 2 * kConnections) {
    GTEST_SKIP() << "needs a limit of " << 2 * kConnections
                 << " open files (ulimit -n)";
  }
  RunningDaemon::Options options;
  options.wrapper = {"/usr/bin/prlimit", "--nofile=1024"};
  RunningDaemon daemon(options);
  const std::vector<int> silent = Silent(SocketOf(daemon), kConnections);
  EXPECT_GT(silent.size(), 1000U);
  // They are closed after the time for a handshake, ten seconds.
  EXPECT_TRUE(AnswersSoon(daemon));
  for (const int descriptor : silent) close(descriptor);
  // And again.
  for (const int descriptor : Silent(SocketOf(daemon), kConnections))
    close(descriptor);
  EXPECT_TRUE(AnswersSoon(daemon));
}

}  // namespace
}  // namespace coolspan
