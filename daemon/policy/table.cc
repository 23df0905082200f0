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
    PolicyEntry{"best-fit",
                "the interval with least left over, else the least span", true,
                MakeBestFit},
    PolicyEntry{"coolest-inlet", "the nodes whose inlets are the coolest now",
                false, MakeCoolestInlet, false, true},
    PolicyEntry{"exact",
                "least total pairwise distance by branch and bound, with proof "
                "or gap",
                false, MakeExact},
    PolicyEntry{"exact-1d",
                "least total pairwise distance along a line: the coordinate of "
                "a 1-D mesh, elsewhere the ranks; on a ring the best window",
                true, MakeExact1d},
    PolicyEntry{"first-fit",
                "the first interval that is long enough, else the least span",
                true, MakeFirstFit},
    PolicyEntry{"free-list", "the first free nodes in rank order", true,
                MakeFreeList},
    PolicyEntry{"genalg",
                "the nearest nodes of a free node, least pairwise distance",
                false, MakeGenalg},
    PolicyEntry{"hybrid",
                "shells around the nodes of mpit, least peak inlet, then least "
                "distance",
                false, MakeHybrid, false, true},
    PolicyEntry{"lrh",
                "least recirculated heat: the nodes with the least rank by "
                "what they add to inlets that get warm",
                false, MakeLrh, false, true},
    PolicyEntry{"mbs",
                "multi-buddy: blocks of 2^i nodes a dimension that add up to "
                "the request, large ones first; of ranks where there are no "
                "coordinates",
                true, MakeMbs},
    PolicyEntry{"mc",
                "a box of the wanted shape and shells around it, least sum of "
                "shell numbers",
                false, MakeMc, true},
    PolicyEntry{"mc1x1",
                "shells around a free node, least sum of shell numbers", false,
                MakeMc1x1},
    PolicyEntry{"min-hr", "the nodes that add least to all inlets together",
                false, MakeMinHr, false, true},
    PolicyEntry{"mm", "the nearest nodes of a median, least pairwise distance",
                false, MakeMm},
    PolicyEntry{"mm-inc", "mm, then swaps while they lower the distance", false,
                MakeMmInc},
    PolicyEntry{"mpit",
                "least peak inlet temperature, by linear programming, rounding "
                "and swaps, with its gap to the bound",
                false, MakeMpit, false, true},
    PolicyEntry{"ptas",
                "at most 1 + epsilon times the least pairwise distance, given "
                "time; on meshes",
                false, MakePtas},
    PolicyEntry{"random", "any free nodes", false, MakeRandom},
    PolicyEntry{"sum-of-squares",
                "the interval that leaves the most varied sizes, else the "
                "least span",
                true, MakeSumOfSquares},
    PolicyEntry{"xint", "least peak inlet temperature by a genetic algorithm",
                false, MakeXint, false, true},
};

}  // namespace

std::span<const PolicyEntry> PolicyTable() { return kPolicies; }

const PolicyEntry* FindPolicy(std::string_view name) {
  for (const PolicyEntry& entry : kPolicies) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view name, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  if (const PolicyEntry* entry = FindPolicy(name)) {
    if (entry->uses_room && machine->room() == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("policy ", std::string(name),
                       " needs to know the room; add a thermal part to the "
                       "machine file"));
    }
    return entry->make(machine, options);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown policy \"", std::string(name), "\"; known are ",
      absl::StrJoin(kPolicies, ", ",
                    [](std::string* out, const PolicyEntry& entry) {
                      out->append(entry.name);
                    })));
}

}  // namespace coolspan
