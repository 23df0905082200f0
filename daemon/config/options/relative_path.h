// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_RELATIVE_PATH_H_
#define COOLSPAN_CONFIG_OPTIONS_RELATIVE_PATH_H_

#include <filesystem>
#include <string>

namespace coolspan {

// Resolves a path named in a file: relative paths are relative to the directory
// of that file.
inline std::string ResolvePath(const std::string& file,
                               const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_RELATIVE_PATH_H_
