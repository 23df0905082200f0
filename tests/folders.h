// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_FOLDERS_H_
#define COOLSPAN_TESTS_FOLDERS_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace coolspan {

// Known to folders.cc alone, so that every other object of the tests is the
// same in each clone.

// Where the real data is (../shared/data beside the source tree, or the
// environment's COOLSPAN_DATA_DIR); third-party, so not part of the tree.
std::filesystem::path DataDir();
std::filesystem::path SourceDir();
std::filesystem::path BinaryDir();

}  // namespace coolspan

// Skips the test, saying so, where a file of the data folder is absent; with
// COOLSPAN_REQUIRE_DATA=1 that is a failure.
#define COOLSPAN_NEED_DATA(relative)                                       \
  do {                                                                     \
    const auto needed = ::coolspan::DataDir() / (relative);                \
    if (!std::filesystem::exists(needed)) {                                \
      const char* required = std::getenv("COOLSPAN_REQUIRE_DATA");         \
      if (required != nullptr && std::string(required) == "1") {           \
        FAIL() << "required data is absent: " << needed;                   \
      }                                                                    \
      GTEST_SKIP() << "needs " << needed << ", which is not on this host"; \
    }                                                                      \
  } while (false)

#endif  // COOLSPAN_TESTS_FOLDERS_H_
