// SPDX-License-Identifier: GPL-3.0-or-later
// What the real daemon tells a service manager, on a socket of the test.
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "integration/environment.h"
#include "integration/running_daemon.h"
#include "integration/wire_semantics_test.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::StartsWith;

constexpr milliseconds kWatchdogTime{1000};
constexpr std::chrono::minutes kPatience{1};

// The socket of NOTIFY_SOCKET.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    descriptor_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<sockaddr*>(&address),
                   sizeof(address)),
              0);
  }
  ~NotifySocket() { close(descriptor_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // nullopt: no message in this time.
  std::optional<std::string> Next(milliseconds time) const {
    timeval limit{};
    limit.tv_sec = time.count() / 1000;
    limit.tv_usec = time.count() % 1000 * 1000;
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    std::string message(4096, '\0');
    const ssize_t size = recv(descriptor_, message.data(), message.size(), 0);
    if (size < 0) return std::nullopt;
    message.resize(static_cast<std::size_t>(size));
    return message;
  }
  // The next message that is not a sign of life.
  std::string NextNews() const {
    std::optional<std::string> message;
    do {
      message = Next(kPatience);
    } while (message == "WATCHDOG=1");
    return message.value_or("nothing");
  }
  // Number of messages in this time.
  int CountFor(milliseconds time) const {
    const auto end = steady_clock::now() + time;
    int count = 0;
    while (steady_clock::now() < end) {
      const auto left =
          std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
      if (Next(left + milliseconds(1)).has_value()) ++count;
    }
    return count;
  }

 private:
  int descriptor_ = -1;
};

class NotifyTest : public ::testing::Test {
 protected:
  std::unique_ptr<v1::Allocator::Stub> Stub() const {
    return daemon_.Connect();
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.File("notify");
  NotifySocket socket_{path_};
  EnvironmentVariable named_{"NOTIFY_SOCKET", path_};
  EnvironmentVariable watchdog_{"WATCHDOG_USEC",
                                std::to_string(kWatchdogTime.count() * 1000)};
  RunningDaemon daemon_;
};

TEST_F(NotifyTest, TellsOfItsLife) {
  EXPECT_EQ(socket_.NextNews(),
            "READY=1\nSTATUS=serving machine sixteen, 16 nodes; policy "
            "first-fit");
  EXPECT_EQ(socket_.Next(kPatience), "WATCHDOG=1");
  EXPECT_EQ(socket_.Next(kPatience), "WATCHDOG=1");

  std::ofstream(daemon_.config_file(), std::ios::app) << "deadline_ms: 30\n";
  daemon_.Signal(SIGHUP);
  EXPECT_THAT(socket_.NextNews(), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_THAT(socket_.NextNews(), StartsWith("READY=1\nSTATUS=serving "));

  grpc::ClientContext context;
  v1::DrainReply reply;
  ASSERT_TRUE(Stub()->Drain(&context, {}, &reply).ok());
  EXPECT_EQ(socket_.NextNews(),
            "READY=1\nSTATUS=drained: no decisions are made");

  daemon_.Signal(SIGTERM);
  EXPECT_THAT(socket_.NextNews(), StartsWith("STOPPING=1\n"));
  EXPECT_EQ(daemon_.Wait(), 0);
}

// Otherwise systemd would wait for its end.
TEST_F(NotifyTest, IsReadyAfterARefusedReload) {
  socket_.NextNews();
  std::ofstream(daemon_.config_file(), std::ios::app) << "none: such\n";
  daemon_.Signal(SIGHUP);
  EXPECT_THAT(socket_.NextNews(), StartsWith("RELOADING=1\n"));
  EXPECT_THAT(socket_.NextNews(), StartsWith("READY=1\n"));
}

std::vector<pid_t> ThreadsOf(pid_t process) {
  std::vector<pid_t> threads;
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  DIR* const directory = opendir(folder.c_str());
  while (const dirent* const entry = readdir(directory)) {
    if (entry->d_name[0] != '.') threads.push_back(std::stoi(entry->d_name));
  }
  closedir(directory);
  return threads;
}

// Holds one thread of another process still.
class HeldThread {
 public:
  explicit HeldThread(pid_t thread) : thread_(thread) {
    if (ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr) != 0) return;
    is_held_ = ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr) == 0 &&
               waitpid(thread_, nullptr, __WALL) == thread_;
  }
  ~HeldThread() {
    if (is_held_) ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
  }
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;
  bool is_held() const { return is_held_; }

 private:
  const pid_t thread_;
  bool is_held_ = false;
};

// A Sync with 300,000 unknown nodes keeps the cluster's lock most of its time;
// the thread that handles it is held still meanwhile.
TEST_F(NotifyTest, TheWatchdogStopsWhileAClustersLockIsHeld) {
  const auto sync = [this](milliseconds time) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + time);
    v1::SyncRequest request = SyncOf();
    request.set_cluster("c");
    request.set_now_ms(kNowMs);
    request.set_client_id("q");
    request.add_hostlist("x[1-300000]");
    request.mutable_capacity(0)->set_nodes(300'016);
    v1::SyncReply reply;
    return Stub()->Sync(&context, request, &reply).ok();
  };
  const auto is_locked = [this] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(5));
    v1::KeepAliveRequest request;
    request.set_cluster("c");
    v1::KeepAliveReply reply;
    return Stub()->KeepAlive(&context, request, &reply).error_code() ==
           grpc::StatusCode::DEADLINE_EXCEEDED;
  };
  ASSERT_TRUE(sync(kPatience));
  ASSERT_EQ(socket_.Next(kPatience)->substr(0, 7), "READY=1");
  const auto until = steady_clock::now() + kPatience;
  bool is_found = false;
  while (!is_found && steady_clock::now() < until) {
    std::thread caller([&] { sync(std::chrono::seconds(10)); });
    // Some way into the Sync.
    std::this_thread::sleep_for(milliseconds(30));
    std::vector<std::unique_ptr<HeldThread>> held;
    for (const pid_t thread : ThreadsOf(daemon_.pid())) {
      std::ifstream in("/proc/" + std::to_string(daemon_.pid()) + "/task/" +
                       std::to_string(thread) + "/stat");
      std::string text{std::istreambuf_iterator<char>(in), {}};
      // Its state, after the name in brackets: running.
      const std::size_t name = text.rfind(") ");
      if (name == std::string::npos || text[name + 2] != 'R') continue;
      held.push_back(std::make_unique<HeldThread>(thread));
      if (!held.back()->is_held()) {
        caller.join();
        GTEST_SKIP() << "ptrace is not permitted here";
      }
    }
    is_found = !held.empty() && is_locked();
    if (is_found) {
      // What was on its way.
      socket_.CountFor(kWatchdogTime);
      EXPECT_EQ(socket_.CountFor(4 * kWatchdogTime), 0);
    }
    held.clear();
    caller.join();
  }
  ASSERT_TRUE(is_found);
  EXPECT_EQ(socket_.Next(kPatience), "WATCHDOG=1") << "the lock is free again";
}

}  // namespace
}  // namespace coolspan
