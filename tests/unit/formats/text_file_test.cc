// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/text_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "scratch_file.h"

namespace coolspan {
namespace {

TEST(TextFileTest, SaysWhyAFileCannotBeOpened) {
  const ScratchFile file;
  std::filesystem::remove(file.path());
  EXPECT_EQ(file.MessageOf(ReadTextFile(file.path()).status()),
            ": no such file");
  std::filesystem::create_symlink(file.path(), file.path());
  EXPECT_EQ(file.MessageOf(ReadTextFile(file.path()).status()),
            ": cannot open file: Too many levels of symbolic links");
}

}  // namespace
}  // namespace coolspan
