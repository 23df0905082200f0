// SPDX-License-Identifier: GPL-3.0-or-later
#include <optional>
#include <utility>

#include "config/machine/kinds.h"
#include "formats/file_error.h"
#include "formats/hops_file.h"
#include "topology/hop_matrix.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeHopsKind(const MachineDescription& machine,
                                           const std::string& file) {
  const Placed<std::string>& option = machine.topology.matrix;
  const auto path =
      RequiredPath(machine, file, option, "topology.matrix", "a hop matrix");
  if (!path.ok()) return path.status();
  auto read = ReadHopsFile(*path);
  if (!read.ok()) {
    return ErrorOfNamedFile(file, option.place, "topology.matrix",
                            read.status());
  }
  auto hops = MakeHopMatrix(*std::move(read));
  if (!hops.ok()) return ErrorAt(file, option.place, MessageOf(hops.status()));
  return NamedTopology{*std::move(hops), std::nullopt, {}};
}

}  // namespace coolspan
