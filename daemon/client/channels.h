// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CHANNELS_H_
#define COOLSPAN_CLIENT_CHANNELS_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// A channel that comes back within about half a second of its daemon, instead
// of gRPC's default of up to two minutes. Connects when first used.
std::shared_ptr<grpc::Channel> MakeChannel(const Endpoint& endpoint);

// Waits until the channel is connected; UNAVAILABLE as soon as one attempt has
// failed, or when the time is over.
absl::Status Connect(grpc::Channel& channel, const Endpoint& endpoint,
                     std::chrono::milliseconds timeout);

// The same code and message; gRPC's codes are those of absl.
absl::Status ToAbsl(const grpc::Status& status);

// True where the call got no answer of a working daemon, as against an answer
// that refuses it. INTERNAL is such an answer: a daemon says it of one request
// (one that cannot be parsed, a policy that broke its contract), which is no
// reason to stop asking it about others.
bool IsUnanswered(absl::StatusCode code);

// The addresses of one daemon, the one in use, and the highest term seen.
// Thread-safe.
class Channels {
 public:
  struct Route {
    std::size_t index;
    std::string text;  // the endpoint, for messages
    std::shared_ptr<grpc::Channel> channel;
    std::shared_ptr<v1::Allocator::Stub> stub;  // of the channel
  };

  explicit Channels(std::vector<Endpoint> endpoints);

  std::size_t size() const { return endpoints_.size(); }
  Route Current() const;
  // The next endpoint becomes current, unless somebody moved on already.
  void MoveOn(std::size_t failed);
  // Drops the endpoint's connection: after a lost network it may look alive
  // until TCP gives up, a quarter of an hour later.
  void Reconnect(std::size_t index);
  // UNAVAILABLE if a higher term was seen: the answer is a deposed leader's.
  absl::Status CheckTerm(std::uint64_t term);

 private:
  Route MakeRoute(std::size_t index) const;

  const std::vector<Endpoint> endpoints_;
  mutable std::mutex mutex_;
  std::vector<Route> routes_;
  std::size_t current_ = 0;
  std::uint64_t highest_term_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CHANNELS_H_
