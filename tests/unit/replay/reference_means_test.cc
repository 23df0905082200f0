// SPDX-License-Identifier: GPL-3.0-or-later
// Means over the whole NASA log against what others found for it
// (../shared/data/README.md: HilbertBF in the situation of HilbertBF; their
// Hilbert curve is another one, so the last digits differ).
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "data_dir.h"
#include "mesh_machine.h"
#include "replay/in_process_port.h"
#include "replay/replay.h"

namespace coolspan {
namespace {

constexpr char kLog[] = "swf/NASA-iPSC-1993-3.1-cln.swf.gz";

RunReport ReplayNasa(std::vector<std::uint32_t> dims,
                     const WorkloadOptions& options) {
  ReplaySetup setup;
  setup.machine = MeshMachine(FlatGrid(std::move(dims)));
  setup.ordering = MakeOrdering(*setup.machine, "hilbert").value();
  setup.policies = {"best-fit"};
  setup.open_port = InProcessPorts(setup.machine, {.ordering = setup.ordering});
  setup.scheduler = FindScheduler("easy").value();
  const Workload workload =
      LoadWorkload(DataDir() / kLog, options, setup.machine->node_count())
          .value();
  std::atomic<std::uint64_t> started = 0;
  return Replay(setup, workload, started).value().front();
}

double Value(const RunReport& report, const std::string& name) {
  for (const NamedValue& metric : report.metrics) {
    if (metric.name == name) return metric.value.value();
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(ReferenceMeansTest, PairwiseDistanceOn16x8) {
  COOLSPAN_NEED_DATA(kLog);
  WorkloadOptions options;
  options.run_zero_run = true;
  const RunReport report = ReplayNasa({16, 8}, options);
  EXPECT_EQ(report.jobs, 18'239U);
  EXPECT_NEAR(Value(report, "pairwise_total"), 2696.10, 0.002 * 2696.10);
}

TEST(ReferenceMeansTest, PairwiseDistanceOn16x16WithDoubledJobs) {
  COOLSPAN_NEED_DATA(kLog);
  WorkloadOptions options;
  options.run_zero_run = true;
  options.scale_up = 2;
  const RunReport report = ReplayNasa({16, 16}, options);
  EXPECT_NEAR(Value(report, "pairwise_total"), 14864.00, 0.002 * 14864.00);
}

// Totals of an independent simulator, that shares nothing with this one.
TEST(ReferenceMeansTest, TotalsOfEasy) {
  COOLSPAN_NEED_DATA(kLog);
  const RunReport report = ReplayNasa({16, 8}, {});
  EXPECT_EQ(report.jobs, 18'066U);
  EXPECT_EQ(Value(report, "makespan_s"), 7'949'022);
  EXPECT_NEAR(Value(report, "mean_wait_s"), 4.066644525628252, 1e-9);
  EXPECT_NEAR(Value(report, "mean_runtime_s"), 772.2119450902247, 1e-9);
  EXPECT_NEAR(Value(report, "utilization"), 0.4660931234292093, 1e-12);
}

}  // namespace
}  // namespace coolspan
