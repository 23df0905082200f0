// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/allocator_service.h"

#include <fmt/format.h>

#include <utility>

#include "service/clusters/virtual_cluster.h"
#include "service/codec/wire.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// An answer needs this long to get back before the client gives up.
constexpr milliseconds kWayBack{1};
// The longest that anybody is waited for.
constexpr milliseconds kLongestWait{10'000};
// How often a watcher's stream looks whether its client left.
constexpr milliseconds kWatchPulse{200};

TimeLimits LimitsOf(const grpc::ServerContext& context,
                    milliseconds decision_limit) {
  const auto left = context.deadline() - std::chrono::system_clock::now();
  const auto now = steady_clock::now();
  if (left >= kLongestWait) return {now + kLongestWait, decision_limit};
  const auto own =
      std::chrono::duration_cast<steady_clock::duration>(left) - kWayBack;
  return {now + own, decision_limit};
}

// Moves an answer out, or says why there is none.
template <typename Reply>
grpc::Status Give(absl::StatusOr<Reply> answer, Reply& reply) {
  if (!answer.ok()) return ToGrpc(answer.status());
  reply = *std::move(answer);
  return grpc::Status::OK;
}

// Counts a stream while it lasts.
class Counted {
 public:
  explicit Counted(std::atomic<std::uint32_t>& count)
      : count_(count), number_(++count) {}
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  std::uint32_t number() const { return number_; }

 private:
  std::atomic<std::uint32_t>& count_;
  const std::uint32_t number_;
};

}  // namespace

grpc::Status AllocatorService::Sync(grpc::ServerContext*,
                                    const v1::SyncRequest* request,
                                    v1::SyncReply* reply) {
  return Give(parts_.clusters.Sync(*request), *reply);
}

grpc::Status AllocatorService::Allocate(grpc::ServerContext* context,
                                        const v1::AllocateRequest* request,
                                        v1::AllocateReply* reply) {
  auto cluster = parts_.clusters.Find(request->cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  const TimeLimits limits = LimitsOf(*context, parts_.decision_limit);
  return Give((*cluster)->Allocate(*request, limits), *reply);
}

grpc::Status AllocatorService::Apply(EventKind kind, const v1::Event& event,
                                     v1::EventReply& reply) {
  auto cluster = parts_.clusters.Find(event.cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  return Give((*cluster)->Apply(kind, event), reply);
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

absl::StatusOr<std::shared_ptr<const Policy>> AllocatorService::PreviewPolicy(
    const v1::PreviewRequest& request) const {
  if (request.policy().empty() && request.ordering().empty()) {
    return parts_.rules.Choose(request.request()).policy;
  }
  auto ordering = parts_.policies.OrderingOf(request.ordering());
  if (!ordering.ok()) return ordering.status();
  return parts_.policies.Make(request.policy(), parts_.machine,
                              *std::move(ordering), "");
}

grpc::Status AllocatorService::Preview(grpc::ServerContext* context,
                                       const v1::PreviewRequest* request,
                                       v1::AllocateReply* reply) {
  auto cluster = parts_.clusters.Find(request->request().cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  auto policy = PreviewPolicy(*request);
  if (!policy.ok()) return ToGrpc(policy.status());
  const TimeLimits limits = LimitsOf(*context, parts_.decision_limit);
  return Give((*cluster)->Preview(request->request(), **policy, limits),
              *reply);
}

grpc::Status AllocatorService::Explain(grpc::ServerContext*,
                                       const v1::ExplainRequest* request,
                                       v1::ExplainReply* reply) {
  return Give(parts_.reports.Explain(*request), *reply);
}

grpc::Status AllocatorService::Status(grpc::ServerContext*,
                                      const v1::StatusRequest*,
                                      v1::StatusReply* reply) {
  *reply = parts_.reports.Status(sessions_);
  return grpc::Status::OK;
}

grpc::Status AllocatorService::Jobs(grpc::ServerContext*,
                                    const v1::JobsRequest* request,
                                    v1::JobsReply* reply) {
  return Give(parts_.reports.Jobs(*request), *reply);
}

grpc::Status AllocatorService::Watch(
    grpc::ServerContext* context, const v1::WatchRequest* request,
    grpc::ServerWriter<v1::Happening>* writer) {
  auto watcher = parts_.watchers.Add(request->cluster());
  if (!watcher.ok()) return ToGrpc(watcher.status());
  // So that the client knows that it misses nothing from here on.
  writer->SendInitialMetadata();
  bool is_writable = true;
  while (is_writable && !context->IsCancelled() && !(*watcher)->IsOver()) {
    const auto happening = (*watcher)->Next(kWatchPulse);
    if (happening.has_value()) is_writable = writer->Write(*happening);
  }
  parts_.watchers.Remove(*watcher);
  if (!(*watcher)->IsOver()) return grpc::Status::OK;
  return {grpc::StatusCode::UNAVAILABLE, "the daemon is shutting down"};
}

grpc::Status AllocatorService::Session(grpc::ServerContext*,
                                       SessionStream* stream) {
  const Counted counted(sessions_);
  if (counted.number() > kMaxSessions) {
    return {
        grpc::StatusCode::RESOURCE_EXHAUSTED,
        fmt::format("too many sessions (expected at most {})", kMaxSessions)};
  }
  VirtualCluster session(parts_.machine, parts_.policies);
  v1::SessionRequest request;
  while (stream->Read(&request)) {
    const auto reply = session.Answer(request);
    if (reply.has_value() && !stream->Write(*reply)) break;
  }
  return grpc::Status::OK;
}

}  // namespace coolspan
