// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_FUZZ_EXPECT_H_
#define COOLSPAN_TESTS_FUZZ_EXPECT_H_

#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace coolspan {

// libFuzzer keeps the input that ends the process.
inline void Expect(bool holds) {
  if (!holds) std::abort();
}

// An error with a message of one line that begins with start.
inline void ExpectOneLine(const absl::Status& error, std::string_view start) {
  const std::string message(error.message());
  Expect(message.starts_with(start));
  Expect(message.find('\n') == std::string::npos);
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_FUZZ_EXPECT_H_
