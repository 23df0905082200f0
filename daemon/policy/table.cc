// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/nearest_name.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

constexpr std::array kBqpNumbers = {
    PolicyNumber{"alpha", "weight of latencies", &PolicyOptions::alpha, 0,
                 PolicyOptions::kMaxWeight},
    PolicyNumber{"beta", "weight of heat", &PolicyOptions::beta, 0,
                 PolicyOptions::kMaxWeight},
    PolicyNumber{"subproblems", "how many may be looked at for a proof",
                 &PolicyOptions::subproblems, 0,
                 PolicyOptions::kMaxSubproblems},
};
std::string_view ObjectionToBqp(const PolicyOptions& options) {
  if (options.alpha > 0 || options.beta > 0) return {};
  return "alpha and beta are both 0; one above 0 is wanted";
}
bool BqpSparesRoom(const PolicyOptions& options) { return options.beta == 0; }

constexpr std::array kPtasNumbers = {
    PolicyNumber{"epsilon",
                 "at most 1 + epsilon times the least pairwise distance",
                 &PolicyOptions::epsilon, 0, PolicyOptions::kMaxEpsilon, true},
};

constexpr std::array kPolicies = {
    PolicyEntry{"best-fit",
                "the interval with least left over, else the least span", true,
                MakeBestFit},
    PolicyEntry{"bqp",
                "least latency between the nodes (alpha) and heat at the "
                "inlets (beta), both scaled",
                false, MakeBqp, false, true, kBqpNumbers, ObjectionToBqp,
                BqpSparesRoom},
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
                false, MakePtas, false, false, kPtasNumbers},
    PolicyEntry{"random", "any free nodes", false, MakeRandom},
    PolicyEntry{"sum-of-squares",
                "the interval that leaves the most varied sizes, else the "
                "least span",
                true, MakeSumOfSquares},
    PolicyEntry{"xint", "least peak inlet temperature by a genetic algorithm",
                false, MakeXint, false, true},
};

constexpr char kBeforeNumber = ':';

absl::Status UnknownPolicy(std::string_view spec) {
  const std::string name(spec.substr(0, spec.find(kBeforeNumber)));
  std::vector<std::string_view> known;
  known.reserve(std::size(kPolicies));
  for (const PolicyEntry& entry : kPolicies) known.push_back(entry.name);
  const std::string meant(NearestName(name, known));
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown policy \"", absl::CHexEscape(name), "\"; ",
      meant.empty() ? "" : absl::StrCat("did you mean ", meant, "? "),
      "known are ",
      absl::StrJoin(known, ", ", [](std::string* out, std::string_view one) {
        out->append(one);
      })));
}

absl::Status BadNumber(const PolicyEntry& entry, std::string_view part,
                       const std::string& problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("policy ", std::string(entry.name), ": \"",
                   absl::CHexEscape(std::string(part)), "\": ", problem));
}

// "alpha=1"
absl::Status ReadNumber(const PolicyEntry& entry, std::string_view part,
                        std::set<std::string_view>& seen,
                        PolicyOptions& options) {
  if (entry.numbers.empty()) {
    return BadNumber(entry, part, "it takes no options; leave them out");
  }
  const std::size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals);
  const auto number =
      std::find_if(entry.numbers.begin(), entry.numbers.end(),
                   [&](const PolicyNumber& n) { return n.name == name; });
  if (number == entry.numbers.end() || equals == std::string_view::npos) {
    return BadNumber(
        entry, part,
        absl::StrCat("no option; want ",
                     absl::StrJoin(entry.numbers, ", ",
                                   [](std::string* out, const PolicyNumber& n) {
                                     absl::StrAppend(out, std::string(n.name),
                                                     "=NUMBER");
                                   })));
  }
  if (!seen.insert(name).second) {
    return BadNumber(entry, part, "given twice; once is wanted");
  }
  double value = 0;
  if (!absl::SimpleAtod(std::string(part.substr(equals + 1)), &value)) {
    return BadNumber(entry, part, "no number; one as in 0.5 is wanted");
  }
  absl::Status in_range = CheckPolicyNumber(*number, value);
  if (!in_range.ok()) {
    return BadNumber(entry, part, std::string(in_range.message()));
  }
  options.*(number->value) = value;
  return absl::OkStatus();
}

}  // namespace

std::span<const PolicyEntry> PolicyTable() { return kPolicies; }

const PolicyEntry* FindPolicy(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(kBeforeNumber));
  for (const PolicyEntry& entry : kPolicies) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

absl::Status CheckPolicyNumber(const PolicyNumber& number, double value) {
  const bool enough =
      number.above_least ? value > number.least : value >= number.least;
  if (enough && value <= number.most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      value, " is out of range; ", number.above_least ? "above " : "from ",
      number.least, number.above_least ? ", at most " : " to ", number.most));
}

absl::StatusOr<PolicyOptions> ReadPolicySpec(std::string_view spec,
                                             PolicyOptions options) {
  const PolicyEntry* entry = FindPolicy(spec);
  if (entry == nullptr) return UnknownPolicy(spec);
  std::set<std::string_view> seen;
  std::size_t colon = spec.find(kBeforeNumber);
  while (colon != std::string_view::npos) {
    spec.remove_prefix(colon + 1);
    colon = spec.find(kBeforeNumber);
    absl::Status read =
        ReadNumber(*entry, spec.substr(0, colon), seen, options);
    if (!read.ok()) return read;
  }
  return options;
}

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view spec, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& given) {
  const auto options = ReadPolicySpec(spec, given);
  if (!options.ok()) return options.status();
  const PolicyEntry& entry = *FindPolicy(spec);
  const auto refuse = [&spec](auto... why) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", absl::CHexEscape(std::string(spec)), why...));
  };
  if (entry.objection != nullptr) {
    const std::string_view objection = entry.objection(*options);
    if (!objection.empty()) return refuse(": ", std::string(objection));
  }
  const bool uses_room = entry.uses_room && (entry.spares_room == nullptr ||
                                             !entry.spares_room(*options));
  if (uses_room && machine->room() == nullptr) {
    return refuse(
        " needs to know the room; add a thermal part to the machine file");
  }
  if (options->latencies != nullptr &&
      options->latencies->node_count() != machine->node_count()) {
    return refuse(": latencies of ", options->latencies->node_count(),
                  " nodes; the machine's ", machine->node_count(),
                  " are wanted");
  }
  return entry.make(machine, *options);
}

}  // namespace coolspan
