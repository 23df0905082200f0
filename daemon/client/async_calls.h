// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_ASYNC_CALLS_H_
#define COOLSPAN_CLIENT_ASYNC_CALLS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// Many calls of a resource manager in flight at a time, made by one thread. Not
// thread-safe.
class AsyncCalls {
 public:
  using Clock = std::chrono::steady_clock;
  // Called by Poll, once for each call; may make further calls. Errors:
  // DEADLINE_EXCEEDED after the timeout, UNAVAILABLE without a daemon, and
  // those of the daemon.
  template <typename Reply>
  using Done =
      std::function<void(absl::StatusOr<Reply> reply, Clock::duration took)>;

  struct Options {
    DaemonAddress address;
    std::size_t connections = 1;                // at least 1; see lane
    std::chrono::milliseconds timeout{30'000};  // of each call
  };
  // Connects to the first endpoint that answers. When a call is not answered,
  // or refused because another daemon is the leader, later calls use that one
  // or the next endpoint. Errors: INVALID_ARGUMENT
  // (address), UNAVAILABLE.
  static absl::StatusOr<std::unique_ptr<AsyncCalls>> Connect(
      const Options& options);
  // Cancels the calls in flight; their functions are not called.
  ~AsyncCalls();
  AsyncCalls(const AsyncCalls&) = delete;
  AsyncCalls& operator=(const AsyncCalls&) = delete;

  // lane: the calls of a lane use one connection, lanes are spread over the
  // connections.
  void Allocate(std::size_t lane, const v1::AllocateRequest& request,
                Done<v1::AllocateReply> done);
  void Commit(std::size_t lane, const v1::Event& event,
              Done<v1::EventReply> done);
  void Release(std::size_t lane, const v1::Event& event,
               Done<v1::EventReply> done);

  // Waits for the end of a call, at most until the given time, and calls its
  // function.
  void Poll(Clock::time_point until);
  std::size_t in_flight() const;

 private:
  class Connections;
  explicit AsyncCalls(std::unique_ptr<Connections> connections);
  std::unique_ptr<Connections> connections_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_ASYNC_CALLS_H_
