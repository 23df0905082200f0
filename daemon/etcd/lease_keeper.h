// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_LEASE_KEEPER_H_
#define COOLSPAN_ETCD_LEASE_KEEPER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "etcd/etcd_client.h"
#include "state/tenure.h"

namespace coolspan {

// Keeps the lease of this daemon alive, on a thread of its own, and the key by
// which the others know it. When a lease has ended in etcd, it gets another.
// Thread-safe.
class LeaseKeeper {
 public:
  struct Lease {
    std::int64_t id = 0;  // 0: none yet
    std::shared_ptr<LeaseTime> time;
  };

  // key: is kept with the value as long as the lease. on_change: called with
  // whether there is a lease, and what happened, when that changes.
  LeaseKeeper(EtcdClient& client, std::chrono::seconds ttl, std::string key,
              std::string value,
              std::function<void(bool, const std::string&)> on_change);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  Lease lease() const;
  // Of the last attempt to keep it alive.
  absl::Status status() const;
  // The revision of etcd with the key of the present lease; 0: none yet.
  std::int64_t registered_revision() const { return registered_revision_; }
  // Ends the lease.
  void Stop();

 private:
  void Run();
  absl::Status Grant();
  absl::Status KeepAlive(const Lease& lease);
  absl::Status Register(std::int64_t lease);
  // The lease counts as valid for so long from the time that a request was
  // sent: etcd counts from its arrival.
  static std::chrono::milliseconds ValidTime(std::int64_t ttl_s);

  EtcdClient& client_;
  const std::chrono::seconds ttl_;
  const std::string key_;
  const std::string value_;
  const std::function<void(bool, const std::string&)> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  Lease lease_{0, std::make_shared<LeaseTime>()};
  absl::Status status_ = absl::UnavailableError("etcd: not reached yet");
  std::atomic<std::int64_t> registered_revision_ = 0;
  // Used by the thread only.
  bool is_lost_ = false;  // and on_change_ knows it
  std::thread thread_;    // last: uses the members above
};

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_LEASE_KEEPER_H_
