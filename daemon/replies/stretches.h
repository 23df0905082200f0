// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_STRETCHES_H_
#define COOLSPAN_REPLIES_STRETCHES_H_

#include <cstddef>

#include "replies/json.h"

namespace coolspan {

// Runs of equal values as [count, value, count, value, ...].
template <typename Values>
Json Stretches(const Values& values) {
  Json stretches = Json::array();
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ++count;
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    stretches.push_back(count);
    stretches.push_back(values[i]);
    count = 0;
  }
  return stretches;
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_STRETCHES_H_
