// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/state_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "state/ledger_mark.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_file.h"
#include "state/sqlite_ledger_schema.h"
#include "state/state_import.h"
#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class StateExportTest : public SqliteStoresTest {
 protected:
  // One row of each table, with values at the limits.
  void WriteSome() const {
    const auto stores = Open();
    StoredHolding shared = HoldingOf(2, "n[2-3]");
    shared.whole = false;
    shared.units = {3, 3};
    shared.attempt = (std::uint64_t{1} << 63) - 1;
    shared.communication_share = 0.3F;
    StoredCluster cluster = ClusterOf({HoldingOf(1, "n1"), shared});
    cluster.name = "c\xff\"\\";  // not UTF-8
    LedgerChange change = SyncTo(cluster);
    change.mode = "advise";
    change.heard_ms = 1;
    ASSERT_TRUE(stores->ledger.Write(change).ok());
    ASSERT_TRUE(stores->ledger.store()
                    .SaveLearned({"room", "m", 3, "{\"bias_k\":[0.1]}"})
                    .ok());
    ArchiveChange history;
    history.cluster = "c";
    history.decisions = {DecisionOf(1, 1, 100)};
    StoredStart start;
    start.job = {1, 0};
    start.started_ms = 100;
    start.advice = AdviceCost{{4, 12, 812.5}, {5, 8, std::nullopt}};
    history.starts = {start};
    ASSERT_TRUE(stores->archive->Write({&history, 1}).ok());
    ASSERT_TRUE(stores->archive->BeginRemoval("removed").ok());
  }
  std::string Export(const std::string& ledger, const std::string& archive) {
    std::string out;
    const auto rows =
        ExportState(ledger, archive, [&out](const std::string& line) {
          out += line;
          return absl::OkStatus();
        });
    EXPECT_TRUE(rows.ok()) << rows.status();
    return out;
  }
  static absl::Status NoLine(const std::string& line) {
    ADD_FAILURE() << "written: " << line;
    return absl::OkStatus();
  }
  static absl::Status ImportIntoMemory(const std::string& text) {
    const auto made = [](const SqliteSchema& schema) {
      auto connection = SqliteConnection::Open(
          ":memory:", SqliteConnection::Mode::kReadWrite);
      EXPECT_TRUE(PrepareSchema(*connection, schema).ok());
      return *std::move(connection);
    };
    SqliteConnection ledger = made(kLedgerSchema);
    SqliteConnection archive = made(kArchiveSchema);
    std::istringstream in(text);
    return ImportRows(in, "state.jsonl", ledger, &archive).status();
  }
  std::string ImportError(const std::string& text) {
    const absl::Status status = ImportIntoMemory(text);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
  // An export in which the first occurrence of a text is replaced.
  std::string With(const std::string& from, const std::string& to) {
    std::string text = Export(path_, archive_path_);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  const std::string new_path_ = folder_.File("new.db");
  const std::string new_archive_path_ = folder_.File("new.db-archive");
};

TEST_F(StateExportTest, AnImportExportsTheSame) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  EXPECT_EQ(Export(path_, archive_path_), exported) << "nothing is changed";
  std::istringstream in(exported);
  const auto rows = ImportState(in, "f", {new_path_, new_archive_path_});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->at("holdings"), 2u);
  EXPECT_EQ(rows->at("decisions"), 1u);
  EXPECT_EQ(Export(new_path_, new_archive_path_), exported);
  // And is what a daemon opens.
  const auto before = Open()->ledger.Load();
  const auto ledger = OpenSqliteLedger(new_path_, new_archive_path_);
  ASSERT_TRUE(ledger.ok()) << ledger.status();
  EXPECT_EQ(*(*ledger)->Load(), *before);
  EXPECT_EQ((*ledger)->MissingChanges(), "");
  const auto archive = OpenSqliteArchive(new_archive_path_);
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ((*archive)->DecisionsOf("c", 1, 9)->front().nodes, "n[1-2]");
}

TEST_F(StateExportTest, TheHistoryIsOptional) {
  WriteSome();
  const std::string exported = Export(path_, "");
  EXPECT_EQ(exported.find("decisions"), std::string::npos);
  std::istringstream in(exported);
  ASSERT_TRUE(ImportState(in, "f", {new_path_, ""}).ok());
  EXPECT_FALSE(std::filesystem::exists(new_archive_path_));
  EXPECT_EQ(Export(new_path_, ""), exported);
  // A file with the history, of which it is not taken.
  std::istringstream whole(Export(path_, archive_path_));
  ASSERT_TRUE(ImportState(whole, "f", {folder_.File("other.db"), ""}).ok());
}

TEST_F(StateExportTest, ExistingFilesAreRenamedIfAskedFor) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  std::istringstream in(exported);
  const absl::Status refused =
      ImportState(in, "f", {path_, archive_path_}).status();
  EXPECT_TRUE(absl::IsAlreadyExists(refused)) << refused;
  in.seekg(0);
  const absl::Status done =
      ImportState(in, "f", {path_, archive_path_, true}).status();
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_EQ(Export(path_, archive_path_), exported);
  int replaced = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.File(""))) {
    const std::string name = entry.path().filename();
    replaced += name.find(".replaced-") != std::string::npos ? 1 : 0;
    EXPECT_EQ(name.find(".import"), std::string::npos) << name;
  }
  EXPECT_EQ(replaced, 2);
}

// SQLite would take it for the log of the imported file.
TEST_F(StateExportTest, AnOrphanLogIsRenamedToo) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  std::ofstream(new_path_ + "-wal") << "of another file";
  std::istringstream in(exported);
  EXPECT_TRUE(absl::IsAlreadyExists(
      ImportState(in, "f", {new_path_, new_archive_path_}).status()));
  in.seekg(0);
  const auto done = ImportState(in, "f", {new_path_, new_archive_path_, true});
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_FALSE(std::filesystem::exists(new_path_ + "-wal"));
  EXPECT_EQ(Export(new_path_, new_archive_path_), exported);
}

// Killed between the two renames.
TEST_F(StateExportTest, AnInterruptedImportIsNoticed) {
  WriteSome();
  std::istringstream in(Export(path_, archive_path_));
  std::filesystem::rename(path_, path_ + ".replaced-20261125T000000Z");
  std::ofstream(path_ + ".import") << "half";
  const std::string error = OpenError(absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(error, HasSubstr(path_ + ".import"));
  EXPECT_THAT(error, HasSubstr("import again"));
  EXPECT_FALSE(std::filesystem::exists(path_));
  const auto done = ImportState(in, "f", {path_, archive_path_, true});
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(Open()->ledger.Load()->size(), 1u);
}

TEST_F(StateExportTest, AStateWithMissingChangesIsRefused) {
  WriteSome();
  {
    const auto lock = FileLock::Take(LockPath(path_), "state.sqlite");
    NoteSequence(*lock, 99);
  }
  const absl::Status refused = ExportState(path_, "", NoLine).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("of 99 changes are missing"));
  // A daemon marks the clusters, which the export then says.
  Open();
  EXPECT_THAT(Export(path_, ""), HasSubstr("\"is_incomplete\":1"));
}

TEST_F(StateExportTest, AFailedImportChangesNothing) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  std::istringstream in(exported.substr(0, exported.size() / 2));
  EXPECT_TRUE(absl::IsInvalidArgument(
      ImportState(in, "f", {path_, archive_path_, true}).status()));
  EXPECT_EQ(Export(path_, archive_path_), exported);
  in.clear();
  in.seekg(0);
  EXPECT_FALSE(ImportState(in, "f", {new_path_, new_archive_path_}).ok());
  EXPECT_FALSE(std::filesystem::exists(new_path_));
  EXPECT_FALSE(std::filesystem::exists(new_path_ + ".import"));
}

TEST_F(StateExportTest, FilesInUseAreRefused) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  const auto stores = Open();
  const absl::Status status =
      ExportState(path_, archive_path_, NoLine).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("in use by another daemon; stop it"));
  std::istringstream in(exported);
  EXPECT_TRUE(absl::IsFailedPrecondition(
      ImportState(in, "f", {path_, archive_path_, true}).status()));
}

TEST_F(StateExportTest, OtherFilesAreRefused) {
  EXPECT_TRUE(absl::IsNotFound(ExportState(path_, "", NoLine).status()));
  EXPECT_FALSE(std::filesystem::exists(path_)) << "none is created";
  WriteSome();
  EXPECT_TRUE(
      absl::IsInvalidArgument(ExportState(archive_path_, "", NoLine).status()));
  Execute("PRAGMA user_version = 9");
  const absl::Status earlier = ExportState(path_, "", NoLine).status();
  EXPECT_TRUE(absl::IsInvalidArgument(earlier)) << earlier;
  EXPECT_THAT(std::string(earlier.message()),
              HasSubstr("start coolspand once"));
}

TEST_F(StateExportTest, ErrorsSayWhere) {
  WriteSome();
  const struct {
    const char* from;
    const char* to;
    const char* error;
  } kCases[] = {
      {"{\"coolspan_state\":1", "{\"other\":1",
       "state.jsonl:1:1: not an export of coolspan state"},
      {"\"coolspan_state\":1", "\"coolspan_state\":2",
       "state.jsonl:1:2: coolspan_state: version 2 is not supported"},
      {"{\"ledger\":", "{\"ledger\" ", "state.jsonl:2:11: not valid JSON"},
      {"{\"ledger\":", "{\"lodger\":", "state.jsonl:2:2: unknown table"},
      {"\"last_sync_ms\":1700000000000", "\"last_sync_ms\":\"now\"",
       "last_sync_ms: not valid in clusters (expected an integer number)"},
      {"\"last_sync_ms\":", "\"last_sunk_ms\":", "last_sync_ms: is missing"},
      {"\"mode\":\"advise\"", "\"mode\":\"advise\",\"more\":1",
       "more: unknown column"},
      {"\"capacity\":\"4x4,8x4\"", "\"capacity\":\"4x4\"",
       "capacity: 4 numbers for 8 nodes (expected one for each)"},
      {"\"units\":\"3x2\"", "\"units\":\"\"", "units: empty"},
      {"\"nodes\":\"n[2-3]\"", "\"nodes\":\"n[2-\"", "nodes: not a hostlist"},
      {"\"attempt\":9223372036854775807", "\"attempt\":9223372036854775808",
       "attempt: not valid in holdings"},
      {"\"communication_share\":0.3", "\"communication_share\":7.3",
       "invalid communication share of job 2"},
      {"{\"hex\":\"63", "{\"hex\":\"6", "name: not a text"},
      {"{\"rows\":", "{\"rows\":9", "rows: another number of rows"},
  };
  for (const auto& each : kCases) {
    EXPECT_THAT(ImportError(With(each.from, each.to)), HasSubstr(each.error))
        << each.to;
  }
  EXPECT_THAT(ImportError(""), HasSubstr("state.jsonl:1:1: the file ends"));
  EXPECT_THAT(ImportError(With("{\"end\"", "{\"holdings\"")),
              MatchesRegex("state\\.jsonl:[0-9]+:[0-9]+: .*"));
  EXPECT_THAT(ImportError(Export(path_, archive_path_) + "more\n"),
              HasSubstr("text after the last line"));
}

TEST_F(StateExportTest, EveryRowTwiceIsAnError) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  std::istringstream lines(exported);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("{\"coolspan") || line.starts_with("{\"end") ||
        line.starts_with("{\"ledger\":")) {
      continue;
    }
    std::string twice = exported;
    twice.insert(twice.find(line), line + "\n");
    EXPECT_THAT(ImportError(twice), HasSubstr("cannot be added")) << line;
  }
}

// Each byte of an export, damaged in some ways.
TEST_F(StateExportTest, DamagedExportsAreErrorsOrExports) {
  WriteSome();
  const std::string exported = Export(path_, archive_path_);
  int taken = 0;
  // Each third byte: the fuzzer does more.
  for (std::size_t at = 0; at + 1 < exported.size(); at += 3) {
    for (const char byte : {'"', '9', '\xff'}) {
      std::string damaged = exported;
      damaged[at] = byte;
      const absl::Status status = ImportIntoMemory(damaged);
      if (status.ok()) {
        ++taken;
        continue;
      }
      ASSERT_TRUE(absl::IsInvalidArgument(status)) << status;
      ASSERT_THAT(std::string(status.message()), StartsWith("state.jsonl:"));
    }
    ASSERT_FALSE(ImportIntoMemory(exported.substr(0, at)).ok()) << at;
  }
  EXPECT_GT(taken, 0) << "another digit is another number";
}

}  // namespace
}  // namespace coolspan
