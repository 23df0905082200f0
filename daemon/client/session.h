// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_SESSION_H_
#define COOLSPAN_CLIENT_SESSION_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// A virtual cluster on a running daemon: one stream of the Session call. Events
// are sent without waiting for an answer; Sync, Allocate and Preview take one
// round trip each. The cluster is deleted with the object. Not thread-safe;
// different Sessions may be used concurrently.
//
// An error reported by the daemon, also for an earlier event, is returned by
// the next call that reads, with the daemon's code and message. After it, and
// after a broken stream (UNAVAILABLE), all calls return the same error.
class Session {
 public:
  // Opens the stream on the first endpoint that answers. INVALID_ARGUMENT: as
  // ParseEndpoints; UNAVAILABLE: none answers.
  static absl::StatusOr<std::unique_ptr<Session>> Open(
      const DaemonAddress& address);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Must be the first call. The Session sets the virtual clock, and the cluster
  // name, epoch, client id and sequence numbers of later calls.
  absl::StatusOr<v1::SyncReply> Sync(v1::SyncRequest request);
  // The caller sets attempt and now_ms.
  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request);
  absl::StatusOr<v1::AllocateReply> Preview(v1::PreviewRequest request);
  absl::Status Commit(v1::Event event);
  absl::Status Release(v1::Event event);
  absl::Status Resize(v1::Event event);
  absl::Status Suspend(v1::Event event);
  // Closes the stream. OK if the daemon accepted everything that was sent.
  absl::Status Close();

 private:
  class Stream;
  explicit Session(std::unique_ptr<Stream> stream);
  std::unique_ptr<Stream> stream_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_SESSION_H_
