// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_COUNTED_H_
#define COOLSPAN_CORE_COUNTED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace coolspan {

// "1 node", "2 nodes". REQUIRES a noun with its plural in s.
inline std::string Counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count != 1) text += 's';
  return text;
}

}  // namespace coolspan

#endif  // COOLSPAN_CORE_COUNTED_H_
