// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/control_characters.h"

#include <algorithm>
#include <cstddef>

namespace coolspan {
namespace {

constexpr char kDelete = '\x7f';

// code: below 65,536.
void AppendEscaped(unsigned code, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned kFirstShift = 12;
  text += "\\u";
  for (unsigned shift = kFirstShift + 4; shift > 0; shift -= 4) {
    text += kDigits[(code >> (shift - 4)) % kDigits.size()];
  }
}

// Characters above ASCII that terminals obey, end lines or turn the direction
// of what follows: ranges of code points.
struct Range {
  unsigned first;
  unsigned last;
};
constexpr Range kUpperControls[] = {
    {0x80, 0x9F},     {0x61C, 0x61C},   {0x200E, 0x200F},
    {0x2028, 0x202E}, {0x2066, 0x2069},
};

struct Character {
  unsigned code = 0;
  std::size_t bytes = 0;  // in UTF-8
};
// The first character of the text, if it has two or three bytes.
Character FirstUpper(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&byte](std::size_t i) { return byte(i) >> 6 == 2; };
  const auto low_bits = [&byte](std::size_t i) { return byte(i) & 0x3FU; };
  if (byte(0) >> 5 == 6 && continues(1)) {
    return {((byte(0) & 0x1FU) << 6) | low_bits(1), 2};
  }
  if (byte(0) >> 4 == 14 && continues(1) && continues(2)) {
    return {((byte(0) & 0xFU) << 12) | (low_bits(1) << 6) | low_bits(2), 3};
  }
  return {};
}

bool IsUpperControl(const Character& character) {
  return std::ranges::any_of(kUpperControls, [&character](const Range& range) {
    return character.code >= range.first && character.code <= range.last;
  });
}

// "\x1b[39;48;5;7m...": only the foreground and the background are set, or all
// is reset. Other attributes would conceal text.
bool BeginsColour(std::string_view text) {
  constexpr std::string_view kBegin = "\x1b[";
  if (!text.starts_with(kBegin)) return false;
  text.remove_prefix(kBegin.size());
  while (true) {
    for (const std::string_view set : {"0", "39", "49", "38;5;", "48;5;"}) {
      if (!text.starts_with(set)) continue;
      text.remove_prefix(set.size());
      if (!set.ends_with(';')) break;
      const std::size_t digits = text.find_first_not_of("0123456789");
      if (digits == 0 || digits == std::string_view::npos) return false;
      text.remove_prefix(digits);
      break;
    }
    if (text.empty() || text[0] != ';') break;
    text.remove_prefix(1);
  }
  return text.starts_with('m');
}

template <typename IsKept>
std::string Escape(std::string_view text, const IsKept& is_kept) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const Character upper = FirstUpper(text.substr(i));
    if (upper.bytes > 0 && IsUpperControl(upper)) {
      AppendEscaped(upper.code, escaped);
      i += upper.bytes - 1;
    } else if (c == kDelete ||
               (static_cast<unsigned char>(c) < ' ' && !is_kept(i))) {
      AppendEscaped(static_cast<unsigned char>(c), escaped);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string EscapeUpperControls(std::string_view text) {
  return Escape(text, [](std::size_t) { return true; });
}

std::string EscapeControls(std::string_view text, std::string_view kept) {
  return Escape(text, [text, kept](std::size_t i) {
    return text[i] == '\n' || text[i] == '\t' ||
           kept.find(text[i]) != std::string_view::npos ||
           BeginsColour(text.substr(i));
  });
}

}  // namespace coolspan
