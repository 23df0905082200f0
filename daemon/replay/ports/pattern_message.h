// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PORTS_PATTERN_MESSAGE_H_
#define COOLSPAN_REPLAY_PORTS_PATTERN_MESSAGE_H_

#include "coolspan/v1/allocator.pb.h"
#include "core/comm_pattern.h"

namespace coolspan {

void EncodePattern(const CommPattern& pattern, v1::CommPattern& message);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PORTS_PATTERN_MESSAGE_H_
