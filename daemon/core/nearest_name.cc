// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace coolspan {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view typed,
                             std::span<const std::string_view> known) {
  constexpr std::size_t kMaxNameBytes = 64;
  if (typed.size() > kMaxNameBytes) return {};
  std::string_view nearest;
  std::size_t min_edits = kMaxNameBytes;
  for (const std::string_view name : known) {
    const std::size_t edits = EditDistance(typed, name);
    const bool near = 3 * edits <= std::max(typed.size(), name.size());
    if (near && edits < min_edits) {
      nearest = name;
      min_edits = edits;
    }
  }
  return nearest;
}

}  // namespace coolspan
