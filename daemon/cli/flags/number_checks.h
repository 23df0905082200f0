// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_NUMBER_CHECKS_H_
#define COOLSPAN_CLI_FLAGS_NUMBER_CHECKS_H_

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

namespace coolspan {

// Checks of an option's value. Without them CLI11 takes -1 as the largest
// unsigned number of 64 bits, and too large numbers as well.
CLI::Validator WholeNumber(
    std::uint64_t min,
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
CLI::Validator NumberBetween(double min, double max);

// Whether the whole text is a number without a sign, which is set then.
template <typename Number>
bool ReadWhole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_NUMBER_CHECKS_H_
