// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_JSON_H_
#define COOLSPAN_REPLIES_JSON_H_

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

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

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_JSON_H_
