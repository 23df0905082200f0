// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/unconfirmed_starts.h"

#include <algorithm>

namespace coolspan {

void CarryStarts(const EventQueue<v1::SessionRequest>& queue,
                 const std::string& client_id, const v1::SyncRequest* earlier,
                 v1::SyncRequest& sync) {
  auto& starts = *sync.mutable_starts();
  const auto may_add = [&starts] {
    return static_cast<std::size_t>(starts.size()) < kMaxCarriedStarts;
  };
  queue.VisitNewestFirst(
      [&](std::uint64_t sequence, const v1::SessionRequest& event) {
        if (!event.commit().has_start()) return true;
        v1::Event& start = *starts.Add();
        *start.mutable_job() = event.commit().job();
        start.set_now_ms(event.commit().now_ms());
        *start.mutable_start() = event.commit().start();
        start.set_client_id(client_id);
        start.set_sequence(sequence);
        return may_add();
      });
  if (earlier != nullptr) {
    for (int i = earlier->starts_size() - 1; i >= 0 && may_add(); --i) {
      *starts.Add() = earlier->starts(i);
    }
  }
  std::reverse(starts.pointer_begin(), starts.pointer_end());
}

}  // namespace coolspan
