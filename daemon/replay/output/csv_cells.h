// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OUTPUT_CSV_CELLS_H_
#define COOLSPAN_REPLAY_OUTPUT_CSV_CELLS_H_

#include <string>
#include <string_view>

#include "core/types.h"

namespace coolspan {

// A cell with this text; quoted if a comma or a quote in it would be taken for
// a part of the format.
std::string CsvText(std::string_view text);

// Appends seconds, with three decimals unless they are whole.
void AppendCsvSeconds(TimeMs time_ms, std::string& line);

// Appends a number with the fewest digits that read back as the same; nothing
// where JSON has null.
void AppendCsvNumber(double number, std::string& line);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OUTPUT_CSV_CELLS_H_
