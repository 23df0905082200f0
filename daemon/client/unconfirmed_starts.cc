// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/unconfirmed_starts.h"

#include <algorithm>

namespace coolspan {

void CarryStarts(const EventQueue<v1::SessionRequest>& queue,
                 const v1::SyncRequest* earlier, v1::SyncRequest& sync) {
  auto& starts = *sync.mutable_starts();
  const auto has_room = [&starts] {
    return static_cast<std::size_t>(starts.size()) < kMaxCarriedStarts;
  };
  queue.VisitNewestFirst([&](const v1::SessionRequest& event) {
    if (!event.commit().has_start()) return true;
    v1::Event& start = *starts.Add();
    *start.mutable_job() = event.commit().job();
    start.set_now_ms(event.commit().now_ms());
    *start.mutable_start() = event.commit().start();
    return has_room();
  });
  if (earlier != nullptr) {
    for (int i = earlier->starts_size() - 1; i >= 0 && has_room(); --i) {
      *starts.Add() = earlier->starts(i);
    }
  }
  std::reverse(starts.pointer_begin(), starts.pointer_end());
}

}  // namespace coolspan
