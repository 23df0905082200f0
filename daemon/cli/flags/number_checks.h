// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_NUMBER_CHECKS_H_
#define COOLSPAN_CLI_FLAGS_NUMBER_CHECKS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace coolspan {

// Checks of an option's value. Without them CLI11 takes -1 as the largest
// unsigned number of 64 bits, and too large numbers as well.
CLI::Validator WholeNumber(
    std::uint64_t min,
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
CLI::Validator NumberBetween(double min, double max);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_NUMBER_CHECKS_H_
