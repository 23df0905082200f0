// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/allocator_service.h"

#include <algorithm>
#include <utility>

#include "service/wire.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

// An answer needs this long to get back before the client gives up.
constexpr std::chrono::milliseconds kWayBack{1};

steady_clock::time_point DeadlineOf(const grpc::ServerContext& context,
                                    std::chrono::milliseconds limit) {
  const auto left = context.deadline() - std::chrono::system_clock::now();
  const auto now = steady_clock::now();
  if (left >= limit + kWayBack) return now + limit;
  return now + std::chrono::duration_cast<steady_clock::duration>(left) -
         kWayBack;
}

// Moves an answer out, or says why there is none.
template <typename Reply>
grpc::Status Answer(absl::StatusOr<Reply> answer, Reply& reply) {
  if (!answer.ok()) return ToGrpc(answer.status());
  reply = *std::move(answer);
  return grpc::Status::OK;
}

}  // namespace

AllocatorService::AllocatorService(LiveClusters& clusters,
                                   std::chrono::milliseconds decision_limit)
    : clusters_(clusters), decision_limit_(decision_limit) {}

grpc::Status AllocatorService::Sync(grpc::ServerContext*,
                                    const v1::SyncRequest* request,
                                    v1::SyncReply* reply) {
  return Answer(clusters_.Sync(*request), *reply);
}

grpc::Status AllocatorService::Allocate(grpc::ServerContext* context,
                                        const v1::AllocateRequest* request,
                                        v1::AllocateReply* reply) {
  auto cluster = clusters_.Find(request->cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  return Answer((*cluster)->Allocate(*request,
                                     DeadlineOf(*context, decision_limit_)),
                *reply);
}

grpc::Status AllocatorService::Apply(EventKind kind, const v1::Event& event,
                                     v1::EventReply& reply) {
  auto cluster = clusters_.Find(event.cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  return Answer((*cluster)->Apply(kind, event), reply);
}

grpc::Status AllocatorService::Commit(grpc::ServerContext*,
                                      const v1::Event* event,
                                      v1::EventReply* reply) {
  return Apply(EventKind::kCommit, *event, *reply);
}

grpc::Status AllocatorService::Release(grpc::ServerContext*,
                                       const v1::Event* event,
                                       v1::EventReply* reply) {
  return Apply(EventKind::kRelease, *event, *reply);
}

grpc::Status AllocatorService::Resize(grpc::ServerContext*,
                                      const v1::Event* event,
                                      v1::EventReply* reply) {
  return Apply(EventKind::kResize, *event, *reply);
}

grpc::Status AllocatorService::Suspend(grpc::ServerContext*,
                                       const v1::Event* event,
                                       v1::EventReply* reply) {
  return Apply(EventKind::kSuspend, *event, *reply);
}

}  // namespace coolspan
