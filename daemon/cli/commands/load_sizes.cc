// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/load_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/strip.h"
#include "cli/flags/number_checks.h"

namespace coolspan {

absl::StatusOr<LoadSizes> LoadSizes::Parse(std::string_view text,
                                           NodeCount max) {
  absl::string_view rest(text.data(), text.size());
  const bool is_log = absl::ConsumePrefix(&rest, "log:");
  const std::string_view range(rest.data(), rest.size());
  const std::size_t dash = range.find('-');
  const bool is_range = dash != std::string_view::npos;
  NodeCount first = 0;
  NodeCount last = 0;
  const bool is_valid =
      ReadWhole(range.substr(0, dash), first) &&
      ReadWhole(is_range ? range.substr(dash + 1) : range, last) &&
      (is_range || !is_log) && first >= 1 && first <= last && last <= max;
  if (is_valid) return LoadSizes(first, last, is_log);
  return absl::InvalidArgumentError(fmt::format(
      "--nodes: '{}' is not valid (expected K, A-B or log:A-B, from 1 to the "
      "{} nodes of the machine)",
      text, max));
}

LoadSizes LoadSizes::Default(NodeCount free_nodes) {
  constexpr NodeCount kLargest = 32;
  return {1, std::clamp<NodeCount>(free_nodes / 4, 1, kLargest), true};
}

NodeCount LoadSizes::Draw(std::mt19937_64& random) const {
  if (min_ == max_) return min_;
  if (!is_log_) {
    return std::uniform_int_distribution<NodeCount>(min_, max_)(random);
  }
  std::uniform_real_distribution<double> logarithm(
      std::log(static_cast<double>(min_)),
      std::log(static_cast<double>(max_) + 1));
  return std::clamp(static_cast<NodeCount>(std::exp(logarithm(random))), min_,
                    max_);
}

std::string LoadSizes::text() const {
  if (min_ == max_) return std::to_string(min_);
  return fmt::format("{}{}-{}", is_log_ ? "log:" : "", min_, max_);
}

}  // namespace coolspan
