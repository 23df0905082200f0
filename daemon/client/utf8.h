// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_UTF8_H_
#define COOLSPAN_CLIENT_UTF8_H_

#include <string>
#include <string_view>

namespace coolspan {

// The text with each invalid sequence replaced by U+FFFD. Valid text, also NUL
// and other control characters, is returned unchanged.
//
// One U+FFFD stands for each maximal subpart of an ill-formed subsequence
// (Unicode 15.0, section 3.9, "U+FFFD Substitution of Maximal Subparts"; the
// same as in the WHATWG Encoding Standard): one for a character that was cut
// off after its first bytes, one for each byte that cannot begin or continue a
// character. Overlong forms, surrogates and values above U+10FFFF are invalid.
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_UTF8_H_
