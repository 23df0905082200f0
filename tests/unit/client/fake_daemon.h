// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CLIENT_FAKE_DAEMON_H_
#define COOLSPAN_TESTS_UNIT_CLIENT_FAKE_DAEMON_H_

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "coolspan/v1/allocator.grpc.pb.h"
#include "coolspan/v1/telemetry.grpc.pb.h"

namespace coolspan {

// Accepts, refuses or does not answer reports, as set by the test.
class FakeTelemetry : public v1::Telemetry::Service {
 public:
  std::map<std::string, double> Powers() const {
    const std::lock_guard lock(mutex_);
    return powers_;
  }

  std::atomic<bool> hung{false};
  std::atomic<bool> has_no_room{false};
  std::atomic<int> reports{0};  // successful streams
  std::atomic<int> calls{0};

  grpc::Status Report(grpc::ServerContext* context,
                      grpc::ServerReader<v1::Readings>* stream,
                      v1::ReportReply* reply) override {
    ++calls;
    while (hung && !context->IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (has_no_room)
      return {grpc::StatusCode::FAILED_PRECONDITION, "no room is known"};
    v1::Readings readings;
    while (stream->Read(&readings)) {
      const std::lock_guard lock(mutex_);
      for (const v1::Reading& reading : readings.readings()) {
        powers_[reading.node()] = reading.power_w();
        reply->set_taken(reply->taken() + 1);
      }
    }
    ++reports;
    return grpc::Status::OK;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> powers_;
};

// A daemon of one cluster that answers, hangs or refuses, as set by the test.
class FakeDaemon : public v1::Allocator::Service {
 public:
  explicit FakeDaemon(std::string socket_path)
      : socket_path_(std::move(socket_path)) {
    Start();
  }
  ~FakeDaemon() override { Stop(); }

  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix://" + socket_path_,
                             grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    builder.RegisterService(&telemetry);
    server_ = builder.BuildAndStart();
  }
  void Stop() {
    if (!server_) return;
    hung = false;
    holds_events = false;
    telemetry.hung = false;
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
    std::filesystem::remove(socket_path_);
  }

  std::string endpoint() const { return "unix://" + socket_path_; }
  std::vector<v1::Event> Events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::vector<v1::AllocateRequest> Allocates() const {
    const std::lock_guard lock(mutex_);
    return allocates_;
  }
  std::vector<v1::SyncRequest> Syncs() const {
    const std::lock_guard lock(mutex_);
    return syncs_;
  }
  std::vector<v1::KeepAliveRequest> KeepAlives() const {
    const std::lock_guard lock(mutex_);
    return keep_alives_;
  }
  void SetEpoch(std::string epoch) {
    const std::lock_guard lock(mutex_);
    epoch_ = std::move(epoch);
  }

  FakeTelemetry telemetry;
  std::atomic<bool> hung{false};            // no call is answered
  std::atomic<bool> hangs_allocate{false};  // Allocate is not answered
  std::atomic<bool> holds_events{false};    // events are not answered
  std::atomic<int> refuse_event_every{0};   // n-th event
  std::atomic<grpc::StatusCode> event_refusal{grpc::StatusCode::UNAVAILABLE};
  std::atomic<bool> contradicted{false};  // events ask for a Sync
  std::atomic<bool> refuses_sync{false};
  std::atomic<bool> replaced{false};        // KeepAlives tell of another client
  std::atomic<bool> fails_allocate{false};  // answered with INTERNAL
  std::atomic<bool> drained{false};         // Allocate is refused
  // Another daemon is the leader: the calls of the one cluster are refused.
  std::atomic<bool> follows{false};
  std::string leader;  // named then; set before
  // Drained, and takes part in no election: as follows, without a leader.
  std::atomic<bool> abstains{false};
  // A former leader that does not know it: it answers, but cannot store a Sync.
  std::atomic<bool> is_fenced{false};
  std::atomic<std::uint64_t> term{0};
  std::atomic<int> event_calls{0};
  std::atomic<int> sync_calls{0};

  grpc::Status Sync(grpc::ServerContext* context,
                    const v1::SyncRequest* request,
                    v1::SyncReply* reply) override {
    ++sync_calls;
    Hang(context, hung);
    if (follows || abstains || is_fenced) return NotLeader();
    const std::lock_guard lock(mutex_);
    if (refuses_sync)
      return {grpc::StatusCode::INVALID_ARGUMENT, "no such machine"};
    syncs_.push_back(*request);
    reply->set_epoch(epoch_);
    reply->set_term(term);
    reply->set_drained(drained);
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext* context,
                        const v1::AllocateRequest* request,
                        v1::AllocateReply* reply) override {
    {
      const std::lock_guard lock(mutex_);
      allocates_.push_back(*request);
    }
    Hang(context, hung);
    Hang(context, hangs_allocate);
    if (follows || abstains) return NotLeader();
    if (drained) {
      v1::Refusal refusal;
      refusal.set_drained(true);
      return {grpc::StatusCode::UNAVAILABLE, "drained",
              refusal.SerializeAsString()};
    }
    if (fails_allocate)
      return {grpc::StatusCode::INTERNAL, "the policy broke its contract"};
    const std::lock_guard lock(mutex_);
    if (request->epoch() != epoch_) {
      return {grpc::StatusCode::FAILED_PRECONDITION, "epoch is stale"};
    }
    if (request->mode() == "off") {
      reply->set_mode("off");
      return grpc::Status::OK;
    }
    reply->set_placed(true);
    reply->set_mode("advise");
    reply->set_nodes(request->candidates());
    reply->set_term(term);
    return grpc::Status::OK;
  }
  grpc::Status Commit(grpc::ServerContext* context, const v1::Event* event,
                      v1::EventReply* reply) override {
    return Take(context, event, reply);
  }
  grpc::Status Release(grpc::ServerContext* context, const v1::Event* event,
                       v1::EventReply* reply) override {
    return Take(context, event, reply);
  }
  grpc::Status Resize(grpc::ServerContext* context, const v1::Event* event,
                      v1::EventReply* reply) override {
    return Take(context, event, reply);
  }
  grpc::Status Suspend(grpc::ServerContext* context, const v1::Event* event,
                       v1::EventReply* reply) override {
    return Take(context, event, reply);
  }
  grpc::Status KeepAlive(grpc::ServerContext* context,
                         const v1::KeepAliveRequest* request,
                         v1::KeepAliveReply* reply) override {
    Hang(context, hung);
    if (follows || abstains) return NotLeader();
    const std::lock_guard lock(mutex_);
    keep_alives_.push_back(*request);
    reply->set_term(term);
    reply->set_sync_wanted(request->epoch() != epoch_ || replaced);
    reply->set_replaced(replaced);
    reply->set_drained(drained);
    return grpc::Status::OK;
  }
  grpc::Status Status(grpc::ServerContext* context, const v1::StatusRequest*,
                      v1::StatusReply* reply) override {
    Hang(context, hung);
    reply->add_clusters()->set_name("test");
    return grpc::Status::OK;
  }
  grpc::Status Explain(grpc::ServerContext*, const v1::ExplainRequest* request,
                       v1::ExplainReply* reply) override {
    if (request->job_id() == 0)
      return {grpc::StatusCode::NOT_FOUND, "no decision on job 0"};
    reply->add_decisions()->set_id("7.0.1");
    return grpc::Status::OK;
  }
  // Answers each sync and allocate; a release of job 13 fails, a release of job
  // 14 ends the stream.
  grpc::Status Session(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::SessionReply, v1::SessionRequest>* stream)
      override {
    v1::SessionRequest request;
    while (stream->Read(&request)) {
      v1::SessionReply reply;
      switch (request.what_case()) {
        case v1::SessionRequest::kSync:
          reply.mutable_sync()->set_epoch("virtual");
          stream->Write(reply);
          break;
        case v1::SessionRequest::kAllocate:
          if (request.allocate().after_sequence() != session_events_ ||
              request.allocate().epoch() != "virtual") {
            reply.mutable_error()->set_code(grpc::StatusCode::OUT_OF_RANGE);
          } else {
            reply.mutable_allocate()->set_placed(true);
          }
          stream->Write(reply);
          break;
        case v1::SessionRequest::kRelease:
          ++session_events_;
          if (request.release().job().job_id() == 14) {
            return {grpc::StatusCode::RESOURCE_EXHAUSTED, "enough"};
          }
          if (request.release().job().job_id() != 13) break;
          reply.mutable_error()->set_code(grpc::StatusCode::INVALID_ARGUMENT);
          reply.mutable_error()->set_message("job 13 fails");
          stream->Write(reply);
          break;
        default:
          ++session_events_;
      }
    }
    return grpc::Status::OK;
  }

 private:
  grpc::Status NotLeader() const {
    v1::Refusal refusal;
    refusal.set_not_leader(true);
    if (follows) refusal.set_leader(leader);
    refusal.set_drained(abstains);
    return {grpc::StatusCode::UNAVAILABLE, "not the leader",
            refusal.SerializeAsString()};
  }
  static void Hang(grpc::ServerContext* context,
                   const std::atomic<bool>& while_true) {
    while (while_true && !context->IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  grpc::Status Take(grpc::ServerContext* context, const v1::Event* event,
                    v1::EventReply* reply) {
    const int call = ++event_calls;
    Hang(context, hung);
    Hang(context, holds_events);
    if (follows || abstains) return NotLeader();
    if (context->IsCancelled()) return grpc::Status::CANCELLED;
    const int every = refuse_event_every;
    if (every > 0 && call % every == 0) return {event_refusal, "try again"};
    const std::lock_guard lock(mutex_);
    if (event->epoch() != epoch_) {
      return {grpc::StatusCode::FAILED_PRECONDITION, "epoch is stale"};
    }
    events_.push_back(*event);
    reply->set_term(term);
    reply->set_sync_wanted(contradicted);
    return grpc::Status::OK;
  }

  const std::string socket_path_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::string epoch_ = "one";
  std::vector<v1::SyncRequest> syncs_;
  std::vector<v1::KeepAliveRequest> keep_alives_;
  std::vector<v1::AllocateRequest> allocates_;
  std::vector<v1::Event> events_;
  std::atomic<std::uint64_t> session_events_{0};
};

// A temporary folder for sockets, with a path short enough for sockaddr_un.
class SocketFolder {
 public:
  SocketFolder() {
    char name[] = "/tmp/coolspan-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~SocketFolder() { std::filesystem::remove_all(path_); }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Waits until `condition` is true; returns false after a generous timeout.
inline bool Eventually(const std::function<bool()>& condition) {
  const auto timeout =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < timeout) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CLIENT_FAKE_DAEMON_H_
