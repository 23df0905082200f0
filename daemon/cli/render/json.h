// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_JSON_H_
#define COOLSPAN_CLI_RENDER_JSON_H_

#include <fmt/format.h>

#include <ostream>

#include "replies/json.h"

namespace coolspan {

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
