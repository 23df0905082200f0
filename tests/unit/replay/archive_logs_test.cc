// SPDX-License-Identifier: GPL-3.0-or-later
// Known counts of real logs (../shared/data/README.md).
#include <gtest/gtest.h>

#include "folders.h"
#include "replay/input/workload.h"

namespace coolspan {
namespace {

absl::StatusOr<Workload> Load(const std::string& name, NodeCount nodes,
                              std::uint32_t procs_per_node = 1) {
  WorkloadOptions options;
  options.procs_per_node = procs_per_node;
  return LoadWorkload(DataDir() / "swf" / name, options, nodes);
}

TEST(ArchiveLogsTest, Nasa) {
  const std::string name = "NASA-iPSC-1993-3.1-cln.swf.gz";
  COOLSPAN_NEED_DATA("swf/" + name);
  const auto workload = Load(name, 128);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_EQ(workload->counts.jobs, 18'239U - 173U);
  EXPECT_EQ(workload->counts.zero_run, 173U);
  EXPECT_EQ(workload->counts.skipped(), 173U);
  EXPECT_EQ(workload->counts.reordered, 0U);
}

TEST(ArchiveLogsTest, NasaCut) {
  const std::string name = "NASA-iPSC-1993-3-cut228.swf";
  COOLSPAN_NEED_DATA("swf/" + name);
  EXPECT_EQ(Load(name, 128)->counts.jobs, 228U);
}

TEST(ArchiveLogsTest, ThunderHasLinesOutOfOrder) {
  const std::string name = "LLNL-Thunder-2007-1.1-cln.swf.gz";
  COOLSPAN_NEED_DATA("swf/" + name);
  const auto workload = Load(name, 1002, 4);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_EQ(workload->counts.reordered, 808U);
  EXPECT_EQ(workload->counts.jobs + workload->counts.skipped(), 121'039U);
}

TEST(ArchiveLogsTest, Ricc) {
  const std::string name = "RICC-2010-2.swf.gz";
  COOLSPAN_NEED_DATA("swf/" + name);
  const auto workload = Load(name, 1024, 8);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_EQ(workload->counts.jobs, 447'794U - 10U);
  EXPECT_EQ(workload->counts.zero_run, 10U);
  EXPECT_EQ(workload->counts.too_large, 0U);
}

}  // namespace
}  // namespace coolspan
