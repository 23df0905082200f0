// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/etcd_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <optional>
#include <thread>
#include <utility>

#include "channel/channel.h"

namespace coolspan {
namespace {

using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

constexpr std::int64_t kPageKeys = 1000;

// endpoint: HOST:PORT.
std::string TargetOf(const std::string& endpoint) {
  const std::string host = endpoint.substr(0, endpoint.rfind(':'));
  const bool is_numeric =
      host.find_first_not_of("0123456789.") == std::string::npos;
  return (is_numeric ? "ipv4:" : "dns:///") + endpoint;
}

// A member that has no connection to a quorum refuses the call at once.
void RequireLeader(grpc::ClientContext& context) {
  context.AddMetadata("hasleader", "true");
}

std::chrono::system_clock::time_point WallTimeAt(
    EtcdClient::Clock::time_point at) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(
             at - EtcdClient::Clock::now());
}

absl::Status StoppedError() {
  return absl::UnavailableError("etcd: the daemon is shutting down");
}

}  // namespace

class EtcdClient::Context {
 public:
  explicit Context(EtcdClient& client) : client_(client) {
    RequireLeader(context_);
    const std::lock_guard lock(client_.mutex_);
    client_.contexts_.insert(&context_);
    if (client_.is_stopped_) context_.TryCancel();
  }
  ~Context() {
    const std::lock_guard lock(client_.mutex_);
    client_.contexts_.erase(&context_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  grpc::ClientContext& operator*() { return context_; }

 private:
  EtcdClient& client_;
  grpc::ClientContext context_;
};

EtcdClient::EtcdClient(const EtcdAddress& address) {
  for (const std::string& endpoint : address.endpoints) {
    const auto channel = MakeChannel(TargetOf(endpoint), address.tls);
    members_.push_back({endpoint, channel, etcdserverpb::KV::NewStub(channel),
                        etcdserverpb::Watch::NewStub(channel),
                        etcdserverpb::Lease::NewStub(channel)});
  }
}

void EtcdClient::AwaitConnection(const Member& member,
                                 Clock::time_point until) {
  if (member.channel->GetState(true) == GRPC_CHANNEL_READY) return;
  member.channel->WaitForConnected(
      WallTimeAt(std::min(until, Clock::now() + kConnectTime)));
}

void EtcdClient::MoveOn(std::size_t failed) {
  current_.compare_exchange_strong(failed, (failed + 1) % members_.size());
}

EtcdClient::Clock::time_point EtcdClient::CallEnd(
    std::chrono::milliseconds within) const {
  return Clock::now() + (is_hurried_ ? std::min(within, kHurriedTime) : within);
}

absl::Status EtcdClient::ErrorOf(const Member& member,
                                 const grpc::Status& status) const {
  if (is_stopped_) return StoppedError();
  const grpc::StatusCode code = status.error_code();
  const std::string text =
      fmt::format("etcd at {}: {}", member.endpoint,
                  code == grpc::StatusCode::DEADLINE_EXCEEDED
                      ? "no response in time"
                      : ReasonIn(status.error_message()));
  return code == grpc::StatusCode::OUT_OF_RANGE ? absl::OutOfRangeError(text)
                                                : absl::UnavailableError(text);
}

absl::Status EtcdClient::Retry(
    std::chrono::milliseconds within,
    const std::function<grpc::Status(Member&, grpc::ClientContext&)>& attempt) {
  const Clock::time_point end = CallEnd(within);
  absl::Status status = absl::UnavailableError("etcd: no response in time");
  for (std::size_t i = 0; i < members_.size() && !is_stopped_; ++i) {
    const Clock::time_point now = Clock::now();
    if (now >= end) return status;
    const std::size_t index = Current();
    Member& member = members_[index];
    Context context(*this);
    // The time left is shared by the members left.
    const auto share = (end - now) / static_cast<int>(members_.size() - i);
    (*context).set_deadline(
        WallTimeAt(now + std::min<Clock::duration>(kAttemptTime, share)));
    AwaitConnection(member, now + share);
    const grpc::Status attempted = attempt(member, *context);
    if (attempted.ok()) return absl::OkStatus();
    status = ErrorOf(member, attempted);
    MoveOn(index);
  }
  return is_stopped_ ? StoppedError() : status;
}

absl::StatusOr<etcdserverpb::RangeResponse> EtcdClient::Range(
    const etcdserverpb::RangeRequest& request) {
  etcdserverpb::RangeResponse response;
  absl::Status status =
      Retry(kCallTime, [&](Member& member, grpc::ClientContext& context) {
        return member.kv->Range(&context, request, &response);
      });
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<std::int64_t> EtcdClient::RangeAll(
    const std::string& key, const std::string& range_end,
    const std::function<void(const mvccpb::KeyValue&)>& on_key) {
  etcdserverpb::RangeRequest request;
  request.set_key(key);
  request.set_range_end(range_end);
  request.set_limit(kPageKeys);
  for (;;) {
    const auto page = Range(request);
    if (!page.ok()) return page.status();
    if (request.revision() == 0) {
      request.set_revision(page->header().revision());
    }
    for (const mvccpb::KeyValue& pair : page->kvs()) on_key(pair);
    if (!page->more() || page->kvs().empty()) return request.revision();
    request.set_key(page->kvs(page->kvs_size() - 1).key() + '\0');
  }
}

absl::StatusOr<TxnResponse> EtcdClient::Txn(const TxnRequest& request) {
  return std::move(Txns({&request, 1}).front());
}

std::vector<absl::StatusOr<TxnResponse>> EtcdClient::Txns(
    std::span<const TxnRequest> requests) {
  struct Attempt {
    std::optional<Context> context;
    TxnResponse response;
    grpc::Status status;
    bool is_done = false;
  };
  std::vector<absl::StatusOr<TxnResponse>> results(
      requests.size(), absl::UnavailableError("etcd: no response in time"));
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
  const Clock::time_point end = CallEnd(kCallTime);
  for (std::size_t round = 0; round < members_.size(); ++round) {
    const Clock::time_point now = Clock::now();
    if (now >= end || is_stopped_) break;
    const std::size_t index = Current();
    const auto share = (end - now) / static_cast<int>(members_.size() - round);
    const auto deadline =
        WallTimeAt(now + std::min<Clock::duration>(kAttemptTime, share));
    AwaitConnection(members_[index], now + share);
    std::vector<Attempt> attempts(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (results[i].ok()) continue;
      Attempt& attempt = attempts[i];
      attempt.context.emplace(*this);
      (**attempt.context).set_deadline(deadline);
      {
        const std::lock_guard lock(mutex);
        ++running;
      }
      members_[index].kv->async()->Txn(&**attempt.context, &requests[i],
                                       &attempt.response,
                                       [&](const grpc::Status& status) {
                                         const std::lock_guard lock(mutex);
                                         attempt.status = status;
                                         attempt.is_done = true;
                                         if (--running == 0) ended.notify_one();
                                       });
    }
    {
      std::unique_lock lock(mutex);
      ended.wait(lock, [&] { return running == 0; });
    }
    bool has_failed = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      Attempt& attempt = attempts[i];
      if (!attempt.is_done) continue;
      if (attempt.status.ok()) {
        results[i] = std::move(attempt.response);
      } else {
        results[i] = ErrorOf(members_[index], attempt.status);
        has_failed = true;
      }
    }
    if (!has_failed) break;
    MoveOn(index);
  }
  return results;
}

absl::StatusOr<etcdserverpb::LeaseGrantResponse> EtcdClient::GrantLease(
    std::int64_t ttl_s) {
  etcdserverpb::LeaseGrantRequest request;
  request.set_ttl(ttl_s);
  etcdserverpb::LeaseGrantResponse response;
  absl::Status status =
      Retry(kCallTime, [&](Member& member, grpc::ClientContext& context) {
        return member.lease->LeaseGrant(&context, request, &response);
      });
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<std::int64_t> EtcdClient::KeepAlive(
    std::int64_t lease, std::chrono::milliseconds within) {
  etcdserverpb::LeaseKeepAliveRequest request;
  request.set_id(lease);
  etcdserverpb::LeaseKeepAliveResponse response;
  absl::Status status =
      Retry(within, [&](Member& member, grpc::ClientContext& context) {
        const auto stream = member.lease->LeaseKeepAlive(&context);
        const bool is_read = stream->Write(request) && stream->Read(&response);
        if (is_read) context.TryCancel();
        const grpc::Status ended = stream->Finish();
        if (is_read) return grpc::Status::OK;
        return ended.ok() ? grpc::Status(grpc::StatusCode::UNAVAILABLE,
                                         "the stream was closed")
                          : ended;
      });
  if (!status.ok()) return status;
  return response.ttl();
}

absl::Status EtcdClient::RevokeLease(std::int64_t lease) {
  etcdserverpb::LeaseRevokeRequest request;
  request.set_id(lease);
  etcdserverpb::LeaseRevokeResponse response;
  return Retry(kHurriedTime, [&](Member& member, grpc::ClientContext& context) {
    return member.lease->LeaseRevoke(&context, request, &response);
  });
}

absl::Status EtcdClient::Watch(
    const std::string& key, const std::string& range_end,
    std::int64_t from_revision,
    const std::function<bool(const etcdserverpb::WatchResponse&)>&
        on_response) {
  if (is_stopped_) return StoppedError();
  const std::size_t index = Current();
  Member& member = members_[index];
  Context context(*this);
  AwaitConnection(member, Clock::now() + kConnectTime);
  const auto stream = member.watch->Watch(&*context);
  std::atomic<Clock::rep> heard = Clock::now().time_since_epoch().count();
  std::mutex mutex;
  std::condition_variable changed;
  bool is_over = false;
  // Asks the member for a sign of life.
  std::thread asking([&] {
    etcdserverpb::WatchRequest create;
    etcdserverpb::WatchCreateRequest& range = *create.mutable_create_request();
    range.set_key(key);
    range.set_range_end(range_end);
    range.set_start_revision(from_revision);
    stream->Write(create);
    etcdserverpb::WatchRequest progress;
    progress.mutable_progress_request();
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kSilence / 5, [&] { return is_over; })) {
      const auto silence =
          Clock::now().time_since_epoch() - Clock::duration(heard.load());
      if (silence > kSilence) (*context).TryCancel();
      lock.unlock();
      stream->Write(progress);
      lock.lock();
    }
  });
  etcdserverpb::WatchResponse response;
  bool reads_on = true;
  bool is_cancelled = false;
  while (reads_on && !is_cancelled && stream->Read(&response)) {
    heard = Clock::now().time_since_epoch().count();
    is_cancelled = response.canceled() && response.compact_revision() == 0;
    if (!is_cancelled) reads_on = on_response(response);
  }
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  changed.notify_one();
  (*context).TryCancel();
  asking.join();
  const grpc::Status status = stream->Finish();
  if (!reads_on) return absl::OkStatus();
  MoveOn(index);
  if (is_cancelled && !is_stopped_) {
    return absl::UnavailableError(fmt::format(
        "etcd at {}: watch cancelled: {}", member.endpoint,
        response.cancel_reason().empty() ? "no reason given"
                                         : response.cancel_reason()));
  }
  return ErrorOf(member, status);
}

void EtcdClient::Hurry() { is_hurried_ = true; }

void EtcdClient::Stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  for (grpc::ClientContext* context : contexts_) context->TryCancel();
}

}  // namespace coolspan
