// SPDX-License-Identifier: GPL-3.0-or-later
// Means over the whole NASA log, compared with those of the allocators of the
// reference simulator (../shared/data/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "folders.h"
#include "mesh_machine.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"

namespace coolspan {
namespace {

constexpr char kLog[] = "swf/NASA-iPSC-1993-3.1-cln.swf.gz";

// The best fit of the reference falls back to the minimum linear span.
ReplaySetup NasaSetup(std::vector<std::uint32_t> dims,
                      std::vector<std::string> policies) {
  ReplaySetup setup;
  setup.machine = MeshMachine(FlatGrid(std::move(dims)));
  setup.runs = EveryRun(
      {.policies = std::move(policies),
       .orderings = {MakeOrdering(*setup.machine, "hilbert").value()}});
  setup.open_port = InProcessPorts(
      setup.machine, {.ordering = nullptr, .span = SpanKind::kLinear});
  return setup;
}

std::vector<RunReport> ReplayNasa(const ReplaySetup& setup,
                                  const WorkloadOptions& options) {
  const Workload workload =
      LoadWorkload(DataDir() / kLog, options, setup.machine->node_count())
          .value();
  std::atomic<std::uint64_t> started = 0;
  return Replay(setup, OneWorkload(workload), started).value();
}

double Value(const std::vector<NamedValue>& metrics, const std::string& name) {
  for (const NamedValue& metric : metrics) {
    if (metric.name == name) return metric.value.value();
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

// Rows are situations and columns decisions, both in this order.
constexpr std::array<const char*, 4> kPolicies = {
    "mc1x1:ties=paper", "mm:ties=paper", "mm-inc:ties=paper", "best-fit"};
using Matrix = std::array<std::array<double, 4>, 4>;

constexpr Matrix kReference16x8 = {{{2676.78, 2678.34, 2674.15, 2749.57},
                                    {2681.35, 2681.67, 2677.85, 2769.22},
                                    {2686.31, 2686.94, 2682.80, 2768.59},
                                    {2642.88, 2644.32, 2640.30, 2696.10}}};
constexpr Matrix kReference16x16 = {{{14841.72, 14827.76, 14795.36, 15293.26},
                                     {14929.21, 14916.12, 14883.19, 15427.36},
                                     {14944.33, 14926.99, 14896.43, 15424.86},
                                     {14517.39, 14515.63, 14482.63, 14864.00}}};

Matrix MeanDistances(std::vector<std::uint32_t> dims, std::uint32_t scale_up) {
  const std::vector<std::string> policies(kPolicies.begin(), kPolicies.end());
  ReplaySetup setup = NasaSetup(std::move(dims), policies);
  setup.previewed = policies;
  WorkloadOptions options;
  options.run_zero_run = true;
  options.scale_up = scale_up;
  Matrix matrix{};
  const std::vector<RunReport> runs = ReplayNasa(setup, options);
  for (std::size_t row = 0; row < runs.size(); ++row) {
    EXPECT_EQ(runs[row].jobs, 18'239U);
    for (std::size_t column = 0; column < 4; ++column) {
      const PreviewReport& preview = runs[row].previews[column];
      EXPECT_EQ(preview.jobs, 18'239U);
      matrix[row][column] = Value(preview.metrics, "pairwise_total");
    }
    // A policy previewed in its own situation decides as it did.
    EXPECT_EQ(matrix[row][row], Value(runs[row].metrics, "pairwise_total"));
  }
  return matrix;
}

void ExpectAtMostOnePercentAbove(const Matrix& matrix,
                                 const Matrix& reference) {
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      EXPECT_LE(matrix[row][column], 1.01 * reference[row][column])
          << kPolicies[row] << ", " << kPolicies[column];
    }
  }
  // Exact: the reference uses the same curve, intervals and tie rules.
  EXPECT_NEAR(matrix[3][3], reference[3][3], 0.005);
}

// The rows of a column, by ascending mean.
std::vector<std::size_t> Ranking(const Matrix& matrix, std::size_t column) {
  std::vector<std::size_t> rows = {0, 1, 2, 3};
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return matrix[a][column] < matrix[b][column];
  });
  return rows;
}

TEST(ReferenceMeansTest, SituationsByDecisionsOn16x8) {
  COOLSPAN_NEED_DATA(kLog);
  ExpectAtMostOnePercentAbove(MeanDistances({16, 8}, 1), kReference16x8);
}

TEST(ReferenceMeansTest, SituationsByDecisionsOn16x16WithDoubledJobs) {
  COOLSPAN_NEED_DATA(kLog);
  const Matrix matrix = MeanDistances({16, 16}, 2);
  ExpectAtMostOnePercentAbove(matrix, kReference16x16);
  for (std::size_t column = 0; column < 4; ++column) {
    EXPECT_EQ(Ranking(matrix, column), Ranking(kReference16x16, column))
        << kPolicies[column];
  }
}

// Totals of an independent simulator.
TEST(ReferenceMeansTest, TotalsOfEasy) {
  COOLSPAN_NEED_DATA(kLog);
  const RunReport report =
      ReplayNasa(NasaSetup({16, 8}, {"best-fit"}), {}).front();
  EXPECT_EQ(report.jobs, 18'066U);
  EXPECT_EQ(Value(report.metrics, "makespan_s"), 7'949'022);
  EXPECT_NEAR(Value(report.metrics, "mean_wait_s"), 4.066644525628252, 1e-9);
  EXPECT_NEAR(Value(report.metrics, "mean_runtime_s"), 772.2119450902247, 1e-9);
  EXPECT_NEAR(Value(report.metrics, "utilization"), 0.4660931234292093, 1e-12);
}

}  // namespace
}  // namespace coolspan
