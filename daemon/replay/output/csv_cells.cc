// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/output/csv_cells.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iterator>

#include "replay/input/workload.h"

namespace coolspan {

std::string CsvText(std::string_view text) {
  if (text.find_first_of(",\"") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

void AppendCsvSeconds(TimeMs time_ms, std::string& line) {
  const auto end = std::back_inserter(line);
  if (time_ms % kMsPerSecond == 0) {
    fmt::format_to(end, "{}", time_ms / kMsPerSecond);
  } else {
    fmt::format_to(end, "{}{}.{:03}", time_ms < 0 ? "-" : "",
                   std::abs(time_ms / kMsPerSecond),
                   std::abs(time_ms % kMsPerSecond));
  }
}

void AppendCsvNumber(double number, std::string& line) {
  if (std::isfinite(number)) {
    fmt::format_to(std::back_inserter(line), "{}", number);
  }
}

}  // namespace coolspan
