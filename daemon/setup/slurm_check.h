// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_SLURM_CHECK_H_
#define COOLSPAN_SETUP_SLURM_CHECK_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/types.h"
#include "setup/check_file.h"

namespace coolspan {

// The nodes of slurm.conf and of a machine file.
struct NodeComparison {
  std::string machine_path;
  NodeCount machine_nodes = 0;
  // Hostlists; empty: none.
  std::string missing_in_machine = {};
  std::string missing_in_slurm = {};
};

// What a slurm.conf means for Coolspan.
struct SlurmCheck {
  std::string path;
  std::size_t nodes = 0;
  std::string select_type = {};
  std::string plugin = {};  // "named", "dropin"; empty: none
  std::vector<NodeComparison> comparisons = {};
  std::vector<std::string> errors = {};    // what keeps Coolspan from working
  std::vector<std::string> warnings = {};  // what it does not place or override
  std::vector<std::string> notes = {};     // what this host cannot check
};

// The coolspan.conf that the plugin reads with this slurm.conf.
std::string PluginConfBeside(const std::string& slurm_conf);

// Compares slurm.conf with the machine and daemon files and the first plugin
// file among those checked. A message is one line "file:line: what is wrong
// (expected ...)". Folders in PluginDir are those of this host. An invalid
// slurm.conf is an error without any of the rest.
SlurmCheck CheckSlurm(const std::string& path,
                      std::span<const CheckedFile> files);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_SLURM_CHECK_H_
