// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_EVENT_QUEUES_H_
#define COOLSPAN_SERVICE_CODEC_EVENT_QUEUES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace coolspan {

// How far one client's queue has been applied.
struct QueueMark {
  std::string client_id;
  std::uint64_t sequence = 0;
  bool closed = false;  // a later Sync replaced it
};

// How far each client's queue of events has been applied. A Sync states all
// that is, so it closes every queue but its own: what comes late from those is
// older than the Sync. Not thread-safe.
class EventQueues {
 public:
  enum class Place {
    kNext,    // to be applied now
    kSeen,    // applied before
    kGap,     // an earlier one is missing
    kClosed,  // a later Sync replaced the queue
  };

  enum class Turn {
    kNow,       // it says what is
    kLate,      // later events of its queue were applied
    kReplaced,  // a later Sync closed its queue
  };

  // Whether a Sync says what is, whose holdings include the events of its
  // queue up to sequence: another may have come before it.
  Turn TurnOf(const std::string& client_id, std::uint64_t sequence) const;
  // Begins the queue of that Sync. REQUIRES TurnOf(...) == kNow.
  void Restart(const std::string& client_id, std::uint64_t sequence);
  // A client without a queue starts one with sequence 1.
  Place Find(const std::string& client_id, std::uint64_t sequence) const;
  // REQUIRES Find(...) == kNext.
  void Advance(const std::string& client_id, std::uint64_t sequence);
  // Whether events up to sequence were applied.
  bool Reached(const std::string& client_id, std::uint64_t sequence) const;
  bool IsClosed(const std::string& client_id) const;

  std::vector<QueueMark> Marks() const;
  void Restore(const QueueMark& mark);

 private:
  static constexpr std::size_t kMaxQueues = 1024;

  absl::flat_hash_map<std::string, std::uint64_t> applied_;  // by client
  std::deque<std::string> closed_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_EVENT_QUEUES_H_
