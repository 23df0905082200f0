// SPDX-License-Identifier: GPL-3.0-or-later
// After a failed sync, Linux may have forgotten the pages, and a later sync of
// the same file succeeds without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "folders.h"
#include "integration/environment.h"
#include "integration/running_daemon.h"
#include "integration/wire_semantics_test.h"
#include "sanitized.h"
#include "state/state_export.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

grpc::Status SyncOnly(const RunningDaemon& daemon,
                      const std::string& hostlist) {
  v1::SyncRequest request = SyncOf();
  request.set_cluster("c");
  request.set_client_id("q");
  request.set_hostlist(0, hostlist);
  grpc::ClientContext context;
  v1::SyncReply reply;
  return daemon.Connect()->Sync(&context, request, &reply);
}

TEST(FailedSyncTest, WhatIsAcknowledgedLaterIsInTheDatabase) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's library must come first";
  const ScratchFolder folder;
  const std::string failing = folder.File("failing");
  const EnvironmentVariable file("COOLSPAN_FAILING_DISK", failing);
  RunningDaemon daemon({.state_folder = folder.File(""),
                        .preload = BinaryDir() / "tests/libfailing_disk.so"});
  ASSERT_TRUE(SyncOnly(daemon, "n[01-16]").ok());
  std::ofstream(failing).put('\n');
  EXPECT_EQ(SyncOnly(daemon, "n[02-16,01]").error_code(),
            grpc::StatusCode::UNAVAILABLE);
  std::filesystem::remove(failing);
  const grpc::Status acknowledged = SyncOnly(daemon, "n[16,01-15]");
  ASSERT_TRUE(acknowledged.ok()) << acknowledged.error_message();
  // Without the write-ahead log, which the disk may have lost.
  daemon.Signal(SIGKILL);
  std::filesystem::copy_file(folder.File("state.db"), folder.File("copy.db"));
  std::string stored;
  const auto rows =
      ExportState(folder.File("copy.db"), "", [&](const std::string& line) {
        stored += line;
        return absl::OkStatus();
      });
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(stored, testing::HasSubstr("n[16,01-15]"));
}

}  // namespace
}  // namespace coolspan
