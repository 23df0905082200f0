// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_ALLOCATOR_SERVICE_H_
#define COOLSPAN_SERVICE_RPC_ALLOCATOR_SERVICE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "coolspan/v1/allocator.grpc.pb.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/watch_hub.h"
#include "service/monitor/reports.h"
#include "service/reloader.h"
#include "service/rpc/drain_switch.h"
#include "service/rpc/report_turns.h"
#include "service/rpc/turn_queue.h"

namespace coolspan {

// What Slurm waits for is answered once it is decided and stored. Meanwhile no
// thread waits, since waking one for each would cost as much as the rest of the
// call.
using AllocatorWithCallbacks = v1::Allocator::WithCallbackMethod_Allocate<
    v1::Allocator::WithCallbackMethod_Commit<
        v1::Allocator::WithCallbackMethod_Release<
            v1::Allocator::WithCallbackMethod_Resize<
                v1::Allocator::WithCallbackMethod_Suspend<
                    v1::Allocator::Service>>>>>;

// The Allocator service of allocator.proto. Thread-safe.
class AllocatorService final : public AllocatorWithCallbacks {
 public:
  // Sessions, and calls that wait for their turn, occupy a thread of the server
  // each. Waiting costs less than refusing: a refused client calls again.
  static constexpr int kMaxSessions = 64;
  static constexpr int kMaxWaitingPreviews = 512;
  static constexpr int kMaxWaitingReports = ReportTurns::kMaxWaiting;
  // Each waits for the disk.
  static constexpr int kMaxModeChanges = 8;  // and removals of clusters
  // One is in progress, the others wait for it.
  static constexpr int kMaxReloads = 4;

  // Must outlive the service.
  struct Parts {
    std::shared_ptr<const Machine> machine;
    LiveClusters& clusters;
    const CurrentConfig& config;
    Reports& reports;
    ReportTurns& turns;  // of what makes reports
    WatchHub& watchers;
    Reloader& reloader;
    DrainSwitch& drain;
    // Limit of an Allocate with a later deadline, or none.
    std::chrono::milliseconds max_wait = std::chrono::seconds(10);
  };
  explicit AllocatorService(Parts parts);

  // Ends searches that no job waits for: previews and sessions.
  void StopSearches() { is_stopping_ = true; }
  int sessions() const { return sessions_; }
  // Calls that wait for their turn: previews and sessions, and reports.
  std::size_t waiting_searches() const { return searches_.waiting(); }
  std::size_t waiting_reports() const { return parts_.turns.waiting(); }
  // The answer of Status, for a caller with a turn.
  absl::StatusOr<v1::StatusReply> StatusNow() const;

  grpc::Status Sync(grpc::ServerContext* context,
                    const v1::SyncRequest* request,
                    v1::SyncReply* reply) override;
  grpc::ServerUnaryReactor* Allocate(grpc::CallbackServerContext* context,
                                     const v1::AllocateRequest* request,
                                     v1::AllocateReply* reply) override;
  grpc::ServerUnaryReactor* Commit(grpc::CallbackServerContext* context,
                                   const v1::Event* event,
                                   v1::EventReply* reply) override;
  grpc::ServerUnaryReactor* Release(grpc::CallbackServerContext* context,
                                    const v1::Event* event,
                                    v1::EventReply* reply) override;
  grpc::ServerUnaryReactor* Resize(grpc::CallbackServerContext* context,
                                   const v1::Event* event,
                                   v1::EventReply* reply) override;
  grpc::ServerUnaryReactor* Suspend(grpc::CallbackServerContext* context,
                                    const v1::Event* event,
                                    v1::EventReply* reply) override;
  grpc::Status KeepAlive(grpc::ServerContext* context,
                         const v1::KeepAliveRequest* request,
                         v1::KeepAliveReply* reply) override;
  grpc::Status Preview(grpc::ServerContext* context,
                       const v1::PreviewRequest* request,
                       v1::AllocateReply* reply) override;
  grpc::Status Map(grpc::ServerContext* context, const v1::MapRequest* request,
                   v1::MapReply* reply) override;
  grpc::Status Explain(grpc::ServerContext* context,
                       const v1::ExplainRequest* request,
                       v1::ExplainReply* reply) override;
  grpc::Status Status(grpc::ServerContext* context,
                      const v1::StatusRequest* request,
                      v1::StatusReply* reply) override;
  grpc::Status SetMode(grpc::ServerContext* context,
                       const v1::SetModeRequest* request,
                       v1::SetModeReply* reply) override;
  grpc::Status Reload(grpc::ServerContext* context,
                      const v1::ReloadRequest* request,
                      v1::ReloadReply* reply) override;
  grpc::Status Drain(grpc::ServerContext* context,
                     const v1::DrainRequest* request,
                     v1::DrainReply* reply) override;
  grpc::Status RemoveCluster(grpc::ServerContext* context,
                             const v1::RemoveClusterRequest* request,
                             v1::RemoveClusterReply* reply) override;
  grpc::Status Jobs(grpc::ServerContext* context,
                    const v1::JobsRequest* request,
                    v1::JobsReply* reply) override;
  grpc::Status History(grpc::ServerContext* context,
                       const v1::HistoryRequest* request,
                       v1::HistoryReply* reply) override;
  grpc::Status Watch(grpc::ServerContext* context,
                     const v1::WatchRequest* request,
                     grpc::ServerWriter<v1::Happening>* writer) override;
  using SessionStream =
      grpc::ServerReaderWriter<v1::SessionReply, v1::SessionRequest>;
  grpc::Status Session(grpc::ServerContext* context,
                       SessionStream* stream) override;

 private:
  grpc::ServerUnaryReactor* Apply(grpc::CallbackServerContext& context,
                                  EventKind kind, const v1::Event& event,
                                  v1::EventReply& reply);
  absl::StatusOr<std::shared_ptr<const Policy>> PreviewPolicy(
      const v1::PreviewRequest& request, const DecisionConfig& config) const;
  // Waits as a report does, before a call is refused that clients would make
  // again at once.
  void PaceRefusal(grpc::ServerContext& context);
  // Answers in turn: no job waits for these calls. answer:
  // absl::StatusOr<Reply>(const Pause&).
  template <typename Reply, typename Answer>
  grpc::Status InTurn(grpc::ServerContext& context, Reply& reply,
                      const Answer& answer);

  const Parts parts_;
  // Of previews and sessions, at idle priority: on a busy host, a report would
  // wait long for the turn of one.
  TurnQueue searches_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<int> sessions_ = 0;
  std::atomic<int> mode_changes_ = 0;
  std::atomic<int> reloads_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_ALLOCATOR_SERVICE_H_
