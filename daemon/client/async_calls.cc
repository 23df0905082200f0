// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/async_calls.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "client/channels.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {
namespace {

constexpr std::chrono::seconds kFirstConnectTimeout{5};

}  // namespace

class AsyncCalls::Connections {
  struct CallInFlight {
    grpc::ClientContext context;
    grpc::Status status;
    Clock::time_point begin;

    CallInFlight() = default;
    virtual ~CallInFlight() = default;
    CallInFlight(const CallInFlight&) = delete;
    CallInFlight& operator=(const CallInFlight&) = delete;
    virtual void Finish() = 0;
  };

  template <typename Reply>
  struct TypedCall final : CallInFlight {
    Reply reply;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
    Done<Reply> done;

    void Finish() override {
      const auto took = Clock::now() - this->begin;
      if (this->status.ok()) {
        done(std::move(reply), took);
      } else {
        done(ToAbsl(this->status), took);
      }
    }
  };

 public:
  Connections(const std::vector<std::shared_ptr<grpc::Channel>>& channels,
              std::chrono::milliseconds timeout)
      : timeout_(timeout) {
    for (const auto& channel : channels) {
      stubs_.push_back(v1::Allocator::NewStub(channel));
    }
  }
  ~Connections() {
    for (CallInFlight* const call : calls_) call->context.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) delete static_cast<CallInFlight*>(tag);
  }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  template <typename Request, typename Reply>
  void Start(std::size_t lane, const Request& request, Done<Reply> done,
             std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> (
                 v1::Allocator::Stub::*method)(grpc::ClientContext*,
                                               const Request&,
                                               grpc::CompletionQueue*)) {
    auto call = std::make_unique<TypedCall<Reply>>();
    call->done = std::move(done);
    call->begin = Clock::now();
    call->context.set_deadline(std::chrono::system_clock::now() + timeout_);
    v1::Allocator::Stub& stub = *stubs_[lane % stubs_.size()];
    call->reader = (stub.*method)(&call->context, request, &queue_);
    // The queue owns the call until it returns it as a tag.
    CallInFlight* const tag = call.get();
    calls_.insert(tag);
    call->reader->Finish(&call->reply, &call->status, tag);
    call.release();  // NOLINT(bugprone-unused-return-value)
  }

  void Poll(Clock::time_point until) {
    void* tag = nullptr;
    bool ok = false;
    const auto left = std::max(until - Clock::now(), Clock::duration::zero());
    const auto wall_until =
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::system_clock::duration>(left);
    if (queue_.AsyncNext(&tag, &ok, wall_until) !=
        grpc::CompletionQueue::GOT_EVENT) {
      return;
    }
    const std::unique_ptr<CallInFlight> call(static_cast<CallInFlight*>(tag));
    calls_.erase(call.get());
    call->Finish();
  }

  std::size_t in_flight() const { return calls_.size(); }

 private:
  const std::chrono::milliseconds timeout_;
  std::vector<std::unique_ptr<v1::Allocator::Stub>> stubs_;
  grpc::CompletionQueue queue_;
  absl::flat_hash_set<CallInFlight*> calls_;
};

AsyncCalls::AsyncCalls(std::unique_ptr<Connections> connections)
    : connections_(std::move(connections)) {}
AsyncCalls::~AsyncCalls() = default;

absl::StatusOr<std::unique_ptr<AsyncCalls>> AsyncCalls::Connect(
    const Options& options) {
  auto endpoints = ParseEndpoints(options.address);
  if (!endpoints.ok()) return endpoints.status();
  absl::Status status;
  for (const Endpoint& endpoint : *endpoints) {
    std::vector<std::shared_ptr<grpc::Channel>> channels;
    status = absl::OkStatus();
    while (status.ok() && channels.size() < options.connections) {
      channels.push_back(MakeChannel(endpoint));
      status =
          coolspan::Connect(*channels.back(), endpoint, kFirstConnectTimeout);
    }
    if (!status.ok()) continue;
    return std::unique_ptr<AsyncCalls>(new AsyncCalls(
        std::make_unique<Connections>(std::move(channels), options.timeout)));
  }
  return status;
}

void AsyncCalls::Allocate(std::size_t lane, const v1::AllocateRequest& request,
                          Done<v1::AllocateReply> done) {
  connections_->Start(lane, request, std::move(done),
                      &v1::Allocator::Stub::AsyncAllocate);
}

void AsyncCalls::Commit(std::size_t lane, const v1::Event& event,
                        Done<v1::EventReply> done) {
  connections_->Start(lane, event, std::move(done),
                      &v1::Allocator::Stub::AsyncCommit);
}

void AsyncCalls::Release(std::size_t lane, const v1::Event& event,
                         Done<v1::EventReply> done) {
  connections_->Start(lane, event, std::move(done),
                      &v1::Allocator::Stub::AsyncRelease);
}

void AsyncCalls::Poll(Clock::time_point until) { connections_->Poll(until); }

std::size_t AsyncCalls::in_flight() const { return connections_->in_flight(); }

}  // namespace coolspan
