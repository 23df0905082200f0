// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_JSON_H_
#define COOLSPAN_CLI_RENDER_JSON_H_

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

namespace coolspan {

// Keeps keys in the order in which they were added.
using Json = nlohmann::ordered_json;

// Whole numbers without a decimal point; null for no value, NaN and infinity.
inline Json JsonNumber(std::optional<double> value) {
  constexpr double kExactlyWhole = 9007199254740992.0;  // 2^53
  if (!value.has_value() || !std::isfinite(*value)) return nullptr;
  if (std::fabs(*value) < kExactlyWhole && std::trunc(*value) == *value) {
    return static_cast<std::int64_t>(*value);
  }
  return *value;
}

// With the fewest decimals that read back as the same float.
inline Json JsonDecimals(float value) {
  return Json::parse(fmt::format("{}", value));
}

// Prints one line. Bytes that are not UTF-8, as in file names, are replaced.
inline void PrintJsonLine(const Json& json, std::ostream& out) {
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_JSON_H_
