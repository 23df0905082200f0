// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ordering/curves.h"
#include "ordering/ordering.h"

namespace coolspan {
namespace {

constexpr std::array kOrderings = {
    OrderingEntry{"hilbert", "Hilbert curve, generalised to any mesh or torus",
                  HilbertNodes},
    OrderingEntry{"morton", "Z order: by the interleaved bits of coordinates",
                  MortonNodes},
    OrderingEntry{"row-major", "node order of the machine, x fastest",
                  RowMajorNodes},
    OrderingEntry{"snake", "row-major with every other line reversed",
                  SnakeNodes},
    OrderingEntry{"spectral",
                  "by the Fiedler vector, then local search; any topology",
                  SpectralNodes},
    OrderingEntry{"mip",
                  "minimum locality cost, with proof or gap (limit 60 s)",
                  MipNodes},
    OrderingEntry{"mip:", "mip with options: ring, seconds=N", MipNodes,
                  "ring,seconds=N"},
    OrderingEntry{"file:", "node names or ids in rank order from a file",
                  FileNodes, "PATH"},
};

std::string_view DefaultSpec(const Topology& topology) {
  return topology.grid() != nullptr ? "hilbert" : "spectral";
}

std::string KnownNames() {
  return absl::StrJoin(kOrderings, ", ",
                       [](std::string* out, const OrderingEntry& entry) {
                         out->append(entry.name).append(entry.argument);
                       });
}

}  // namespace

std::span<const OrderingEntry> OrderingTable() { return kOrderings; }

absl::StatusOr<std::shared_ptr<const Ordering>> MakeOrdering(
    const Machine& machine, std::string_view spec) {
  if (spec.empty()) spec = DefaultSpec(machine.topology());
  for (const OrderingEntry& entry : kOrderings) {
    const bool takes_argument = entry.name.ends_with(':');
    if (takes_argument ? !spec.starts_with(entry.name) : spec != entry.name) {
      continue;
    }
    absl::StatusOr<OrderedNodes> nodes =
        entry.make(machine, spec.substr(entry.name.size()));
    if (!nodes.ok()) return nodes.status();
    absl::StatusOr<Ordering> ordering = Ordering::Create(
        std::string(spec), std::move(nodes->nodes), nodes->proof);
    if (!ordering.ok()) return ordering.status();
    return std::make_shared<const Ordering>(*std::move(ordering));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown ordering \"", absl::CHexEscape(std::string(spec)),
                   "\" (expected one of ", KnownNames(), ")"));
}

}  // namespace coolspan
