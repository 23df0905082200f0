// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_WRAP_TEXT_H_
#define COOLSPAN_CLI_RENDER_WRAP_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace coolspan {

// Breaks text at spaces into lines of at most columns bytes, of which start are
// taken on the first line; the others begin with indent spaces. A longer word
// gets a line to itself. No line break at the end.
std::string WrapText(std::string_view text, std::size_t columns,
                     std::size_t indent = 0, std::size_t start = 0);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_WRAP_TEXT_H_
