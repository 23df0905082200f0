// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/slurm_plugin_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libcoolspan_client.so";
constexpr std::string_view kStock = "select_cons_tres.so";

// The folders that contain the file, in the order of PluginDir.
std::vector<fs::path> FoldersWith(std::string_view file,
                                  const std::string& plugin_dir) {
  std::vector<fs::path> found;
  const std::vector<std::string> folders =
      absl::StrSplit(plugin_dir, ':', absl::SkipEmpty());
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (fs::is_regular_file(fs::path(folder) / file, ignored)) {
      found.emplace_back(folder);
    }
  }
  return found;
}

bool HasLibrary(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kLibrary, ignored);
}

std::string NotFound(std::string_view file, const std::string& plugin_dir,
                     std::string_view expected) {
  return fmt::format("PluginDir={}: {} not found (expected {})", plugin_dir,
                     file, expected);
}

PluginFolderCheck CheckNamed(const std::string& plugin_dir,
                             const std::string& underlying) {
  PluginFolderCheck check{.plugin = "named", .concerns_folders = true};
  if (plugin_dir.empty()) {
    check.warning =
        "PluginDir is not set: select_coolspan.so must be in Slurm's own "
        "folder of plugins";
    return check;
  }
  const auto folders = FoldersWith("select_coolspan.so", plugin_dir);
  const std::string stock = fmt::format("select_{}.so", underlying);
  if (folders.empty()) {
    check.error = NotFound("select_coolspan.so", plugin_dir,
                           "the folder of the named plugin");
  } else if (!HasLibrary(folders.front())) {
    check.error =
        fmt::format("{}: {} not found (expected it beside {})",
                    folders.front().string(), kLibrary, "select_coolspan.so");
  } else if (FoldersWith(stock, plugin_dir).empty()) {
    check.error =
        NotFound(stock, plugin_dir, "the folder of Slurm's plugins as well");
  }
  return check;
}

PluginFolderCheck CheckDropIn(const std::string& plugin_dir,
                              const std::string& underlying) {
  PluginFolderCheck check;
  const auto folders = FoldersWith(kStock, plugin_dir);
  if (folders.empty() && !plugin_dir.empty()) {
    check.concerns_folders = true;
    check.error = NotFound(kStock, plugin_dir,
                           "the folder of the drop-in plugin, then that of "
                           "Slurm's plugins");
  } else if (folders.empty() || !HasLibrary(folders.front())) {
    check.error =
        "SelectType=select/cons_tres is Slurm's own plugin (expected the "
        "folder of the drop-in plugin first in PluginDir, or "
        "SelectType=select/coolspan)";
  } else {
    check.plugin = "dropin";
    if (folders.size() < 2) {
      check.concerns_folders = true;
      check.error =
          NotFound(fmt::format("Slurm's {}", kStock), plugin_dir,
                   "the folder of Slurm's plugins after the drop-in's");
    } else if (underlying != "cons_tres") {
      check.error = fmt::format(
          "Underlying={} in coolspan.conf requires SelectType=select/coolspan "
          "(the drop-in plugin replaces select/cons_tres)",
          underlying);
    }
  }
  return check;
}

}  // namespace

PluginFolderCheck CheckPluginFolders(const std::string& select_type,
                                     const std::string& plugin_dir,
                                     const std::string& underlying) {
  if (select_type == "select/coolspan") {
    return CheckNamed(plugin_dir, underlying);
  }
  if (select_type == "select/cons_tres") {
    return CheckDropIn(plugin_dir, underlying);
  }
  PluginFolderCheck check;
  check.error = fmt::format(
      "{} (expected select/coolspan, or select/cons_tres with the folder of "
      "the drop-in plugin first in PluginDir)",
      select_type.empty()
          ? "SelectType is not set"
          : fmt::format("SelectType={} does not use Coolspan", select_type));
  return check;
}

}  // namespace coolspan
