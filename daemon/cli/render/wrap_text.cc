// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/wrap_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace coolspan {

std::string WrapText(std::string_view text, std::size_t columns,
                     std::size_t indent, std::size_t start) {
  std::string wrapped;
  std::size_t width = 0;  // of the last line
  const std::vector<std::string> words =
      absl::StrSplit(std::string(text), ' ', absl::SkipEmpty());
  for (const std::string& word : words) {
    if (wrapped.empty()) {
      width = start + word.size();
    } else if (width + 1 + word.size() <= columns) {
      wrapped += ' ';
      width += 1 + word.size();
    } else {
      wrapped += '\n';
      wrapped.append(indent, ' ');
      width = indent + word.size();
    }
    wrapped += word;
  }
  return wrapped;
}

}  // namespace coolspan
