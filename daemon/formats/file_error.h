// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_FILE_ERROR_H_
#define COOLSPAN_FORMATS_FILE_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace coolspan {

// A position in a file, both from 1; line 0: none, as of a default.
struct Place {
  int line = 0;
  int column = 0;
};

template <typename T>
struct Placed {
  T value{};
  Place place;
};

// INVALID_ARGUMENT "file:line:column: message"; the place is left out where
// there is none.
absl::Status ErrorAt(const std::string& file, Place place,
                     std::string_view message);

// The message in the standard library's type: Debian builds Abseil with a
// string_view of its own.
std::string MessageOf(const absl::Status& status);

// One line of text for a message: unprintable bytes escaped, cut where it is
// long.
std::string Printable(std::string_view text);
// The same in double quotes.
std::string Quoted(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_FILE_ERROR_H_
