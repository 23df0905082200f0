// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/lease_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

using Clock = LeaseTime::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kLeaseRetryPause{50};
constexpr milliseconds kMinMargin{200};

}  // namespace

LeaseKeeper::LeaseKeeper(
    EtcdClient& client, std::chrono::seconds ttl, std::string key,
    std::string value, std::function<void(bool, const std::string&)> on_change)
    : client_(client),
      ttl_(ttl),
      key_(std::move(key)),
      value_(std::move(value)),
      on_change_(std::move(on_change)),
      thread_([this] { Run(); }) {}

LeaseKeeper::~LeaseKeeper() { Stop(); }

void LeaseKeeper::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    lease_.time->End();
  }
  changed_.notify_all();
  thread_.join();
  if (lease_.id != 0) client_.RevokeLease(lease_.id).IgnoreError();
}

LeaseKeeper::Lease LeaseKeeper::lease() const {
  const std::lock_guard lock(mutex_);
  return lease_;
}

absl::Status LeaseKeeper::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

milliseconds LeaseKeeper::ValidTime(std::int64_t ttl_s) {
  const milliseconds ttl = std::chrono::seconds(ttl_s);
  return ttl - std::max(kMinMargin, ttl / 5);
}

void LeaseKeeper::Run() {
  for (;;) {
    const Lease current = lease();
    absl::Status status = current.id == 0 ? Grant() : KeepAlive(current);
    if (status.ok() && registered_revision_ == 0) {
      status = Register(lease().id);
    }
    // "granted" tells that it is over.
    if (!status.ok() && !lease().time->IsValid(Clock::now())) {
      if (!is_lost_)
        on_change_(false, "none: " + std::string(status.message()));
      is_lost_ = true;
    }
    if (status.ok()) is_lost_ = false;
    const milliseconds pause =
        status.ok() ? milliseconds(ttl_) / 4 : kLeaseRetryPause;
    std::unique_lock lock(mutex_);
    status_ = std::move(status);
    changed_.wait_for(lock, pause, [this] { return is_stopping_; });
    if (is_stopping_) return;
  }
}

absl::Status LeaseKeeper::Grant() {
  const auto sent = Clock::now();
  const auto granted = client_.GrantLease(ttl_.count());
  if (!granted.ok()) return granted.status();
  const auto time = std::make_shared<LeaseTime>();
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return absl::CancelledError("the daemon stops");
    lease_ = {granted->id(), time};
    time->ExtendTo(sent + ValidTime(granted->ttl()));
  }
  registered_revision_ = 0;
  on_change_(true, fmt::format("granted for {} s", granted->ttl()));
  return absl::OkStatus();
}

absl::Status LeaseKeeper::KeepAlive(const Lease& lease) {
  const auto sent = Clock::now();
  const auto ttl_s = client_.KeepAlive(lease.id, milliseconds(ttl_) / 2);
  if (!ttl_s.ok()) return ttl_s.status();
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return absl::OkStatus();
    if (*ttl_s > 0) {
      lease.time->ExtendTo(sent + ValidTime(*ttl_s));
      return absl::OkStatus();
    }
    lease.time->End();
    lease_ = {0, std::make_shared<LeaseTime>()};
  }
  on_change_(false, "ended");
  return absl::UnavailableError("etcd: the lease has ended");
}

absl::Status LeaseKeeper::Register(std::int64_t lease) {
  etcdserverpb::TxnRequest request;
  auto& put = *request.add_success()->mutable_request_put();
  put.set_key(key_);
  put.set_value(value_);
  put.set_lease(lease);
  const auto response = client_.Txn(request);
  if (!response.ok()) return response.status();
  registered_revision_ = response->header().revision();
  return absl::OkStatus();
}

}  // namespace coolspan
