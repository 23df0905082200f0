// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_UNCONFIRMED_STARTS_H_
#define COOLSPAN_CLIENT_UNCONFIRMED_STARTS_H_

#include <cstddef>
#include <string>

#include "client/event_queue.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// Max starts that a Sync carries, the newest ones. Bounds the time under the
// controller's locks and the size of the message.
inline constexpr std::size_t kMaxCarriedStarts = 2048;

// Adds to the Sync the starts of unacknowledged commits, which it replaces:
// those of the queue of client_id, and those of an earlier Sync that was not
// acknowledged (nullptr: none).
void CarryStarts(const EventQueue<v1::SessionRequest>& queue,
                 const std::string& client_id, const v1::SyncRequest* earlier,
                 v1::SyncRequest& sync);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_UNCONFIRMED_STARTS_H_
