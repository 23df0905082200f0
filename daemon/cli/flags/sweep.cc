// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cli/flags/number_checks.h"
#include "core/spec/spec_options.h"
#include "policy/table.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kMaxCount = 1000;

// One option of a sweep.
struct Axis {
  std::string name;
  double from;
  double to;
};

struct Sweep {
  std::vector<Axis> axes;
  std::uint32_t count = 0;
};

absl::Status InvalidSweep(std::string_view text) {
  return absl::InvalidArgumentError(fmt::format(
      "--sweep: '{}' is not valid (expected NAME=FROM:TO:COUNT, with 2 to {} "
      "values; options that change together are separated by commas and have "
      "the same COUNT)",
      text, kMaxCount));
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

absl::StatusOr<Sweep> ReadSweep(std::string_view text) {
  Sweep sweep;
  for (const std::string_view part : SplitAt(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return InvalidSweep(text);
    }
    const std::vector<std::string_view> values =
        SplitAt(part.substr(equals + 1), ':');
    Axis axis{std::string(part.substr(0, equals)), 0, 0};
    std::uint32_t count = 0;
    if (values.size() != 3 || !ReadWhole(values[0], axis.from) ||
        !ReadWhole(values[1], axis.to) || !ReadWhole(values[2], count) ||
        count < 2 || count > kMaxCount ||
        (sweep.count != 0 && sweep.count != count)) {
      return InvalidSweep(text);
    }
    sweep.count = count;
    sweep.axes.push_back(std::move(axis));
  }
  return sweep;
}

// ":alpha=0.5:beta=0.5".
std::string OptionsAt(const Sweep& sweep, std::uint32_t i) {
  std::string options;
  for (const Axis& axis : sweep.axes) {
    const double share = static_cast<double>(i) / (sweep.count - 1);
    // Rounded, so that 0 to 1 in tenths has 0.3 and not 0.30000000000000004.
    options += fmt::format(":{}={:.12g}", axis.name,
                           axis.from + (axis.to - axis.from) * share);
  }
  return options;
}

bool HasAll(const std::string& policy, const Sweep& sweep) {
  const PolicyEntry* const entry = FindPolicy(policy);
  return entry != nullptr &&
         std::all_of(sweep.axes.begin(), sweep.axes.end(), [&](const Axis& a) {
           return std::any_of(entry->options.begin(), entry->options.end(),
                              [&a](const SpecOption& option) {
                                return option.name == a.name;
                              });
         });
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SweepPolicies(
    std::vector<std::string> policies, const std::vector<std::string>& sweeps) {
  for (const std::string& text : sweeps) {
    const absl::StatusOr<Sweep> sweep = ReadSweep(text);
    if (!sweep.ok()) return sweep.status();
    std::vector<std::string> swept;
    bool used = false;
    for (const std::string& policy : policies) {
      if (!HasAll(policy, *sweep)) {
        swept.push_back(policy);
        continue;
      }
      used = true;
      for (std::uint32_t i = 0; i < sweep->count; ++i) {
        swept.push_back(policy + OptionsAt(*sweep, i));
      }
    }
    if (!used) {
      return absl::InvalidArgumentError(fmt::format(
          "--sweep: no policy of the list has the options of '{}' (expected "
          "option names of one policy, as in perimeter=0.2:0.4:3)",
          text));
    }
    policies = std::move(swept);
  }
  return policies;
}

}  // namespace coolspan
