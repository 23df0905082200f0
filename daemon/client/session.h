// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_SESSION_H_
#define COOLSPAN_CLIENT_SESSION_H_

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// A virtual cluster on a running daemon: one stream of the Session call. Events
// are sent ahead and not waited for; Sync, Allocate and Preview cost a round
// trip each. The cluster ends with the object. Not thread-safe; several
// Sessions may be used at once.
//
// An error the daemon reports, also for an earlier event, comes from the next
// call that reads, with the daemon's code and message; after it, and after a
// broken stream (UNAVAILABLE), every call returns that same error.
class Session {
 public:
  // Opens the stream on the first endpoint that answers (ParseEndpoints'
  // syntax). INVALID_ARGUMENT: endpoints; UNAVAILABLE: none answers.
  static absl::StatusOr<std::unique_ptr<Session>> Open(
      std::string_view endpoints);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Must be the first call. The clock is set to virtual; the epoch, client id,
  // and sequence numbers of later calls are filled in by the Session.
  absl::StatusOr<v1::SyncReply> Sync(v1::SyncRequest request);
  // The cluster's name, attempt and now_ms are the caller's.
  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request);
  absl::StatusOr<v1::AllocateReply> Preview(v1::PreviewRequest request);
  absl::Status Commit(v1::Event event);
  absl::Status Release(v1::Event event);
  absl::Status Resize(v1::Event event);
  absl::Status Suspend(v1::Event event);
  // Ends the stream and says whether all that was sent was accepted.
  absl::Status Close();

 private:
  class Stream;
  explicit Session(std::unique_ptr<Stream> stream);
  std::unique_ptr<Stream> stream_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_SESSION_H_
