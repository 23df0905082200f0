// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_GENERATED_PATTERNS_H_
#define COOLSPAN_MAPPING_GENERATED_PATTERNS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/comm_pattern.h"

namespace coolspan {

// Patterns that are known for any number of ranks.
struct GeneratedPattern {
  std::string_view name;
  std::string_view help;
  // The receivers of a rank, without itself.
  std::vector<TaskRank> (*receivers)(TaskRank rank, std::uint32_t ranks);
};
std::span<const GeneratedPattern> GeneratedPatternTable();

// nullptr: no pattern has this name.
const GeneratedPattern* FindGeneratedPattern(std::string_view name);

// bytes: from each rank to each of its receivers. Errors:
// CommPattern::Create's.
absl::StatusOr<std::shared_ptr<const CommPattern>> MakeGeneratedPattern(
    const GeneratedPattern& kind, std::uint32_t ranks, double bytes);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_GENERATED_PATTERNS_H_
