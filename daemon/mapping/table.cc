// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/table.h"

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/nearest_name.h"
#include "mapping/mappers.h"

namespace coolspan {
namespace {

constexpr std::array kRcbOptions = {
    SpecOption{"swaps",
               "improve the mapping by swaps of ranks; 0: recursive bisection "
               "alone",
               1,
               0,
               1,
               false,
               {},
               true},
};

constexpr std::array kMappers = {
    MapperEntry{"greedy",
                "the rank with most traffic to those placed before, on the "
                "slot next to them",
                {},
                MakeGreedy},
    MapperEntry{"in-order",
                "consecutive ranks on consecutive nodes, by node id",
                {},
                MakeInOrder},
    MapperEntry{"rcb",
                "recursive bisection of ranks and nodes, then swaps of ranks "
                "(rcb:swaps=0: without them)",
                kRcbOptions, MakeRcb},
};

absl::Status UnknownMapper(std::string_view spec) {
  const std::string name(SpecName(spec));
  std::vector<std::string_view> known;
  known.reserve(kMappers.size());
  for (const MapperEntry& entry : kMappers) known.push_back(entry.name);
  const std::string nearest(NearestName(name, known));
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown mapping method \"", absl::CHexEscape(name), "\"; ",
      nearest.empty() ? "" : absl::StrCat("did you mean ", nearest, "? "),
      "known methods: ",
      absl::StrJoin(known, ", ", [](std::string* out, std::string_view one) {
        out->append(one);
      })));
}

}  // namespace

std::span<const MapperEntry> MapperTable() { return kMappers; }

absl::StatusOr<std::unique_ptr<Mapper>> MakeMapper(std::string_view spec) {
  for (const MapperEntry& entry : kMappers) {
    if (entry.name != SpecName(spec)) continue;
    absl::StatusOr<SpecValues> values =
        ReadSpecValues("mapping method", spec, entry.options, {});
    if (!values.ok()) return values.status();
    return entry.make(*values);
  }
  return UnknownMapper(spec);
}

}  // namespace coolspan
