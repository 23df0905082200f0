// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_SPARKLINE_H_
#define COOLSPAN_CLI_RENDER_SPARKLINE_H_

#include <cstddef>
#include <span>
#include <string>

namespace coolspan {

// Draws values as a line of Unicode block elements (U+2581 to U+2588), 0 as the
// lowest and max as the full one. Of more than `columns` values, consecutive
// ones share a column, which shows their mean. REQUIRES values from 0 to max,
// columns > 0.
std::string Sparkline(std::span<const double> values, double max,
                      std::size_t columns);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_SPARKLINE_H_
