// SPDX-License-Identifier: GPL-3.0-or-later
// Daemons whose state files are corrupt, incomplete, or not for their machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DaemonStateTest : public ServingTest {
 protected:
  // Ends the daemon and starts one with another machine file, of which the
  // text behind "kind: mesh, " is given.
  void ServeMachine(const std::string& text) {
    DaemonSetup setup = SmallSetup(folder_.File(""));
    setup.machine = *ParseMachineFile(
        "name: small\ntopology: {kind: mesh, " + text, "m.yaml");
    setup.ordering = *MakeOrdering(*setup.machine, "row-major");
    setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
    Serve(setup);
  }
  std::string LedgerPath() { return folder_.File("state.db"); }
  std::string ArchivePath() { return folder_.File("state.db-archive"); }
  void Stop() {
    stub_.reset();
    daemon_.reset();
  }
  std::vector<std::string> SetAsideFiles(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.File(""))) {
      if (entry.path().string().starts_with(path + ".corrupt-")) {
        names.push_back(entry.path());
      }
    }
    return names;
  }
  std::vector<std::string> Warnings() {
    const auto reply = Good(&Stub::Status, v1::StatusRequest());
    return {reply.state().warnings().begin(), reply.state().warnings().end()};
  }
  std::string Logged() {
    std::stringstream log;
    log << std::ifstream(folder_.File("log.txt")).rdbuf();
    return log.str();
  }
  // An Allocate with the epoch of before must be refused: nodes may be held.
  void ExpectSyncFirst() {
    v1::AllocateReply reply;
    const grpc::Status status =
        Call(&Stub::Allocate, AskFor(epoch_, 77, 1), reply);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(status.error_message(), HasSubstr("expected a Sync first"));
  }
  void ExpectStartsEmpty(const std::string& path) {
    EXPECT_THAT(SetAsideFiles(path), SizeIs(::testing::Ge(1u)));
    EXPECT_THAT(Warnings(), ElementsAre(HasSubstr(path + ".corrupt-")));
    EXPECT_THAT(daemon_->warnings(), ElementsAre(HasSubstr("corrupt")));
    EXPECT_THAT(Logged(), HasSubstr(".corrupt-"));
  }
};

void Overwrite(const std::string& path, std::streamoff at, std::size_t bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file << std::string(bytes, '\xee');
}

class CorruptLedgerTest : public DaemonStateTest,
                          public ::testing::WithParamInterface<const char*> {};

TEST_P(CorruptLedgerTest, IsSetAsideAndRebuiltBySync) {
  const std::string damage = GetParam();
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  Stop();
  if (damage == "garbage") {
    std::ofstream(LedgerPath()) << std::string(9000, '?');
  } else if (damage == "page") {
    Overwrite(LedgerPath(), 4096 * 3, 4096);
  } else if (damage == "truncated") {
    std::filesystem::resize_file(LedgerPath(), 5000);
  } else if (damage == "schema") {
    Overwrite(LedgerPath(), 0, 0);
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(LedgerPath().c_str(), &file), SQLITE_OK);
    sqlite3_exec(file, "DROP TABLE holdings", nullptr, nullptr, nullptr);
    sqlite3_close(file);
  } else {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(LedgerPath().c_str(), &file), SQLITE_OK);
    sqlite3_exec(file, "UPDATE clusters SET capacity = '1,1'", nullptr, nullptr,
                 nullptr);
    sqlite3_close(file);
  }
  Restart();
  ASSERT_NE(daemon_, nullptr);
  ExpectStartsEmpty(LedgerPath());
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).clusters_size(), 0);
  ExpectSyncFirst();
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  EXPECT_EQ(Allocate(AskFor(epoch_, 2, 1)).nodes(), Bitmap({3}));
  Restart();
  EXPECT_THAT(Warnings(), IsEmpty()) << "said by the start that found it";
  EXPECT_EQ(Ledger(), "1 committed n[1-2]; 2 tentative n3");
}

INSTANTIATE_TEST_SUITE_P(Damages, CorruptLedgerTest,
                         ::testing::Values("garbage", "page", "truncated",
                                           "schema", "contents"));

TEST_F(DaemonStateTest, ACorruptArchiveIsSetAside) {
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  Allocate(AskFor(epoch_, 2, 1));
  EXPECT_EQ(Explain(2).hostlist(), "n3");
  Stop();
  std::ofstream(ArchivePath()) << std::string(9000, '?');
  Restart();
  ASSERT_NE(daemon_, nullptr);
  ExpectStartsEmpty(ArchivePath());
  EXPECT_EQ(Ledger(), "1 committed n[1-2]; 2 tentative n3");
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  Allocate(AskFor(epoch_, 3, 1));
  EXPECT_EQ(Explain(3).hostlist(), "n4");
}

TEST_F(DaemonStateTest, FilesOfOthersAreRefusedAndStay) {
  Stop();
  std::filesystem::remove(LedgerPath() + ".lock");
  std::ofstream(LedgerPath()) << std::string(9000, '?');
  const absl::Status text =
      Daemon::Start(SmallSetup(folder_.File(""))).status();
  EXPECT_TRUE(absl::IsInvalidArgument(text)) << text;
  std::filesystem::remove(LedgerPath());
  Restart();
  Stop();
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(LedgerPath().c_str(), &file), SQLITE_OK);
  for (const char* const sql :
       {"PRAGMA user_version = 99", "PRAGMA application_id = 5"}) {
    sqlite3_exec(file, sql, nullptr, nullptr, nullptr);
    const absl::Status status =
        Daemon::Start(SmallSetup(folder_.File(""))).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  }
  sqlite3_close(file);
  EXPECT_THAT(SetAsideFiles(LedgerPath()), IsEmpty());
}

TEST_F(DaemonStateTest, ALostWriteAheadLogAsksForASync) {
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  Restart();  // moves the log to the database
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  Allocate(AskFor(epoch_, 2, 1));
  std::filesystem::copy_file(LedgerPath(), folder_.File("killed.db"));
  Stop();
  // As a kill leaves it, but without the log.
  std::filesystem::rename(folder_.File("killed.db"), LedgerPath());
  Restart();
  EXPECT_THAT(Warnings(), ElementsAre(HasSubstr("changes are missing"),
                                      HasSubstr("cluster c: 1 jobs restored")));
  EXPECT_TRUE(
      Good(&Stub::Status, v1::StatusRequest()).clusters(0).incomplete());
  ExpectSyncFirst();
  Restart();
  ExpectSyncFirst();
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  EXPECT_FALSE(Allocate(AskFor(epoch_, 3, 1)).nodes().empty());
  Restart();
  EXPECT_THAT(Warnings(), IsEmpty());
}

TEST_F(DaemonStateTest, AnotherMachineFileSaysWhatIsMissing) {
  Sync(SmallSync(
      {WholeHolding(1, {1, 8}), WholeHolding(2, {2}), WholeHolding(3, {3})}));
  ServeMachine("dims: [4]}\nnodes: \"n8,n3,m2,m1\"\n");
  const std::string warning =
      "cluster c: 1 of 3 jobs not restored and 1 without some of their nodes: "
      "2 of the nodes are not in the machine file: n1, n2; no decisions before "
      "the next sync (expected the machine file of this cluster)";
  EXPECT_THAT(Warnings(), ElementsAre(warning));
  EXPECT_THAT(Logged(), HasSubstr(warning));
  ExpectSyncFirst();
  Restart();
  EXPECT_THAT(Warnings(), IsEmpty());
  EXPECT_EQ(Ledger(), "1 committed n[1,8]; 2 committed n2; 3 committed n3")
      << "the right machine file has them all again";
}

// What is stored of a job without its unknown nodes is not to be believed by a
// daemon that knows them.
TEST_F(DaemonStateTest, NodesThatTheMachineFileLackedAskForASync) {
  ServeMachine("dims: [2]}\nnodes: \"n[1-2]\"\n");
  Sync(SmallSync({WholeHolding(1, {1, 8}), WholeHolding(2, {7})}));
  Restart();
  EXPECT_THAT(Warnings(),
              ElementsAre(HasSubstr("cluster c: 6 of its nodes were not in the "
                                    "machine file at the last sync")));
  ExpectSyncFirst();
  Sync(SmallSync({WholeHolding(1, {1, 8}), WholeHolding(2, {7})}));
  Restart();
  EXPECT_THAT(Warnings(), IsEmpty());
}

TEST_F(DaemonStateTest, AnEventBeforeTheSyncDoesNotHideWhatIsMissing) {
  Sync(SmallSync({WholeHolding(1, {1, 8}), WholeHolding(2, {7})}));
  ServeMachine("dims: [2]}\nnodes: \"n[1-2]\"\n");
  Good(&Stub::Suspend, EventOf(epoch_, 1, 1));  // stored without n8
  Restart();
  EXPECT_THAT(Warnings(),
              ElementsAre(HasSubstr("of an incomplete state file")));
  ExpectSyncFirst();
}

TEST_F(DaemonStateTest, StatusHasTheSizes) {
  const auto state = Good(&Stub::Status, v1::StatusRequest()).state();
  EXPECT_EQ(state.ledger(), LedgerPath());
  EXPECT_EQ(state.archive(), ArchivePath());
  EXPECT_GT(state.ledger_bytes(), 4096u);
  EXPECT_GT(state.archive_bytes(), 4096u);
  EXPECT_EQ(state.archive_max_bytes(), std::uint64_t{1} << 30);
}

}  // namespace
}  // namespace coolspan
