// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/learned_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/room.h"

namespace coolspan {
namespace {

// Beyond what any room shows: the values are not ours.
constexpr double kMaxLearnedK = 200;
constexpr double kMaxLearnedW = 1e9;

// By node names, topology and heat: a correction is of one place.
std::string IdentityOf(const Machine& machine) {
  return fmt::format("{:016x}-{:016x}", machine.Fingerprint(),
                     machine.room()->Fingerprint());
}

// False: not that many plausible numbers.
bool ReadNumbers(const nlohmann::json& json, const char* name, std::size_t size,
                 double max, std::vector<double>& numbers) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array() || found->size() != size) {
    return false;
  }
  for (const nlohmann::json& number : *found) {
    if (!number.is_number()) return false;
    numbers.push_back(number.get<double>());
    if (!(std::abs(numbers.back()) <= max)) return false;
  }
  return true;
}

}  // namespace

StoredLearning EncodeLearned(const LearnedRoom& learned, const Machine& machine,
                             TimeMs saved_ms) {
  const nlohmann::json content{{"bias_k", learned.bias_k},
                               {"excess_w", learned.excess_w},
                               {"lag_k", learned.lag_k}};
  return {kLearnedRoom, IdentityOf(machine), saved_ms, content.dump()};
}

absl::StatusOr<LearnedRoom> DecodeLearned(const StoredLearning& stored,
                                          const Machine& machine) {
  if (stored.machine != IdentityOf(machine)) {
    return absl::FailedPreconditionError(
        "learned by another machine or room (expected the same machine file)");
  }
  const std::size_t zones = machine.room()->zone_count();
  const auto json = nlohmann::json::parse(stored.content, nullptr, false);
  LearnedRoom learned;
  const bool is_valid =
      json.is_object() &&
      ReadNumbers(json, "bias_k", zones, kMaxLearnedK, learned.bias_k) &&
      ReadNumbers(json, "excess_w", zones, kMaxLearnedW, learned.excess_w) &&
      ReadNumbers(json, "lag_k", zones, kMaxLearnedK, learned.lag_k);
  if (is_valid) return learned;
  return absl::DataLossError(fmt::format(
      "not valid (expected bias_k, excess_w and lag_k of {} zones)", zones));
}

}  // namespace coolspan
