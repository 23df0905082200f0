// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/number_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

namespace coolspan {

CLI::Validator WholeNumber(std::uint64_t min, std::uint64_t max) {
  return {
      [min, max](const std::string& text) -> std::string {
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        const bool is_number = stop == end && !text.empty();
        const bool is_too_large =
            is_number && (error != std::errc() || number > max);
        if (is_number && !is_too_large && number >= min) return "";
        if (is_too_large || max != std::numeric_limits<std::uint64_t>::max()) {
          return fmt::format(
              "'{}' is not valid (expected a whole number from {} to {})", text,
              min, max);
        }
        return fmt::format(
            "'{}' is not valid (expected a whole number of at least {})", text,
            min);
      },
      ""};
}

CLI::Validator NumberBetween(double min, double max) {
  return {[min, max](const std::string& text) -> std::string {
            double number = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, error] =
                std::from_chars(text.data(), end, number);
            if (error != std::errc() || stop != end) {
              return fmt::format(
                  "'{}' is not valid (expected a number from {} to {})", text,
                  min, max);
            }
            if (number >= min && number <= max) return "";
            return fmt::format("{} is out of range (expected {} to {})", text,
                               min, max);
          },
          ""};
}

}  // namespace coolspan
