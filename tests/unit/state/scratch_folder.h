// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_STATE_SCRATCH_FOLDER_H_
#define COOLSPAN_TESTS_UNIT_STATE_SCRATCH_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace coolspan {

// A temporary folder, removed with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "coolspan-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string File(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_STATE_SCRATCH_FOLDER_H_
