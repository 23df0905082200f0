// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_ETCD_CLIENT_H_
#define COOLSPAN_ETCD_ETCD_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "etcd/rpc.grpc.pb.h"
#include "tls/certificates.h"

namespace coolspan {

// Members of one etcd cluster.
struct EtcdAddress {
  std::vector<std::string> endpoints;  // HOST:PORT
  CertificateFiles tls;                // cert and key may be empty
};

// Calls of etcd's v3 API. A call that a member does not answer is made again at
// the next one; so that it may be applied twice, or late, its request must be
// such that this changes nothing. Errors of all calls: UNAVAILABLE (no member
// has answered in time, or all refuse); OUT_OF_RANGE (a revision that is
// compacted, or in the future). Thread-safe.
class EtcdClient {
 public:
  using Clock = std::chrono::steady_clock;
  // Of one attempt at one member, and of a call.
  static constexpr std::chrono::milliseconds kAttemptTime{1000};
  static constexpr std::chrono::milliseconds kCallTime{2500};

  explicit EtcdClient(const EtcdAddress& address);

  absl::StatusOr<etcdserverpb::RangeResponse> Range(
      const etcdserverpb::RangeRequest& request);
  // All keys of the range in pages, at one revision, which it returns.
  absl::StatusOr<std::int64_t> RangeAll(
      const std::string& key, const std::string& range_end,
      const std::function<void(const mvccpb::KeyValue&)>& on_key);
  // At the same time; a result for each.
  std::vector<absl::StatusOr<etcdserverpb::TxnResponse>> Txns(
      std::span<const etcdserverpb::TxnRequest> requests);
  absl::StatusOr<etcdserverpb::TxnResponse> Txn(
      const etcdserverpb::TxnRequest& request);

  absl::StatusOr<etcdserverpb::LeaseGrantResponse> GrantLease(
      std::int64_t ttl_s);
  // Returns the new time to live in seconds; 0: the lease has ended. within: of
  // the whole call.
  absl::StatusOr<std::int64_t> KeepAlive(std::int64_t lease,
                                         std::chrono::milliseconds within);
  absl::Status RevokeLease(std::int64_t lease);

  // A watch of the range from a revision on. Calls on_response for each
  // message, on this thread, until it returns false. While nothing is received
  // for kSilence, or the member has no leader, or cancels the watch for another
  // reason than a compaction, it ends with UNAVAILABLE; the next call asks the
  // next member.
  absl::Status Watch(
      const std::string& key, const std::string& range_end,
      std::int64_t from_revision,
      const std::function<bool(const etcdserverpb::WatchResponse&)>&
          on_response);

  // From now on, all calls end within a short time each: for the end of the
  // daemon.
  void Hurry();
  // Ends all calls, also later ones.
  void Stop();

 private:
  static constexpr std::chrono::milliseconds kHurriedTime{300};
  static constexpr std::chrono::milliseconds kSilence{2500};
  // For a member that is not connected.
  static constexpr std::chrono::milliseconds kConnectTime{200};

  struct Member {
    std::string endpoint;
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<etcdserverpb::KV::Stub> kv;
    std::unique_ptr<etcdserverpb::Watch::Stub> watch;
    std::unique_ptr<etcdserverpb::Lease::Stub> lease;
  };
  // Registers a context, so that Stop can cancel it.
  class Context;

  std::size_t Current() const { return current_; }
  // Waits a little for the connection, if there is none. Without waiting, gRPC
  // would connect seconds later.
  static void AwaitConnection(const Member& member, Clock::time_point until);
  void MoveOn(std::size_t failed);
  Clock::time_point CallEnd(std::chrono::milliseconds within) const;
  absl::Status ErrorOf(const Member& member, const grpc::Status& status) const;
  // Calls attempt with a member and the end of the attempt until it returns OK.
  absl::Status Retry(
      std::chrono::milliseconds within,
      const std::function<grpc::Status(Member&, grpc::ClientContext&)>&
          attempt);

  std::vector<Member> members_;
  std::atomic<std::size_t> current_ = 0;
  std::atomic<bool> is_hurried_ = false;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::set<grpc::ClientContext*> contexts_;
};

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_ETCD_CLIENT_H_
