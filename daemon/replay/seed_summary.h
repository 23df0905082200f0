// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SEED_SUMMARY_H_
#define COOLSPAN_REPLAY_SEED_SUMMARY_H_

#include <optional>
#include <string>
#include <vector>

#include "replay/run_report.h"

namespace coolspan {

// The mean over seeds and the half width of its 95 % confidence interval by
// Student's t distribution; no value for a metric that does not apply to each
// seed, no width for one seed.
struct SeedMean {
  std::optional<double> mean;
  std::optional<double> ci95;
};

// The runs that differ in their seed only.
struct SeedGroup {
  std::vector<const RunReport*> runs;
  std::vector<SeedMean> means;  // in the order of RunReport::metrics
  // Means of this group's value minus that of the first group, seed by seed.
  // Empty for the first group and for one with other seeds.
  std::vector<SeedMean> differences;
};

// In the order of their first runs. The reports must outlive the groups.
std::vector<SeedGroup> GroupBySeed(const std::vector<RunReport>& reports);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SEED_SUMMARY_H_
