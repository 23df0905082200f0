// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CHANNELS_H_
#define COOLSPAN_CLIENT_CHANNELS_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// A channel to the daemon; as MakeChannel in channel/channel.h.
std::shared_ptr<grpc::Channel> MakeChannel(const Endpoint& endpoint);

// Waits until the channel is connected. UNAVAILABLE if a connection attempt
// fails, or on timeout.
absl::Status Connect(grpc::Channel& channel, const Endpoint& endpoint,
                     std::chrono::milliseconds timeout);

// The same code, message and Refusal; gRPC's codes are those of absl.
absl::Status ToAbsl(const grpc::Status& status);

// The status of a call, with what is known about a TLS connection that failed:
// the side that refuses a certificate closes the connection without a reason.
absl::Status WithTlsReason(const absl::Status& status,
                           const Endpoint& endpoint);

// Whether a drained daemon refused the call.
bool IsRefusedByDrain(const absl::Status& status);

// Where the leader is, by a daemon that refused the call because it is not;
// empty: not known. nullopt: the call was not refused for that.
std::optional<std::string> LeaderInRefusal(const absl::Status& status);

// True for codes that mean that no working daemon answered. All others are
// answers, also INTERNAL: it concerns one request only (one that cannot be
// parsed, or a policy that violated its contract).
bool IsUnanswered(absl::StatusCode code);

// The addresses of the daemons, the one in use, and the highest term seen since
// the last Sync.
// Thread-safe.
class Channels {
 public:
  struct Route {
    std::size_t index;
    Endpoint endpoint;
    std::shared_ptr<grpc::Channel> channel;
    std::shared_ptr<v1::Allocator::Stub> stub;  // of the channel
  };

  explicit Channels(std::vector<Endpoint> endpoints);

  std::size_t size() const { return endpoints_.size(); }
  Route Current() const;
  // Makes the next endpoint current, unless another caller has already done so.
  void MoveOn(std::size_t failed);
  // Makes the leader's endpoint current, or the next one if it is not among the
  // endpoints or is the one that failed; unless another caller has moved.
  void MoveToLeader(std::size_t failed, const std::string& leader);
  // Replaces the endpoint's connection. After a network failure TCP may take a
  // quarter of an hour to report a broken connection.
  void Reconnect(std::size_t index);
  // A Sync was acknowledged: its leader has stored it in this term, which no
  // former leader can. The term may be a lower one, of an etcd that was set up
  // anew. sync: a number that identifies the Sync.
  void BeginTerm(std::uint64_t sync, std::uint64_t term);
  // Of the answer to a request that was made after that Sync. UNAVAILABLE if a
  // higher term was seen: the answer is from a former leader; if another Sync
  // was acknowledged meanwhile, also if the term is another one. 0: it is not
  // about a cluster that was elected for.
  absl::Status CheckTerm(std::uint64_t sync, std::uint64_t term);

 private:
  Route MakeRoute(std::size_t index) const;

  const std::vector<Endpoint> endpoints_;
  mutable std::mutex mutex_;
  std::vector<Route> routes_;
  std::size_t current_ = 0;
  std::uint64_t sync_ = 0;
  std::uint64_t highest_term_ = 0;  // since that Sync
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CHANNELS_H_
