// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/table.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

constexpr std::array kPolicies = {
    PolicyEntry{"first-fit",
                "the first interval that is long enough, else the least span",
                true, MakeFirstFit},
};

}  // namespace

std::span<const PolicyEntry> PolicyTable() { return kPolicies; }

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view name, std::shared_ptr<const Machine> machine,
    const PolicyOptions& options) {
  for (const PolicyEntry& entry : kPolicies) {
    if (entry.name == name) return entry.make(std::move(machine), options);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown policy \"", std::string(name), "\"; known are ",
      absl::StrJoin(kPolicies, ", ",
                    [](std::string* out, const PolicyEntry& entry) {
                      out->append(entry.name);
                    })));
}

}  // namespace coolspan
