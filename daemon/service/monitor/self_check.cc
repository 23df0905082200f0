// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/self_check.h"

#include <fmt/format.h>
#include <grpcpp/client_context.h>

#include <string>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {
namespace {

// Longer than any that is not hung: searches look at the clock often.
constexpr std::chrono::seconds kBeyondDeadline{10};
// No cluster of a resource manager: a call for one would count as contact.
constexpr const char* kNoCluster = "(self-check)";

absl::Status CheckAnswered(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:  // no thread is free
    case grpc::StatusCode::UNAVAILABLE:
      return absl::UnavailableError(
          fmt::format("a call of the daemon itself is not answered: {}",
                      status.error_message()));
    default:
      return absl::OkStatus();
  }
}

}  // namespace

// Events are answered by other threads than the other calls.
absl::Status SelfCheck::CheckServer(std::chrono::microseconds time) const {
  const auto stub = v1::Allocator::NewStub(channel_);
  const auto deadline = std::chrono::system_clock::now() + time;
  grpc::ClientContext call;
  call.set_deadline(deadline);
  v1::KeepAliveRequest keep_alive;
  keep_alive.set_cluster(kNoCluster);
  v1::KeepAliveReply kept;
  absl::Status status =
      CheckAnswered(stub->KeepAlive(&call, keep_alive, &kept));
  if (!status.ok()) return status;
  grpc::ClientContext event_call;
  event_call.set_deadline(deadline);
  v1::Event event;
  event.set_cluster(kNoCluster);
  v1::EventReply applied;
  return CheckAnswered(stub->Release(&event_call, event, &applied));
}

absl::Status SelfCheck::Run(std::chrono::microseconds time) const {
  if (absl::Status status = CheckServer(time); !status.ok()) return status;
  const auto max_decision = config_.Get()->decision_limit + kBeyondDeadline;
  for (const auto& cluster : clusters_.All()) {
    absl::Status status = cluster->CheckResponsive(max_decision);
    if (!status.ok()) return status;
  }
  return health_.Alive();
}

}  // namespace coolspan
