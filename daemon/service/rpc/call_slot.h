// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_CALL_SLOT_H_
#define COOLSPAN_SERVICE_RPC_CALL_SLOT_H_

#include <atomic>

namespace coolspan {

// One of at most max calls in progress, until the end of the scope.
class CallSlot {
 public:
  CallSlot(std::atomic<int>& open, int max)
      : open_(open), is_free_(++open <= max) {}
  ~CallSlot() { --open_; }
  CallSlot(const CallSlot&) = delete;
  CallSlot& operator=(const CallSlot&) = delete;

  // False: the call must be refused.
  bool is_free() const { return is_free_; }

 private:
  std::atomic<int>& open_;
  const bool is_free_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_CALL_SLOT_H_
