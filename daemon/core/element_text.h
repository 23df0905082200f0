// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ELEMENT_TEXT_H_
#define COOLSPAN_CORE_ELEMENT_TEXT_H_

#include <string>
#include <string_view>

namespace coolspan {

// The text as the content of an element of HTML or XML.
std::string ElementText(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ELEMENT_TEXT_H_
