// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_LEARNED_ROOM_H_
#define COOLSPAN_SERVICE_MONITOR_LEARNED_ROOM_H_

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/types.h"
#include "state/ledger_store.h"
#include "thermal/live_room.h"

namespace coolspan {

inline constexpr char kLearnedRoom[] = "room";  // StoredLearning::name

// REQUIRES a machine with a room.
StoredLearning EncodeLearned(const LearnedRoom& learned, const Machine& machine,
                             TimeMs saved_ms);
// Errors: FAILED_PRECONDITION (of another machine or room), DATA_LOSS (not what
// EncodeLearned writes, or not plausible).
absl::StatusOr<LearnedRoom> DecodeLearned(const StoredLearning& stored,
                                          const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_LEARNED_ROOM_H_
