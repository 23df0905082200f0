// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CALLS_H_
#define COOLSPAN_CLIENT_CALLS_H_

#include <chrono>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// Blocking calls to a running daemon. Each call tries the endpoints in order
// until one answers. UNAVAILABLE means that no daemon answered in time; all
// other codes are from the daemon. Thread-safe.
class Calls {
 public:
  // INVALID_ARGUMENT: as ParseEndpoints. Does not connect.
  static absl::StatusOr<std::unique_ptr<Calls>> Create(
      const DaemonAddress& address,
      std::chrono::milliseconds timeout = std::chrono::seconds(5));
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  absl::StatusOr<v1::StatusReply> Status();
  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  absl::StatusOr<v1::MapReply> Map(const v1::MapRequest& request);
  absl::StatusOr<v1::ExplainReply> Explain(const v1::ExplainRequest& request);
  absl::StatusOr<v1::SetModeReply> SetMode(const v1::SetModeRequest& request);
  absl::StatusOr<v1::ReloadReply> Reload();
  absl::StatusOr<v1::DrainReply> Drain(const v1::DrainRequest& request);
  absl::StatusOr<v1::RemoveClusterReply> RemoveCluster(
      const v1::RemoveClusterRequest& request);
  absl::StatusOr<v1::JobsReply> Jobs(const v1::JobsRequest& request);
  absl::StatusOr<v1::HistoryReply> History(const v1::HistoryRequest& request);

 private:
  class Connections;
  explicit Calls(std::unique_ptr<Connections> connections);
  std::unique_ptr<Connections> connections_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CALLS_H_
