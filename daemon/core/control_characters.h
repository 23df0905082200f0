// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_CONTROL_CHARACTERS_H_
#define COOLSPAN_CORE_CONTROL_CHARACTERS_H_

#include <string>
#include <string_view>

namespace coolspan {

// UTF-8 text with DEL, the control characters U+0080 to U+009F and those that
// end lines or turn the direction of text (U+061C, U+200E, U+200F, U+2028 to
// U+202E, U+2066 to U+2069) as \u007f and so on, which is also how JSON writes
// them: a terminal must not obey a name.
// The controls below U+0020 stay: JSON libraries escape them, and text needs
// newlines.
std::string EscapeUpperControls(std::string_view text);

// The same for controls below U+0020, except newline and tab, and for ESC
// unless it sets colours only, as the maps do (ESC [ 39;48;5;7 m). kept:
// further ones to keep.
std::string EscapeControls(std::string_view text, std::string_view kept = "");

}  // namespace coolspan

#endif  // COOLSPAN_CORE_CONTROL_CHARACTERS_H_
