// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_HEAT_FACTORS_FILE_H_
#define COOLSPAN_FORMATS_HEAT_FACTORS_FILE_H_

#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "thermal/low_rank_heat.h"

namespace coolspan {

// The first word of a file with D in factors (LowRankHeat), and of no other
// format of D.
inline constexpr std::string_view kHeatFactorsWord = "zones";

// Reads D = near + draw flow emit (N + R F S in coolspan-machine(5)), plain
// text or gzip; # starts a comment. The first line is "zones N cells M"; every
// other line has the name of a factor, the index of one of its lines, the index
// of the first value in that line, and the values, indices from 0:
//   near RECEIVER EMITTER K/W...   draw CELL ZONE WEIGHT...
//   flow TO FROM K/W...            emit CELL ZONE SHARE...
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a line of
// another form, an index out of range and a value that is not a finite number.
absl::StatusOr<LowRankHeat::Factors> ReadHeatFactors(const std::string& path);

// Writes the format of ReadHeatFactors, entries sorted, values to six digits.
void WriteHeatFactors(const LowRankHeat::Factors& factors, std::ostream& out);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_HEAT_FACTORS_FILE_H_
