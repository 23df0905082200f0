// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/printable_stream.h"

#include "core/control_characters.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxHeld = 1 << 16;

}  // namespace

PrintableStream::Buffer::int_type PrintableStream::Buffer::overflow(
    int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return c;
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* text,
                                                std::streamsize size) {
  held_.append(text, static_cast<std::size_t>(size));
  if (held_.size() < kMaxHeld) return size;
  return WriteOut() ? size : 0;
}

// Up to the last newline: a character or a colour may be incomplete.
bool PrintableStream::Buffer::WriteOut() {
  const std::size_t newline = held_.rfind('\n');
  const std::size_t end =
      newline == std::string::npos ? held_.size() : newline + 1;
  target_ << EscapeControls(held_.substr(0, end), kept_);
  held_.erase(0, end);
  return target_.good();
}

int PrintableStream::Buffer::sync() {
  target_ << EscapeControls(held_, kept_);
  held_.clear();
  target_.flush();
  return target_.good() ? 0 : -1;
}

}  // namespace coolspan
