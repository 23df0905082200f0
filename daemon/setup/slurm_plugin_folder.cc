// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/slurm_plugin_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libcoolspan_client.so";
constexpr std::string_view kStock = "select_cons_tres.so";

using Setting = PluginFolderCheck::Setting;

std::vector<std::string> FoldersOf(const std::string& plugin_dir) {
  return absl::StrSplit(plugin_dir, ':', absl::SkipEmpty());
}

// What keeps Slurm's commands and daemons from starting; empty: nothing.
std::string FolderProblem(const std::string& plugin_dir) {
  for (const std::string& folder : FoldersOf(plugin_dir)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(folder, ignored);
    if (fs::is_directory(status)) continue;
    return fmt::format(
        "PluginDir: {} {} (expected existing folders: Slurm does not start)",
        folder, fs::exists(status) ? "is not a folder" : "does not exist");
  }
  return "";
}

// The folders that contain the file, in the order of PluginDir.
std::vector<fs::path> FoldersWith(std::string_view file,
                                  const std::string& plugin_dir) {
  std::vector<fs::path> found;
  for (const std::string& folder : FoldersOf(plugin_dir)) {
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

// Coolspan's plugins open the library by its name, which Slurm's do not have.
bool HasDropIn(const fs::path& folder) {
  std::ifstream file(folder / kStock, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  return content.find(kLibrary) != std::string::npos;
}

std::string NotFound(std::string_view file, const std::string& plugin_dir,
                     std::string_view expected) {
  return fmt::format("PluginDir={}: {} not found (expected {})", plugin_dir,
                     file, expected);
}

PluginFolderCheck CheckNamed(const std::string& plugin_dir,
                             const std::string& underlying) {
  PluginFolderCheck check{.plugin = "named", .setting = Setting::kPluginDir};
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
    check.error = fmt::format(
        "{}: {} not found (expected it beside select_coolspan.so; "
        "copy the folder with cp -rL)",
        folders.front().string(), kLibrary);
  } else if (FoldersWith(stock, plugin_dir).empty()) {
    check.error =
        NotFound(stock, plugin_dir, "the folder of Slurm's plugins as well");
  }
  return check;
}

PluginFolderCheck CheckDropIn(const std::string& plugin_dir,
                              const std::string& underlying) {
  PluginFolderCheck check{.setting = Setting::kPluginDir};
  const auto folders = FoldersWith(kStock, plugin_dir);
  const auto drop_in = std::find_if(folders.begin(), folders.end(), HasDropIn);
  if (folders.empty() && !plugin_dir.empty()) {
    check.error = NotFound(kStock, plugin_dir,
                           "the folder of the drop-in plugin, then that of "
                           "Slurm's plugins");
    return check;
  }
  if (drop_in == folders.end()) {
    check.setting = Setting::kSelectType;
    check.error =
        "SelectType=select/cons_tres is Slurm's own plugin (expected the "
        "folder of the drop-in plugin first in PluginDir, or "
        "SelectType=select/coolspan)";
    return check;
  }
  if (drop_in != folders.begin()) {
    check.error = fmt::format(
        "PluginDir: {} must be before {} (expected the folder of the drop-in "
        "plugin first)",
        drop_in->string(), folders.front().string());
    return check;
  }
  check.plugin = "dropin";
  check.note = fmt::format(
      "PluginDir: {} must exist on each host that uses this slurm.conf (also "
      "configless); it may be empty on hosts other than the controller",
      drop_in->string());
  if (!HasLibrary(*drop_in)) {
    check.error = fmt::format(
        "{}: {} not found (expected it beside {}; copy the folder with cp -rL)",
        drop_in->string(), kLibrary, kStock);
  } else if (folders.size() < 2) {
    check.error = NotFound(fmt::format("Slurm's {}", kStock), plugin_dir,
                           "the folder of Slurm's plugins after the drop-in's");
  } else if (underlying != "cons_tres") {
    check.setting = Setting::kUnderlying;
    check.error = fmt::format(
        "Underlying={}: the drop-in plugin replaces select/cons_tres (expected "
        "Underlying=cons_tres, or SelectType=select/coolspan)",
        underlying);
  }
  return check;
}

}  // namespace

PluginFolderCheck CheckPluginFolders(const std::string& select_type,
                                     const std::string& plugin_dir,
                                     const std::string& underlying) {
  if (std::string problem = FolderProblem(plugin_dir); !problem.empty()) {
    return {.error = std::move(problem), .setting = Setting::kPluginDir};
  }
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
