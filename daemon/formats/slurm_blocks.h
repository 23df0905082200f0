// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_BLOCKS_H_
#define COOLSPAN_FORMATS_SLURM_BLOCKS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/blocks.h"
#include "formats/slurm_lines.h"

namespace coolspan {

struct SlurmBlocks {
  Blocks blocks;                   // without spare nodes
  std::vector<std::string> names;  // of the nodes, block by block
};

// The blocks in the lines of Slurm's topology.conf for topology/block
// (topology.conf(5) of Slurm 24.11), or of another file with the same settings:
// BlockName= with Nodes= as a hostlist, in the order of the file, and
// BlockSizes=; keys in any case.
// As in Slurm, the first size is the number of nodes of a base block; without
// BlockSizes that is the number of nodes of the first one, with blocks of 1, 2,
// 4, 8 and 16 base blocks. A block may have fewer nodes (from 25.05 on).
// Errors: INVALID_ARGUMENT "file:line:column: ..." for a line of another form,
// a block that is specified more than once, a node in two blocks, and sizes
// that are not the first one times ascending powers of 2 (at most 2^15).
absl::StatusOr<SlurmBlocks> ReadSlurmBlocks(
    const std::string& path, const std::vector<SlurmLine>& lines);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_BLOCKS_H_
