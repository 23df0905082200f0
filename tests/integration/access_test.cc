// SPDX-License-Identifier: GPL-3.0-or-later
// Who may do what on the Unix socket of a real daemon, and how many connections
// it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
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

// What a call of another user gets; needs root.
std::string AsStranger(const std::function<absl::Status()>& call) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const bool changed = setresgid(kStranger, kStranger, kStranger) == 0 &&
                         setresuid(kStranger, kStranger, kStranger) == 0;
    const std::string text =
        changed ? call().ToString() : std::string("cannot change the user");
    [[maybe_unused]] const auto written =
        write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 1024> part{};
  for (ssize_t size = 0; (size = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

std::string SocketOf(const RunningDaemon& daemon) {
  return daemon.endpoint().substr(std::string("unix://").size());
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
  const std::string path = SocketOf(daemon);
  // Open to everyone: the roles alone decide.
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  ASSERT_EQ(chmod(path.substr(0, path.rfind('/')).c_str(), 0755), 0);
  // gRPC must not be used in the parent before the fork; RunningDaemon has.
  // So the calls are made by the program.
  const auto program = [&](const std::string& arguments) {
    return AsStranger([&]() -> absl::Status {
      const std::string command = (BinaryDir() / "bin/coolspan").string() +
                                  " " + arguments + " --endpoint " +
                                  daemon.endpoint() + " 2>&1";
      std::FILE* const output = popen(command.c_str(), "r");
      std::string text;
      std::array<char, 1024> part{};
      while (std::fgets(part.data(), part.size(), output) != nullptr)
        text += part.data();
      const int status = pclose(output);
      return absl::UnknownError("exit " + std::to_string(WEXITSTATUS(status)) +
                                ": " + text);
    });
  };
  EXPECT_THAT(program("status"), HasSubstr("exit 0"));
  const std::string refused = program("mode off");
  EXPECT_THAT(refused, HasSubstr("exit 1"));
  EXPECT_THAT(refused, HasSubstr("SetMode needs the role operator; user 54321 "
                                 "has: reader (expected an entry in "
                                 "access.operator of the daemon file)"));
}

TEST(AccessTest, LogAndStateAreNotForAllUsers) {
  RunningDaemon daemon;
  const std::string path = SocketOf(daemon);
  const std::string folder = path.substr(0, path.rfind('/'));
  for (const char* const name : {"/state.db", "/state.db-archive"}) {
    struct stat file {};
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
