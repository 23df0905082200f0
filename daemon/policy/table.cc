// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/counted.h"
#include "core/nearest_name.h"
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"
#include "policy/slurm/slurm.h"

namespace coolspan {
namespace {

constexpr double kMaxWeight = 1000;
constexpr std::array kBqpOptions = {
    SpecOption{"alpha", "latency weight", 0.5, 0, kMaxWeight},
    SpecOption{"beta", "heat weight", 0.5, 0, kMaxWeight},
    SpecOption{"subproblems",
               "maximum subproblems of the proof",
               150,
               0,
               1e9,
               false,
               {},
               true},
};
std::string_view BqpConflict(const PolicyOptions& options) {
  if (options.Value("alpha") > 0 || options.Value("beta") > 0) return {};
  return "alpha and beta are both 0 (expected at least one above 0)";
}
bool BqpWorksWithoutRoom(const PolicyOptions& options) {
  return options.Value("beta") == 0;
}

constexpr std::array kCentreOptions = {
    SpecOption{"ties",
               "between equal centres and in the last shell: free perimeter, "
               "or pairwise distance alone",
               0, 0, 0, false, kTieWords},
};

constexpr std::array kCoolspanOptions = {
    SpecOption{"perimeter",
               "weight of free neighbours against mean pairwise distance", 0.27,
               0, kMaxWeight},
    SpecOption{"ends-before",
               "weight of neighbours that end before the job, relative to free "
               "ones",
               0.55, 0, kMaxWeight},
    SpecOption{"ends-after",
               "weight of neighbours that end after the job, relative to free "
               "ones",
               0.25, 0, kMaxWeight},
    SpecOption{"rate",
               "share of the perimeter's weight that depends on how many jobs "
               "start while this one runs",
               0.9, 0, 1},
    SpecOption{"heat",
               "weight of the cooling power against what hops are worth; 0: "
               "the room is ignored",
               1, 0, kMaxWeight},
    SpecOption{
        "futures",
        "possible futures that are played in a room after each candidate; the "
        "better half gets as many more, and so on; 0: none",
        8,
        0,
        64,
        false,
        {},
        true},
    SpecOption{
        "pue",
        "total power / IT power, for the value of time; 0: by the CoP of "
        "the room",
        0, 0, 10},
    SpecOption{"node-price", "price of one node for an hour", 0, 0, 1e6},
    SpecOption{"energy-price", "price of a kWh, in the same currency", 0.1,
               1e-6, 1e6},
};
std::string_view CoolspanConflict(const PolicyOptions& options) {
  const double pue = options.Value("pue");
  if (pue == 0 || pue >= 1) return {};
  return "pue is below 1 (expected 0, or from 1 to 10)";
}
// With the options of the room as they are by default, or 0, which means none.
bool CoolspanWorksWithoutRoom(const PolicyOptions& options) {
  constexpr std::array kOfRoom = {"heat", "futures", "pue", "node-price",
                                  "energy-price"};
  return std::all_of(kCoolspanOptions.begin(), kCoolspanOptions.end(),
                     [&](const SpecOption& option) {
                       const double value = options.Value(option.name);
                       return std::find(kOfRoom.begin(), kOfRoom.end(),
                                        option.name) == kOfRoom.end() ||
                              value == 0 || value == option.default_value;
                     });
}

constexpr std::array kPtasOptions = {
    SpecOption{"epsilon", "approximation ratio is 1 + epsilon", 0.5, 0, 1,
               true},
};

constexpr std::array kSlurmOptions = {
    SpecOption{"topology",
               "topology plugin of Slurm; auto: tree, block or default by the "
               "kind of the machine",
               0, 0, 0, false, kSlurmTopologyWords},
    SpecOption{"release", "release of Slurm; matters with topology/tree", 0, 0,
               0, false, kSlurmReleaseWords},
};

constexpr std::array kPolicies = {
    PolicyEntry{"best-fit", "smallest sufficient interval, else minimum span",
                true, MakeBestFit},
    PolicyEntry{"bqp",
                "minimum weighted sum of scaled latency (alpha) and scaled "
                "inlet heat (beta)",
                false, MakeBqp, false, true, kBqpOptions, BqpConflict,
                BqpWorksWithoutRoom, true},
    PolicyEntry{"coolest-inlet", "nodes with the lowest inlet temperatures",
                false, MakeCoolestInlet, false, true},
    PolicyEntry{"coolspan",
                "minimum pairwise distance, free perimeter and difference to "
                "the ends of neighbours; cooling power in a room",
                false, MakeCoolspan, false, false, kCoolspanOptions,
                CoolspanConflict, CoolspanWorksWithoutRoom},
    PolicyEntry{"exact",
                "minimum pairwise distance by branch and bound, with proof or "
                "gap",
                false, MakeExact},
    PolicyEntry{"exact-1d",
                "minimum pairwise distance in one dimension: coordinate of a "
                "1-D mesh, else rank; on a ring, the best window",
                true, MakeExact1d},
    PolicyEntry{"first-fit", "first sufficient interval, else minimum span",
                true, MakeFirstFit},
    PolicyEntry{"free-list", "first free nodes in rank order", true,
                MakeFreeList},
    PolicyEntry{"genalg",
                "nodes nearest to a free node, minimum pairwise distance",
                false, MakeGenalg, false, false, kCentreOptions},
    PolicyEntry{"hybrid",
                "shells around mpit nodes: lowest peak inlet, then shortest "
                "distance",
                false, MakeHybrid, false, true},
    PolicyEntry{"lrh",
                "least recirculated heat: nodes that add least heat to warm "
                "inlets, by static rank",
                false, MakeLrh, false, true},
    PolicyEntry{"mbs",
                "multi-buddy: blocks of 2^i nodes per dimension, largest "
                "first; without coordinates, blocks of ranks",
                true, MakeMbs},
    PolicyEntry{"mc",
                "requested shape and shells around it, minimum sum of shell "
                "numbers",
                false, MakeMc, true, false, kCentreOptions},
    PolicyEntry{"mc1x1", "shells around a free node, minimum shell sum", false,
                MakeMc1x1, false, false, kCentreOptions},
    PolicyEntry{"min-hr", "nodes that add least total heat to all inlets",
                false, MakeMinHr, false, true},
    PolicyEntry{"mm", "nodes nearest to a median, minimum pairwise distance",
                false, MakeMm, false, false, kCentreOptions},
    PolicyEntry{"mm-inc", "mm, then node swaps that lower the distance", false,
                MakeMmInc, false, false, kCentreOptions},
    PolicyEntry{"mpit",
                "minimum peak inlet temperature by linear programming, "
                "rounding and swaps, with gap to the bound",
                false, MakeMpit, false, true},
    PolicyEntry{"ptas",
                "1 + epsilon approximation of the minimum pairwise distance, "
                "on meshes",
                false, MakePtas, false, false, kPtasOptions},
    PolicyEntry{"random", "random nodes", false, MakeRandom},
    PolicyEntry{.name = "slurm",
                .help = "nodes that Slurm itself would choose, without "
                        "Coolspan, for exclusive jobs",
                .uses_ordering = false,
                .make = MakeSlurm,
                .options = kSlurmOptions,
                .misfit = SlurmMisfit},
    PolicyEntry{"sum-of-squares",
                "interval that leaves the most varied sizes, else minimum span",
                true, MakeSumOfSquares},
    PolicyEntry{"xint", "lowest peak inlet by a genetic algorithm", false,
                MakeXint, false, true},
};

absl::Status UnknownPolicy(std::string_view spec) {
  const std::string name(SpecName(spec));
  std::vector<std::string_view> known;
  known.reserve(std::size(kPolicies));
  for (const PolicyEntry& entry : kPolicies) known.push_back(entry.name);
  const std::string nearest(NearestName(name, known));
  const bool is_number = !name.empty() && absl::ascii_isdigit(name.front());
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown policy \"", absl::CHexEscape(name), "\"; ",
      is_number
          ? "commas separate policies, and numbers have a point as in 0.5; "
          : "",
      nearest.empty() ? "" : absl::StrCat("did you mean ", nearest, "? "),
      "known policies: ",
      absl::StrJoin(known, ", ", [](std::string* out, std::string_view one) {
        out->append(one);
      })));
}

}  // namespace

std::span<const PolicyEntry> PolicyTable() { return kPolicies; }

const PolicyEntry* FindPolicy(std::string_view spec) {
  const std::string_view name = SpecName(spec);
  for (const PolicyEntry& entry : kPolicies) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

absl::StatusOr<PolicyOptions> ReadPolicySpec(std::string_view spec,
                                             PolicyOptions options) {
  const PolicyEntry* entry = FindPolicy(spec);
  if (entry == nullptr) return UnknownPolicy(spec);
  absl::StatusOr<SpecValues> values =
      ReadSpecValues("policy", spec, entry->options, options.values);
  if (!values.ok()) return values.status();
  options.values = *std::move(values);
  return options;
}

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view spec, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& defaults) {
  const auto options = ReadPolicySpec(spec, defaults);
  if (!options.ok()) return options.status();
  const PolicyEntry& entry = *FindPolicy(spec);
  const auto refuse = [&spec](auto... why) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", absl::CHexEscape(std::string(spec)), why...));
  };
  if (entry.conflict != nullptr) {
    const std::string_view conflict = entry.conflict(*options);
    if (!conflict.empty()) return refuse(": ", std::string(conflict));
  }
  if (entry.misfit != nullptr) {
    const std::string misfit = entry.misfit(*machine, *options);
    if (!misfit.empty()) return refuse(": ", misfit);
  }
  const bool needs_room = entry.works_without_room == nullptr
                              ? entry.uses_room
                              : !entry.works_without_room(*options);
  if (needs_room && machine->room() == nullptr) {
    return refuse(
        " needs the thermal data of the room (expected a thermal section in "
        "the machine file)");
  }
  if (options->latencies != nullptr &&
      options->latencies->node_count() != machine->node_count()) {
    return refuse(": the latency matrix has ",
                  Counted(options->latencies->node_count(), "row"),
                  " (expected ", machine->node_count(), ", one for each node)");
  }
  std::unique_ptr<Policy> policy = entry.make(machine, *options);
  policy->set_spec(spec);
  return policy;
}

}  // namespace coolspan
