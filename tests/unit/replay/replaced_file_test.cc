// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/output/replaced_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "scratch_file.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

std::size_t FilesLike(const std::string& path) {
  std::size_t count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(path).parent_path())) {
    if (entry.path().string().starts_with(path)) ++count;
  }
  return count;
}

TEST(ReplacedFileTest, AppearsWhenItIsComplete) {
  const ScratchFile file("old");
  {
    auto replaced = ReplacedFile::Create(file.path());
    ASSERT_TRUE(replaced.ok()) << replaced.status();
    ASSERT_TRUE((*replaced)->Write("new").ok());
    EXPECT_EQ(file.Read(), "old");
    ASSERT_TRUE((*replaced)->Finish().ok());
    EXPECT_EQ(file.Read(), "new");
  }
  EXPECT_EQ(FilesLike(file.path()), 1U);
}

TEST(ReplacedFileTest, LeavesTheOldOneUnlessFinished) {
  const ScratchFile file("old");
  {
    auto replaced = ReplacedFile::Create(file.path()).value();
    ASSERT_TRUE(replaced->Write("new").ok());
  }
  EXPECT_EQ(file.Read(), "old");
  EXPECT_EQ(FilesLike(file.path()), 1U);
}

TEST(ReplacedFileTest, SymbolicLinksStay) {
  const ScratchFile file("old");
  const std::string link = file.path() + "-link";
  fs::create_symlink(file.path(), link);
  auto replaced = ReplacedFile::Create(link).value();
  ASSERT_TRUE(replaced->Write("new").ok());
  ASSERT_TRUE(replaced->Finish().ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(file.Read(), "new");
  fs::remove(link);
}

TEST(ReplacedFileTest, DevicesAreWrittenDirectly) {
  auto replaced = ReplacedFile::Create("/dev/null").value();
  ASSERT_TRUE(replaced->Write("text").ok());
  ASSERT_TRUE(replaced->Finish().ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(ReplacedFileTest, SaysWhyAFileCannotBeWritten) {
  EXPECT_EQ(ReplacedFile::Create("/nonexistent/r.html").status().message(),
            "/nonexistent/r.html: cannot be written: No such file or "
            "directory");
  EXPECT_EQ(ReplacedFile::Create("/").status().message(),
            "/: cannot be written: Is a directory");
  // The write fails when the buffer is full, or in Finish.
  auto full = ReplacedFile::Create("/dev/full").value();
  ASSERT_TRUE(full->Write("text").ok());
  EXPECT_EQ(full->Finish().message(),
            "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace coolspan
