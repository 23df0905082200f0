// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_FILE_ERROR_H_
#define COOLSPAN_FORMATS_FILE_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace coolspan {

// A position in a file, line and column from 1. Line 0: unknown or not in the
// file, such as that of a default.
struct Place {
  int line = 0;
  int column = 0;
};

template <typename T>
struct Placed {
  T value{};
  Place place;
};

// INVALID_ARGUMENT "file:line:column: message", or "file: message" without a
// place.
absl::Status ErrorAt(const std::string& file, Place place,
                     std::string_view message);

// The message as std::string: Debian's Abseil has its own string_view type.
std::string MessageOf(const absl::Status& status);

// Text for a one-line message: non-printable bytes escaped, truncated to 100
// bytes.
std::string Printable(std::string_view text);
// Printable text in double quotes.
std::string Quoted(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_FILE_ERROR_H_
