// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/ports/pattern_message.h"

namespace coolspan {

void EncodePattern(const CommPattern& pattern, v1::CommPattern& message) {
  message.set_ranks(pattern.ranks());
  for (TaskRank from = 0; from < pattern.ranks(); ++from) {
    const auto receivers = pattern.ReceiversOf(from);
    const auto bytes = pattern.BytesFrom(from);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      message.add_from(from);
      message.add_to(receivers[i]);
      message.add_bytes(bytes[i]);
    }
  }
}

}  // namespace coolspan
