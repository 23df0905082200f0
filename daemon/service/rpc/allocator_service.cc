// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/allocator_service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/deadline.h"
#include "formats/file_error.h"
#include "service/clusters/idle_priority.h"
#include "service/clusters/job_mapping.h"
#include "service/clusters/virtual_cluster.h"
#include "service/codec/text_limits.h"
#include "service/rpc/call_slot.h"
#include "state/leadership.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Time for the reply to reach the client before its deadline.
constexpr milliseconds kReplyTime{1};
// Limit for calls that wait for one another.
constexpr milliseconds kMaxTurnWait{60'000};
// How long a call works while others wait.
constexpr milliseconds kSlice{5};
// How often a search of a session looks whether its client has left.
constexpr milliseconds kCancelPoll{20};
// How often a Watch stream checks whether its client is connected.
constexpr milliseconds kWatchPoll{200};

TimeLimits LimitsOf(const grpc::ServerContextBase& context,
                    milliseconds decision_limit, milliseconds max_wait) {
  const auto left = context.deadline() - std::chrono::system_clock::now();
  const auto now = steady_clock::now();
  if (left >= max_wait) return {now + max_wait, decision_limit};
  const auto own =
      std::chrono::duration_cast<steady_clock::duration>(left) - kReplyTime;
  return {now + own, decision_limit};
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const auto leader = LeaderNamedIn(status);
  v1::Refusal refusal;
  if (leader.has_value()) {
    refusal.set_not_leader(true);
    refusal.set_leader(*leader);
    refusal.set_drained(IsDrainedError(status));
  }
  return {static_cast<grpc::StatusCode>(status.code()),
          std::string(status.message()), refusal.SerializeAsString()};
}

grpc::Status StoppingStatus() {
  return {grpc::StatusCode::UNAVAILABLE, "the daemon is shutting down"};
}

grpc::Status RefusedByDrain() {
  v1::Refusal refusal;
  refusal.set_drained(true);
  return {grpc::StatusCode::UNAVAILABLE,
          "coolspand is drained: it makes no decisions until coolspan drain "
          "--undo or a restart",
          refusal.SerializeAsString()};
}

// All but events.
bool MaySearch(const v1::SessionRequest& request) {
  return request.has_allocate() || request.has_preview() || request.has_sync();
}

// Moves an answer into the reply, or returns its error.
template <typename Reply>
grpc::Status Finish(absl::StatusOr<Reply> answer, Reply& reply) {
  if (!answer.ok()) return ToGrpc(answer.status());
  reply = *std::move(answer);
  return grpc::Status::OK;
}

}  // namespace

AllocatorService::AllocatorService(Parts parts)
    : parts_(std::move(parts)),
      searches_({TurnsAtATime(), kMaxWaitingPreviews + kMaxSessions, kSlice}) {}

void AllocatorService::PaceRefusal(grpc::ServerContext& context) {
  const TimeLimits limits = LimitsOf(context, milliseconds(0), kMaxTurnWait);
  parts_.turns
      .Wait(limits.answer_by, [&context] { return context.IsCancelled(); })
      .status()
      .IgnoreError();
}

template <typename Reply, typename Answer>
grpc::Status AllocatorService::InTurn(grpc::ServerContext& context,
                                      Reply& reply, const Answer& answer) {
  const auto answer_by =
      LimitsOf(context, milliseconds(0), kMaxTurnWait).answer_by;
  return Finish(
      absl::StatusOr<Reply>(parts_.turns.InTurn(
          answer_by, [&context] { return context.IsCancelled(); }, answer)),
      reply);
}

grpc::Status AllocatorService::Sync(grpc::ServerContext*,
                                    const v1::SyncRequest* request,
                                    v1::SyncReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  grpc::Status status = Finish(parts_.clusters.Sync(*request), *reply);
  reply->set_drained(parts_.drain.since_ms() != 0);
  return status;
}

grpc::ServerUnaryReactor* AllocatorService::Allocate(
    grpc::CallbackServerContext* context, const v1::AllocateRequest* request,
    v1::AllocateReply* reply) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  const auto refuse = [reactor](grpc::Status status) {
    reactor->Finish(std::move(status));
    return reactor;
  };
  auto admission = std::make_shared<DrainSwitch::Admission>(parts_.drain);
  if (!admission->is_admitted()) return refuse(RefusedByDrain());
  if (const auto texts = CheckTexts(*request); !texts.ok()) {
    return refuse(ToGrpc(texts));
  }
  auto cluster = parts_.clusters.Find(request->cluster());
  if (!cluster.ok()) return refuse(ToGrpc(cluster.status()));
  const TimeLimits limits =
      LimitsOf(*context, parts_.config.Get()->decision_limit, parts_.max_wait);
  // gRPC keeps the request and the reply until the reactor is finished.
  (*cluster)->Allocate(
      *request, limits, [context] { return context->IsCancelled(); },
      [reactor, reply, admission = std::move(admission)](
          absl::StatusOr<v1::AllocateReply> answer) {
        reactor->Finish(coolspan::Finish(std::move(answer), *reply));
      });
  return reactor;
}

grpc::ServerUnaryReactor* AllocatorService::Apply(
    grpc::CallbackServerContext& context, EventKind kind,
    const v1::Event& event, v1::EventReply& reply) {
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  auto cluster = parts_.clusters.Find(event.cluster());
  if (!cluster.ok()) {
    reactor->Finish(ToGrpc(cluster.status()));
    return reactor;
  }
  // gRPC keeps the reply until the reactor is finished.
  (*cluster)->Apply(
      kind, event, [reactor, &reply](absl::StatusOr<v1::EventReply> answer) {
        reactor->Finish(coolspan::Finish(std::move(answer), reply));
      });
  return reactor;
}

grpc::ServerUnaryReactor* AllocatorService::Commit(
    grpc::CallbackServerContext* context, const v1::Event* event,
    v1::EventReply* reply) {
  return Apply(*context, EventKind::kCommit, *event, *reply);
}

grpc::ServerUnaryReactor* AllocatorService::Release(
    grpc::CallbackServerContext* context, const v1::Event* event,
    v1::EventReply* reply) {
  return Apply(*context, EventKind::kRelease, *event, *reply);
}

grpc::ServerUnaryReactor* AllocatorService::Resize(
    grpc::CallbackServerContext* context, const v1::Event* event,
    v1::EventReply* reply) {
  return Apply(*context, EventKind::kResize, *event, *reply);
}

grpc::ServerUnaryReactor* AllocatorService::Suspend(
    grpc::CallbackServerContext* context, const v1::Event* event,
    v1::EventReply* reply) {
  return Apply(*context, EventKind::kSuspend, *event, *reply);
}

grpc::Status AllocatorService::KeepAlive(grpc::ServerContext*,
                                         const v1::KeepAliveRequest* request,
                                         v1::KeepAliveReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  const auto cluster = parts_.clusters.Find(request->cluster());
  grpc::Status status;
  if (cluster.ok()) {
    status = Finish((*cluster)->KeepAlive(*request), *reply);
  } else if (LeaderNamedIn(cluster.status()).has_value()) {
    status = ToGrpc(cluster.status());
  } else {
    reply->set_sync_wanted(true);
  }
  reply->set_drained(parts_.drain.since_ms() != 0);
  return status;
}

absl::StatusOr<std::shared_ptr<const Policy>> AllocatorService::PreviewPolicy(
    const v1::PreviewRequest& request, const DecisionConfig& config) const {
  if (request.policy().empty() && request.ordering().empty()) {
    return config.rules.Choose(request.request()).policy;
  }
  // Both may build tables of the machine's size.
  absl::StatusOr<std::shared_ptr<const Policy>> policy;
  RunAtIdlePriority([&] {
    auto ordering = config.policies.OrderingOf(request.ordering());
    if (!ordering.ok()) {
      policy = ordering.status();
      return;
    }
    policy = config.policies.Make(request.policy(), parts_.machine,
                                  *std::move(ordering), "");
  });
  return policy;
}

grpc::Status AllocatorService::Preview(grpc::ServerContext* context,
                                       const v1::PreviewRequest* request,
                                       v1::AllocateReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  auto cluster = parts_.clusters.Find(request->request().cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  const CurrentConfig::Ptr config = parts_.config.Get();
  const TimeLimits limits =
      LimitsOf(*context, config->decision_limit, kMaxTurnWait);
  auto turn = searches_.Wait(limits.answer_by,
                             [context] { return context->IsCancelled(); });
  if (!turn.ok()) return ToGrpc(turn.status());
  auto policy = PreviewPolicy(*request, *config);
  if (!policy.ok()) return ToGrpc(policy.status());
  const SearchControl control{
      [&turn] { return steady_clock::now() - turn->waited(); },
      [this, &turn, &limits, context] {
        turn->PassOn();
        return is_stopping_ || steady_clock::now() >= limits.answer_by ||
               context->IsCancelled();
      }};
  return Finish(
      (*cluster)->Preview(request->request(), **policy, limits, control),
      *reply);
}

grpc::Status AllocatorService::Map(grpc::ServerContext* context,
                                   const v1::MapRequest* request,
                                   v1::MapReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  auto cluster = parts_.clusters.Find(request->cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  const TimeLimits limits = LimitsOf(*context, kMaxMapTime, kMaxTurnWait);
  auto turn = searches_.Wait(limits.answer_by,
                             [context] { return context->IsCancelled(); });
  if (!turn.ok()) return ToGrpc(turn.status());
  const auto nodes = (*cluster)->NodesOf(request->job_id());
  if (!nodes.ok()) return ToGrpc(nodes.status());
  const auto time = MapTimeOf(*request);
  if (!time.ok()) return ToGrpc(time.status());
  absl::StatusOr<v1::MapReply> mapped;
  RunAtIdlePriority([&] {
    Budget budget = BudgetUntil(
        steady_clock::now() + *time, &steady_clock::now,
        [this, &limits, context] {
          return is_stopping_ || steady_clock::now() >= limits.answer_by ||
                 context->IsCancelled();
        });
    mapped = MapJob(*parts_.machine, *nodes, *request, budget);
  });
  return Finish(std::move(mapped), *reply);
}

grpc::Status AllocatorService::Explain(grpc::ServerContext* context,
                                       const v1::ExplainRequest* request,
                                       v1::ExplainReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  return InTurn(*context, *reply, [&](const Pause& pause) {
    return parts_.reports.Explain(*request, pause);
  });
}

grpc::Status AllocatorService::Status(grpc::ServerContext* context,
                                      const v1::StatusRequest*,
                                      v1::StatusReply* reply) {
  return InTurn(*context, *reply, [&](const Pause&) { return StatusNow(); });
}

absl::StatusOr<v1::StatusReply> AllocatorService::StatusNow() const {
  v1::StatusReply status = parts_.reports.Status(sessions_);
  *status.mutable_config() = parts_.reloader.Status();
  status.set_drained_ms(parts_.drain.since_ms());
  return status;
}

grpc::Status AllocatorService::SetMode(grpc::ServerContext*,
                                       const v1::SetModeRequest* request,
                                       v1::SetModeReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  // Not in turn: a flood of reports must not delay switching the daemon off.
  const CallSlot slot(mode_changes_, kMaxModeChanges);
  if (!slot.is_free()) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            fmt::format("too many changes of the mode at a time (expected at "
                        "most {})",
                        kMaxModeChanges)};
  }
  const auto mode = ParsePlacementMode(request->mode());
  if (!mode.has_value() && !request->mode().empty()) {
    return {
        grpc::StatusCode::INVALID_ARGUMENT,
        fmt::format("mode: {} (expected {}, or empty)", Quoted(request->mode()),
                    fmt::join(kPlacementModes, ", "))};
  }
  const auto cluster = parts_.clusters.FindNamed(request->cluster());
  if (!cluster.ok()) return ToGrpc(cluster.status());
  const auto previous = (*cluster)->SetMode(mode);
  if (!previous.ok()) return ToGrpc(previous.status());
  reply->set_cluster((*cluster)->name());
  reply->set_previous(std::string(TextOf(*previous)));
  return grpc::Status::OK;
}

grpc::Status AllocatorService::Reload(grpc::ServerContext*,
                                      const v1::ReloadRequest*,
                                      v1::ReloadReply* reply) {
  const CallSlot slot(reloads_, kMaxReloads);
  if (!slot.is_free()) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            fmt::format("too many reloads at a time (expected at most {})",
                        kMaxReloads)};
  }
  return Finish(parts_.reloader.Reload(), *reply);
}

grpc::Status AllocatorService::Drain(grpc::ServerContext*,
                                     const v1::DrainRequest* request,
                                     v1::DrainReply* reply) {
  reply->set_was_drained(request->query() ? parts_.drain.since_ms() != 0
                                          : parts_.drain.Set(!request->undo()));
  const auto in_progress = parts_.drain.in_progress();
  reply->set_decisions(in_progress.decisions);
  reply->set_tentative(in_progress.tentative);
  reply->set_sessions(sessions_);
  return grpc::Status::OK;
}

grpc::Status AllocatorService::RemoveCluster(
    grpc::ServerContext*, const v1::RemoveClusterRequest* request,
    v1::RemoveClusterReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  const CallSlot slot(mode_changes_, kMaxModeChanges);
  if (!slot.is_free()) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            fmt::format("too many changes of clusters at a time (expected at "
                        "most {})",
                        kMaxModeChanges)};
  }
  return Finish(parts_.clusters.Remove(*request), *reply);
}

grpc::Status AllocatorService::Jobs(grpc::ServerContext* context,
                                    const v1::JobsRequest* request,
                                    v1::JobsReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  return InTurn(*context, *reply, [&](const Pause& pause) {
    return parts_.reports.Jobs(*request, pause);
  });
}

grpc::Status AllocatorService::History(grpc::ServerContext* context,
                                       const v1::HistoryRequest* request,
                                       v1::HistoryReply* reply) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  return InTurn(*context, *reply, [&](const Pause& pause) {
    return parts_.reports.History(*request, pause);
  });
}

grpc::Status AllocatorService::Watch(
    grpc::ServerContext* context, const v1::WatchRequest* request,
    grpc::ServerWriter<v1::Happening>* writer) {
  if (const auto texts = CheckTexts(*request); !texts.ok())
    return ToGrpc(texts);
  auto watcher = parts_.watchers.Add(request->cluster());
  if (!watcher.ok()) {
    PaceRefusal(*context);
    return ToGrpc(watcher.status());
  }
  // Signals the client that all events from here on are sent.
  writer->SendInitialMetadata();
  bool is_writable = true;
  while (is_writable && !context->IsCancelled() && !(*watcher)->HasEnded()) {
    const auto happening = (*watcher)->Next(kWatchPoll);
    if (happening.has_value()) is_writable = writer->Write(*happening);
  }
  parts_.watchers.Remove(*watcher);
  if (!(*watcher)->HasEnded()) return grpc::Status::OK;
  return StoppingStatus();
}

grpc::Status AllocatorService::Session(grpc::ServerContext* context,
                                       SessionStream* stream) {
  const CallSlot slot(sessions_, kMaxSessions);
  if (!slot.is_free()) {
    PaceRefusal(*context);
    return {
        grpc::StatusCode::RESOURCE_EXHAUSTED,
        fmt::format("too many sessions (expected at most {})", kMaxSessions)};
  }
  // A search asks often, and gRPC takes a mutex to answer.
  std::atomic<steady_clock::rep> next_look{0};
  const auto is_cancelled = [&] {
    if (is_stopping_) return true;
    const auto now = steady_clock::now().time_since_epoch();
    if (now.count() < next_look) return false;
    next_look = (now + kCancelPoll).count();
    return context->IsCancelled();
  };
  VirtualCluster session(parts_.machine, parts_.config.Get(), is_cancelled);
  v1::SessionRequest request;
  while (!is_stopping_ && stream->Read(&request)) {
    std::optional<v1::SessionReply> reply;
    {
      std::optional<absl::StatusOr<TurnQueue::Turn>> turn;
      if (MaySearch(request)) {
        turn.emplace(searches_.Wait(steady_clock::time_point::max(), [&] {
          return is_stopping_ || context->IsCancelled();
        }));
        if (!turn->ok()) return ToGrpc(turn->status());
        RunAtIdlePriority([&] { reply = session.Answer(request); });
      } else {
        reply = session.Answer(request);
      }
    }
    if (reply.has_value() && !stream->Write(*reply)) break;
  }
  if (is_stopping_) return StoppingStatus();
  return grpc::Status::OK;
}

}  // namespace coolspan
