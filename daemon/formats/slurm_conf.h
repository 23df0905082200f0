// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_CONF_H_
#define COOLSPAN_FORMATS_SLURM_CONF_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/slurm_node.h"

namespace coolspan {

// What Coolspan needs of a slurm.conf.
struct SlurmConf {
  // A value and where it is: "file:line", or the file for a default.
  struct Value {
    std::string text;
    std::string where;
  };
  struct Partition {
    std::string name;
    std::string where;
    bool prefers_least_loaded = false;  // LLN
    std::string over_subscribe = "NO";  // upper case, as in "FORCE:4"
    std::string cpus_per_gpu = {};      // DefCpuPerGPU; empty: the default
    std::string memory_per_gpu = {};    // DefMemPerGPU
  };

  // The value of a key in lower case, or the fallback.
  std::string Setting(std::string_view key,
                      std::string_view fallback = "") const;
  // Where it is set, or the file.
  std::string Where(std::string_view key) const;

  std::string path;
  std::vector<SlurmNode> nodes;  // in file order
  std::vector<Partition> partitions;
  // All other settings, by key in lower case.
  std::map<std::string, Value, std::less<>> settings;
};

// Reads slurm.conf (slurm.conf(5) of Slurm 22.05) and the files that it
// includes, relative to the including file, %c in their names replaced by
// ClusterName. DEFAULT lines of nodes and partitions apply to the lines that
// follow. Does not check keys and values that Coolspan does not need.
// Errors: as SlurmLines; "file:line:column: ..." for an included file that
// cannot be read, too many of them, an invalid hostlist, a node that is
// specified more than once and an invalid number of CPUs.
absl::StatusOr<SlurmConf> ReadSlurmConf(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_CONF_H_
