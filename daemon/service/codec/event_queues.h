// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_EVENT_QUEUES_H_
#define COOLSPAN_SERVICE_CODEC_EVENT_QUEUES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

namespace coolspan {

// How far one client's queue has been applied.
struct QueueMark {
  std::string client_id;
  std::uint64_t sequence = 0;
  bool closed = false;  // a later Sync replaced it
};

// Sequence numbers of the applied events of each client's queue. A Sync
// contains the complete state, so it closes all other queues: their late events
// are older than the Sync. Not thread-safe.
class EventQueues {
 public:
  enum class Place {
    kNext,    // apply now
    kSeen,    // already applied
    kGap,     // an earlier event is missing, or too many queues
    kClosed,  // the queue was closed by a later Sync
  };

  enum class SyncState {
    kCurrent,   // newer than all applied events
    kOutdated,  // later events of its queue were applied
    kReplaced,  // a later Sync closed its queue
  };

  // Error: INVALID_ARGUMENT (longer than 255 bytes: ids are kept and stored).
  static absl::Status CheckClientId(std::string_view client_id);

  // The state of a Sync that includes the events of its queue up to sequence:
  // it may arrive after later events or Syncs.
  SyncState SyncStateOf(const std::string& client_id,
                        std::uint64_t sequence) const;
  // Starts the queue of that Sync and closes all others. REQUIRES
  // SyncStateOf(...) == kCurrent.
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
