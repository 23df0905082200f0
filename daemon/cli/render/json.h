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

// Keys in the order in which they are written.
using Json = nlohmann::ordered_json;

// Whole numbers without a decimal point, null for what isn't there.
inline Json JsonNumber(std::optional<double> value) {
  constexpr double kExactlyWhole = 9007199254740992.0;  // 2^53
  if (!value.has_value() || !std::isfinite(*value)) return nullptr;
  if (std::fabs(*value) < kExactlyWhole && std::trunc(*value) == *value) {
    return static_cast<std::int64_t>(*value);
  }
  return *value;
}

// As a user writes it, in the fewest decimals.
inline Json JsonDecimals(float value) {
  return Json::parse(fmt::format("{}", value));
}

// One line. Bytes that are no UTF-8, from file names say, are replaced.
inline void PrintJsonLine(const Json& json, std::ostream& out) {
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_JSON_H_
