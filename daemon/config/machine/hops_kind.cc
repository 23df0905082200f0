// SPDX-License-Identifier: GPL-3.0-or-later
#include <optional>
#include <utility>

#include "config/machine/kinds.h"
#include "config/options/relative_path.h"
#include "formats/file_error.h"
#include "formats/hops_file.h"
#include "topology/hop_matrix.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeHopsKind(const MachineDescription& machine,
                                           const std::string& file) {
  const Placed<std::string>& named = machine.topology.matrix;
  if (named.value.empty()) {
    return ErrorAt(file, machine.topology.place,
                   "topology.matrix is missing; the path of a matrix of hops "
                   "is wanted");
  }
  auto read = ReadHopsFile(PathBeside(file, named.value));
  if (!read.ok()) {
    return ErrorOfNamedFile(file, named.place, "topology.matrix",
                            read.status());
  }
  auto hops = MakeHopMatrix(*std::move(read));
  if (!hops.ok()) return ErrorAt(file, named.place, MessageOf(hops.status()));
  return NamedTopology{*std::move(hops), std::nullopt, {}};
}

}  // namespace coolspan
