// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_SCRATCH_FILE_H_
#define COOLSPAN_TESTS_SCRATCH_FILE_H_

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace coolspan {

// A file of the current test alone, gone with the object.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view content = "",
                       std::string_view suffix = "") {
    const testing::TestInfo* test =
        testing::UnitTest::GetInstance()->current_test_info();
    static int count = 0;
    path_ = testing::TempDir() + "coolspan-" + std::to_string(getpid()) + "-" +
            test->name() + "-" + std::to_string(count++);
    // Those of parameterised tests have a slash.
    std::replace(
        path_.begin() + static_cast<std::ptrdiff_t>(testing::TempDir().size()),
        path_.end(), '/', '-');
    path_ += suffix;
    Write(content);
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  static std::string Gzip(std::string_view content) {
    const ScratchFile file;
    gzFile out = gzopen(file.path().c_str(), "wb");
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    gzclose(out);
    return file.Read();
  }

  const std::string& path() const { return path_; }
  void Write(std::string_view content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }
  std::string Read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // The error message, which must start with the path, without it.
  std::string MessageOf(const absl::Status& error) const {
    const std::string message(error.message());
    EXPECT_EQ(message.find(path_), 0U) << message;
    return message.substr(std::min(path_.size(), message.size()));
  }

 private:
  std::string path_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_SCRATCH_FILE_H_
