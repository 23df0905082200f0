// SPDX-License-Identifier: GPL-3.0-or-later
// A process killed at any moment loses no acknowledged event.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <thread>

#include "state/sqlite_ledger.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kJobs = 50;  // at a time

// Event i commits job i and releases job i - kJobs.
LedgerChange Event(std::uint32_t i) {
  LedgerChange change;
  change.cluster = "c";
  StoredHolding holding;
  holding.job = {i, 0};
  holding.committed = true;
  holding.nodes = "n" + std::to_string(i);
  change.held = {holding};
  if (i > kJobs) change.gone = {i - kJobs};
  change.queue = StoredQueue{"q", i, false};
  return change;
}

// Writes events, starting with `first`, until it is killed. Writes the number
// of each durable event to the pipe. The _exit codes tell which step failed.
[[noreturn]] void WriteEvents(const std::string& path, std::uint32_t first,
                              int acknowledged) {
  auto store = OpenSqliteLedger(path, path + "-archive");
  if (!store.ok()) _exit(10);
  const auto term = (*store)->BeginTerm();
  if (!term.ok()) _exit(14);
  if (first == 1) {
    LedgerChange sync;
    sync.cluster = "c";
    sync.synced = StoredCluster{"c", "n1", {1}, 0, {}, {}};
    const TermChanges changes{"c", *term, {sync}};
    if (!(*store)->Write({&changes, 1}).front().ok()) _exit(11);
  }
  for (std::uint32_t i = first;; ++i) {
    const TermChanges changes{"c", *term, {Event(i)}};
    if (!(*store)->Write({&changes, 1}).front().ok()) _exit(12);
    if (write(acknowledged, &i, sizeof(i)) != sizeof(i)) _exit(13);
  }
}

std::uint32_t ReadLast(int pipe_end) {
  std::uint32_t last = 0;
  std::uint32_t next = 0;
  while (read(pipe_end, &next, sizeof(next)) == sizeof(next)) last = next;
  return last;
}

// The last event in the store. Checks that the store has exactly the state
// after that event.
std::uint32_t LastEventInStore(const std::string& path) {
  const auto store = OpenSqliteLedger(path, path + "-archive");
  EXPECT_TRUE(store.ok()) << store.status();
  if (!store.ok()) return 0;
  const auto clusters = (*store)->Load();
  EXPECT_TRUE(clusters.ok()) << clusters.status();
  if (!clusters.ok() || clusters->empty()) return 0;
  const StoredCluster& cluster = clusters->front();
  if (cluster.queues.empty()) return 0;
  const auto event = static_cast<std::uint32_t>(cluster.queues[0].sequence);
  EXPECT_EQ(cluster.holdings.size(), std::min(event, kJobs));
  for (std::size_t i = 0; i < cluster.holdings.size(); ++i) {
    EXPECT_EQ(cluster.holdings[cluster.holdings.size() - 1 - i].job.job_id,
              event - i);
  }
  return event;
}

TEST(SqliteKillTest, NothingAcknowledgedIsLost) {
  const ScratchFolder folder;
  const std::string path = folder.File("state.db");
  std::mt19937 random(20240607);
  std::uint32_t in_store = 0;
  std::uint32_t max_acknowledged = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) WriteEvents(path, in_store + 1, ends[1]);
    close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "ended with " << WEXITSTATUS(status);
    const std::uint32_t acknowledged = ReadLast(ends[0]);
    close(ends[0]);
    in_store = LastEventInStore(path);
    EXPECT_GE(in_store, acknowledged);
    // The last event may be durable and its acknowledgement lost.
    if (acknowledged > 0) {
      EXPECT_LE(in_store, acknowledged + 1);
    }
    max_acknowledged = std::max(max_acknowledged, acknowledged);
  }
  EXPECT_GT(max_acknowledged, 0u) << "always killed before the first event";
}

}  // namespace
}  // namespace coolspan
