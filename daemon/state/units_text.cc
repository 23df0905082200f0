// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/units_text.h"

#include <charconv>

namespace coolspan {
namespace {

constexpr std::size_t kMaxNodes = std::size_t{1} << 24;

// Parses and removes a number at the start of text.
bool TakeNumber(std::string_view& text, std::uint32_t& out) {
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace

std::string FormatUnits(std::span<const Units> units) {
  std::string text;
  for (std::size_t i = 0; i < units.size();) {
    std::size_t end = i;
    while (end < units.size() && units[end] == units[i]) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(units[i]);
    if (end - i > 1) text += 'x' + std::to_string(end - i);
    i = end;
  }
  return text;
}

std::optional<std::vector<Units>> ParseUnits(std::string_view text) {
  std::vector<Units> units;
  while (!text.empty()) {
    std::uint32_t value = 0;
    std::uint32_t count = 1;
    if (!TakeNumber(text, value)) return std::nullopt;
    if (!text.empty() && text.front() == 'x') {
      text.remove_prefix(1);
      if (!TakeNumber(text, count)) return std::nullopt;
    }
    if (count > kMaxNodes - units.size()) return std::nullopt;
    units.insert(units.end(), count, value);
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return units;
}

}  // namespace coolspan
