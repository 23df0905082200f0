// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_NUMBER_TEXT_H_
#define COOLSPAN_REPLIES_NUMBER_TEXT_H_

#include <string>

namespace coolspan {

// At most three decimals, no trailing zeros.
std::string FormatNumber(double value);

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_NUMBER_TEXT_H_
