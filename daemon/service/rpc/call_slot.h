// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_STREAM_SLOT_H_
#define COOLSPAN_SERVICE_RPC_STREAM_SLOT_H_

#include <atomic>

namespace coolspan {

// One of at most max open streams, until the end of the scope.
class StreamSlot {
 public:
  StreamSlot(std::atomic<int>& open, int max)
      : open_(open), is_free_(++open <= max) {}
  ~StreamSlot() { --open_; }
  StreamSlot(const StreamSlot&) = delete;
  StreamSlot& operator=(const StreamSlot&) = delete;

  // False: the stream must be refused.
  bool is_free() const { return is_free_; }

 private:
  std::atomic<int>& open_;
  const bool is_free_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_STREAM_SLOT_H_
