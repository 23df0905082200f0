// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_HEAT_FACTORS_FILE_H_
#define COOLSPAN_FORMATS_HEAT_FACTORS_FILE_H_

#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "thermal/low_rank_heat.h"

namespace coolspan {

// A file with D in factors (LowRankHeat) starts with this word, none with
// another form of D does.
inline constexpr std::string_view kHeatFactorsWord = "zones";

// Reads D in factors, plain text or gzip; # starts a comment. The first line is
// "zones N cells M"; each other one has a factor, a line of it, a place in that
// line and values from there on, all counted from 0:
//   near RECEIVER EMITTER K/W...   draw CELL ZONE WEIGHT...
//   flow TO FROM K/W...            emit CELL ZONE SHARE...
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is
// none of these, is outside or no finite number.
absl::StatusOr<LowRankHeat::Factors> ReadHeatFactors(const std::string& path);

// Writes what ReadHeatFactors reads, values to six digits. Sorts the entries.
void WriteHeatFactors(const LowRankHeat::Factors& factors, std::ostream& out);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_HEAT_FACTORS_FILE_H_
