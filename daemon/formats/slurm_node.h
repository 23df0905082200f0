// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_NODE_H_
#define COOLSPAN_FORMATS_SLURM_NODE_H_

#include <cstdint>
#include <string>

namespace coolspan {

// A node as Slurm describes it.
struct SlurmNode {
  std::string name;
  std::uint32_t cpus = 1;
  std::string features = {};  // comma-separated; empty: none
  bool is_future = false;     // defined, but not yet part of the cluster
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_NODE_H_
