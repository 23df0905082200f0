// SPDX-License-Identifier: GPL-3.0-or-later
// Both stores on a file system of their own that is full.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

// Exit codes of the child process.
constexpr int kPassed = 0;
constexpr int kNoMount = 77;

// Runs body in a process that has a file system of 48 MiB at folder.
int OnSmallDisk(const std::string& folder, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    const int root = geteuid() == 0 ? 0 : CLONE_NEWUSER;
    if (unshare(CLONE_NEWNS | root) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=48m") != 0) {
      _exit(kNoMount);
    }
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void FillDisk(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string block(1 << 16, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size()))) {
  }
  file.clear();
  while (file.put('x').flush()) {
  }
}

class FullDiskTest : public SqliteStoresTest {};

// Its write-ahead log has its space from the start.
TEST_F(FullDiskTest, TheLedgerIsWrittenOn) {
  const auto body = [this] {
    const auto stores = Open();
    TermLedger& ledger = stores->ledger;
    if (!ledger.Write(SyncTo(ClusterOf({}))).ok()) return 1;
    // Its size in use, twenty jobs, with some checkpoints.
    const auto run = [&ledger](std::uint32_t job) {
      LedgerChange change;
      change.cluster = "c";
      change.held = {HoldingOf(job, "n[1-8]")};
      if (job > 20) change.gone = {job - 20};
      return ledger.Write(change).ok();
    };
    std::uint32_t job = 0;
    while (job < 100) {
      if (!run(++job)) return 2;
    }
    if (!ledger.store().MakeDurable().ok()) return 3;
    FillDisk(folder_.File("filler"));
    ArchiveChange history;
    history.cluster = "c";
    history.decisions = {DecisionOf(1, 1, 100)};
    history.decisions[0].why = std::string(1 << 20, 'w');
    if (!absl::IsUnavailable(stores->archive->Write({&history, 1}))) return 4;
    while (job < 5000) {
      if (!run(++job)) return 5;
      if (job % 50 == 0 && !ledger.store().MakeDurable().ok()) return 6;
    }
    if (ledger.Load()->front().holdings.size() != 20) return 7;
    std::filesystem::remove(folder_.File("filler"));
    return stores->archive->Write({&history, 1}).ok() ? kPassed : 8;
  };
  const int exit_code = OnSmallDisk(folder_.File(""), body);
  if (exit_code == kNoMount) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_EQ(exit_code, kPassed);
}

}  // namespace
}  // namespace coolspan
