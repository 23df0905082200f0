// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/control_characters.h"

namespace coolspan {
namespace {

constexpr char kDelete = '\x7f';
// The first byte of U+0080 to U+00BF in UTF-8; the second is the low byte.
constexpr auto kLatinPage = static_cast<char>(0xC2);
constexpr unsigned char kFirstUpper = 0x80;
constexpr unsigned char kLastUpper = 0x9F;

// code: below 256.
void AppendEscaped(unsigned code, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text += "\\u00";
  text += kDigits[code / kDigits.size()];
  text += kDigits[code % kDigits.size()];
}

bool IsUpperControl(std::string_view text) {
  if (text.size() < 2 || text[0] != kLatinPage) return false;
  const auto second = static_cast<unsigned char>(text[1]);
  return second >= kFirstUpper && second <= kLastUpper;
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
    if (IsUpperControl(text.substr(i))) {
      AppendEscaped(static_cast<unsigned char>(text[++i]), escaped);
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
