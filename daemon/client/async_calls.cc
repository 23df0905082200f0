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
    std::size_t endpoint = 0;

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
  // channels: of each endpoint. first: the endpoint to begin with.
  Connections(
      std::vector<Endpoint> endpoints,
      const std::vector<std::vector<std::shared_ptr<grpc::Channel>>>& channels,
      std::size_t first, std::chrono::milliseconds timeout)
      : endpoints_(std::move(endpoints)), timeout_(timeout), current_(first) {
    for (const auto& of_endpoint : channels) {
      stubs_.emplace_back();
      for (const auto& channel : of_endpoint) {
        stubs_.back().push_back(v1::Allocator::NewStub(channel));
      }
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
    call->endpoint = current_;
    const auto& stubs = stubs_[current_];
    v1::Allocator::Stub& stub = *stubs[lane % stubs.size()];
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
    MoveOnAfter(*call);
    call->Finish();
  }

  std::size_t in_flight() const { return calls_.size(); }

 private:
  // To the leader, or the next endpoint, if the call was not answered.
  void MoveOnAfter(const CallInFlight& call) {
    if (call.status.ok() || call.endpoint != current_) return;
    const absl::Status status = ToAbsl(call.status);
    if (!IsUnanswered(status.code())) return;
    current_ = (current_ + 1) % endpoints_.size();
    const auto leader = LeaderInRefusal(status);
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
      if (i != call.endpoint && endpoints_[i].text == leader) current_ = i;
    }
  }

  const std::vector<Endpoint> endpoints_;
  const std::chrono::milliseconds timeout_;
  // Of each endpoint.
  std::vector<std::vector<std::unique_ptr<v1::Allocator::Stub>>> stubs_;
  std::size_t current_;
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
  std::vector<std::vector<std::shared_ptr<grpc::Channel>>> channels;
  for (const Endpoint& endpoint : *endpoints) {
    auto& of_endpoint = channels.emplace_back();
    while (of_endpoint.size() < options.connections) {
      of_endpoint.push_back(MakeChannel(endpoint));
    }
  }
  absl::Status status;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    status = absl::OkStatus();
    for (const auto& channel : channels[i]) {
      if (!status.ok()) break;
      status =
          coolspan::Connect(*channel, (*endpoints)[i], kFirstConnectTimeout);
    }
    if (!status.ok()) continue;
    return std::unique_ptr<AsyncCalls>(
        new AsyncCalls(std::make_unique<Connections>(
            *std::move(endpoints), channels, i, options.timeout)));
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
