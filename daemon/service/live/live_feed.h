// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_LIVE_FEED_H_
#define COOLSPAN_SERVICE_LIVE_LIVE_FEED_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "service/http/http_server.h"
#include "service/journal/watch_hub.h"

namespace coolspan {

// The last happenings as server-sent events, for any number of streams: one
// watcher, and one text for each happening. A stream that falls behind the
// texts that are kept gets the number of events that it missed. Watches only
// while there are streams, and a while longer, so that a client that connects
// again misses nothing. Thread-safe.
class LiveFeed {
 public:
  struct Limits {
    std::size_t streams = 16;
    std::size_t events = 2000;
    std::size_t bytes = std::size_t{4} << 20;
    std::chrono::milliseconds linger{30'000};
    std::chrono::milliseconds heartbeat{10'000};
  };

  // hub must outlive the feed. start: of the ids of events, another one for
  // each start of the daemon, without "-". Nobody is woken for an event: the
  // server asks streams ten times a second, which bounds what many events cost.
  LiveFeed(WatchHub& hub, std::string start, Limits limits);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // Events of the cluster (empty: all) after the one with that id; from now on
  // if the id is none of this start. The feed must outlive the stream. Errors:
  // RESOURCE_EXHAUSTED (too many streams, or watchers); UNAVAILABLE (the daemon
  // is shutting down).
  absl::StatusOr<std::unique_ptr<HttpStream>> Open(const std::string& cluster,
                                                   std::string_view last_id);
  std::size_t streams() const;

 private:
  class Stream;
  struct Event {
    std::string cluster;
    std::string text;
  };

  void Run();
  // REQUIRES mutex_.
  bool IsWatched() const;
  // Moves the events from next on to text, of at least one and about a block.
  // REQUIRES mutex_.
  void Take(const std::string& cluster, std::uint64_t& next,
            std::string& text) const;
  void Add(const v1::Happening& happening);
  void Close();

  WatchHub& hub_;
  const std::string start_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  std::size_t bytes_ = 0;    // of events_
  std::uint64_t first_ = 1;  // number of the first of events_
  std::size_t streams_ = 0;
  std::chrono::steady_clock::time_point last_closed_{};
  std::shared_ptr<Watcher> watcher_;  // nullptr: nobody watches
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_LIVE_FEED_H_
