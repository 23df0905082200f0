// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CONFIG_TOPOLOGY_FILES_H_
#define COOLSPAN_TESTS_UNIT_CONFIG_TOPOLOGY_FILES_H_

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "config/machine/machine_file.h"
#include "scratch_file.h"

namespace coolspan {

// Parses a machine file in which FILE stands for the path of the given file.
inline absl::StatusOr<std::shared_ptr<const Machine>> ParseWithFile(
    std::string text, const ScratchFile& file,
    std::vector<std::string>* warnings = nullptr) {
  const std::size_t at = text.find("FILE");
  if (at != std::string::npos) text.replace(at, 4, file.path());
  return ParseMachineFile("name: x\n" + text, "m.yaml", warnings);
}

// The error for a file of this content, with FILE for its path.
inline std::string ErrorOfContent(const std::string& text,
                                  std::string_view content) {
  const ScratchFile file(content);
  const auto machine = ParseWithFile(text, file);
  if (machine.ok()) return "no error";
  EXPECT_FALSE(absl::IsNotFound(machine.status()));
  std::string message(machine.status().message());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  for (std::size_t at = message.find(file.path()); at != std::string::npos;
       at = message.find(file.path())) {
    message.replace(at, file.path().size(), "FILE");
  }
  return message;
}

struct BadContent {
  const char* what;
  std::string content;
  const char* error;  // its beginning
};
inline void PrintTo(const BadContent& bad, std::ostream* out) {
  *out << bad.what;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CONFIG_TOPOLOGY_FILES_H_
