// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_SELF_CHECK_H_
#define COOLSPAN_SERVICE_MONITOR_SELF_CHECK_H_

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "service/clusters/decision_config.h"
#include "service/clusters/live_clusters.h"
#include "service/monitor/health.h"

namespace coolspan {

// Whether the daemon can answer a decision: a call is answered by the threads
// of its server, no cluster's lock is held for long, no decision takes for
// ever, and the ticker, which expires allocations, runs. Not whether the disk
// answers: a restart would not mend that.
class SelfCheck {
 public:
  // channel: Server::Connect's; Run must not be called after the server has
  // stopped, which gRPC does not survive. The references must outlive the
  // object.
  SelfCheck(std::shared_ptr<grpc::Channel> channel,
            const LiveClusters& clusters, const CurrentConfig& config,
            const Health& health)
      : channel_(std::move(channel)),
        clusters_(clusters),
        config_(config),
        health_(health) {}

  // Does not return while a cluster's lock is held. Error: UNAVAILABLE (the
  // server does not answer in time, a decision does not end; Health::Alive's).
  absl::Status Run(std::chrono::microseconds time) const;

 private:
  absl::Status CheckServer(std::chrono::microseconds time) const;

  const std::shared_ptr<grpc::Channel> channel_;
  const LiveClusters& clusters_;
  const CurrentConfig& config_;
  const Health& health_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_SELF_CHECK_H_
