// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_SLURM_PLUGIN_FOLDER_H_
#define COOLSPAN_SETUP_SLURM_PLUGIN_FOLDER_H_

#include <string>

namespace coolspan {

// Which select plugin slurmctld loads.
struct PluginFolderCheck {
  // The setting that the messages are about.
  enum class Setting { kSelectType, kPluginDir, kUnderlying };

  std::string plugin = {};   // "named", "dropin"; empty: not Coolspan's
  std::string error = {};    // empty: none
  std::string warning = {};  // empty: none
  std::string note = {};     // about other hosts; empty: none
  Setting setting = Setting::kSelectType;
};

// Looks up the plugins in the folders of PluginDir, on this host, as slurmctld
// and the plugin do. A plugin is Coolspan's if it has the name of its library.
// plugin_dir: empty if it is not set; the default of Slurm's build is not
// known.
PluginFolderCheck CheckPluginFolders(const std::string& select_type,
                                     const std::string& plugin_dir,
                                     const std::string& underlying);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_SLURM_PLUGIN_FOLDER_H_
