// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_PARETO_H_
#define COOLSPAN_CLI_COMMANDS_PARETO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/console.h"
#include "cli/render/json.h"
#include "replay/seed_summary.h"

namespace coolspan {

// The groups that no other group dominates: none is at most as high in all of
// these metrics and lower in one (means over seeds). Ascending by the first
// metric. Groups without a value of one of the metrics are left out.
// Errors: INVALID_ARGUMENT "--pareto: ..." for an unknown metric, with similar
// ones.
absl::StatusOr<std::vector<std::size_t>> ParetoFront(
    const std::vector<SeedGroup>& groups,
    const std::vector<std::string>& metrics);

// The front as {"metrics": [...], "front": [{"policy", ..., values}]}.
Json ParetoJson(const std::vector<SeedGroup>& groups,
                const std::vector<std::string>& metrics,
                const std::vector<std::size_t>& front);
// reports: those of the groups.
void PrintPareto(const std::vector<RunReport>& reports,
                 const std::vector<SeedGroup>& groups,
                 const std::vector<std::string>& metrics,
                 const std::vector<std::size_t>& front, const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_PARETO_H_
