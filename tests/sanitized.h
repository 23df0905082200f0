// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_SANITIZED_H_
#define COOLSPAN_TESTS_SANITIZED_H_

namespace coolspan {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// The number of rounds of a random test. With a sanitizer, which slows down the
// naive model more than the code under test, a part of them finds what it can
// find; the build without sanitizers compares all answers.
constexpr int Rounds(int all, int sanitized) {
  return kSanitized ? sanitized : all;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_SANITIZED_H_
