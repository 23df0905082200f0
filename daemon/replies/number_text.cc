// SPDX-License-Identifier: GPL-3.0-or-later
#include "replies/number_text.h"

#include <fmt/format.h>

namespace coolspan {

std::string FormatNumber(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace coolspan
