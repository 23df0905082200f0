// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "state/sqlite_archive.h"
#include "state/sqlite_ledger.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

class StateCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    const auto archive = OpenSqliteArchive(Path("state.db-archive"));
    const auto ledger =
        OpenSqliteLedger(Path("state.db"), Path("state.db-archive"));
    LedgerChange change;
    change.cluster = "c";
    change.synced = StoredCluster{"c", "n[1-2]", {4, 4}, 5, {}, {}};
    const TermChanges write = {"c", *(*ledger)->BeginTerm(), {change}};
    EXPECT_THAT((*ledger)->Write({&write, 1}),
                testing::ElementsAre(absl::OkStatus()));
  }
  std::string Path(const std::string& name) const { return folder_ / name; }
  CliResult Run(std::vector<std::string> arguments, const std::string& state) {
    arguments.insert(arguments.begin(), "state");
    arguments.insert(arguments.end(), {"--state", Path(state)});
    return RunCli(arguments);
  }
  std::string ContentOf(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(StateCommand, ExportAndImport) {
  const std::string file = Path("state.jsonl");
  const CliResult exported = Run({"export", file}, "state.db");
  EXPECT_EQ(exported.exit, Exit::kSuccess) << exported.err;
  EXPECT_EQ(exported.out,
            file +
                ": exported 1 clusters, 0 decisions, 0 holdings, 0 "
                "learned, 1 ledger, 0 queues, 0 removals, 0 starts\n");
  struct stat mode = {};
  ASSERT_EQ(stat(file.c_str(), &mode), 0);
  EXPECT_EQ(mode.st_mode & 0007, 0u) << "names of users are not for all";
  EXPECT_EQ(Run({"export", "-"}, "state.db").out, ContentOf("state.jsonl"));
  const CliResult imported = Run({"import", file, "--json"}, "new.db");
  EXPECT_EQ(imported.exit, Exit::kSuccess) << imported.err;
  EXPECT_EQ(imported.Json().at("rows").at("clusters"), 1);
  EXPECT_EQ(Run({"export", "-"}, "new.db").out, ContentOf("state.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(Path("new.db-archive")));
}

TEST_F(StateCommand, NothingIsOverwrittenUnlessAskedFor) {
  const std::string file = WriteFile("state.jsonl", "precious\n");
  const CliResult refused = Run({"export", file}, "state.db");
  EXPECT_EQ(refused.exit, Exit::kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("--overwrite replaces it"));
  EXPECT_EQ(ContentOf("state.jsonl"), "precious\n");
  EXPECT_EQ(Run({"export", file, "--overwrite"}, "state.db").exit,
            Exit::kSuccess);
  const CliResult exists = Run({"import", file}, "state.db");
  EXPECT_EQ(exists.exit, Exit::kCannotBeMet);
  EXPECT_THAT(exists.err, HasSubstr("(expected a new file; --overwrite"));
  EXPECT_EQ(Run({"import", file, "--overwrite"}, "state.db").exit,
            Exit::kSuccess);
}

TEST_F(StateCommand, AFailedExportLeavesTheEarlierFile) {
  const std::string file = WriteFile("state.jsonl", "precious\n");
  EXPECT_EQ(Run({"export", file, "--overwrite"}, "none.db").exit,
            Exit::kBadInput);
  EXPECT_EQ(ContentOf("state.jsonl"), "precious\n");
}

TEST_F(StateCommand, AnExportDoesNotReplaceTheState) {
  const std::string state = ContentOf("state.db");
  for (const char* const name : {"state.db", "state.db-archive"}) {
    const CliResult refused =
        Run({"export", Path(name), "--overwrite"}, "state.db");
    EXPECT_EQ(refused.exit, Exit::kBadInput);
    EXPECT_THAT(refused.err, HasSubstr("is a part of the state"));
  }
  EXPECT_EQ(ContentOf("state.db"), state);
  // What would be a part of it.
  const CliResult log = Run({"export", Path("state.db-wal")}, "state.db");
  EXPECT_EQ(log.exit, Exit::kBadInput);
  EXPECT_FALSE(std::filesystem::exists(Path("state.db-wal")));
}

TEST_F(StateCommand, ErrorsSayWhere) {
  const std::string file = WriteFile("bad.jsonl", "{}\n");
  const CliResult bad = Run({"import", file}, "new.db");
  EXPECT_EQ(bad.exit, Exit::kBadInput);
  EXPECT_THAT(bad.err, HasSubstr(file + ":1:1: not an export"));
  EXPECT_FALSE(std::filesystem::exists(Path("new.db")));
  EXPECT_EQ(Run({"import", Path("none")}, "new.db").exit, Exit::kBadInput);
  EXPECT_EQ(Run({"export", Path("out")}, "none.db").exit, Exit::kBadInput);
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
  EXPECT_EQ(Run({"move", file}, "state.db").exit, Exit::kBadInput);
}

TEST_F(StateCommand, FilesOfARunningDaemonAreRefused) {
  const auto ledger =
      OpenSqliteLedger(Path("state.db"), Path("state.db-archive"));
  const CliResult in_use = Run({"export", Path("out")}, "state.db");
  EXPECT_EQ(in_use.exit, Exit::kCannotBeMet);
  EXPECT_THAT(in_use.err, HasSubstr("in use by another daemon; stop it"));
}

}  // namespace
}  // namespace coolspan
