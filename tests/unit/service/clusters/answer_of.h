// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_ANSWER_OF_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_ANSWER_OF_H_

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "service/clusters/live_cluster.h"

namespace coolspan {

// The answer of a cluster that nobody else ticks.
inline absl::StatusOr<v1::AllocateReply> AnswerOf(
    LiveCluster& cluster, const v1::AllocateRequest& request, TimeLimits limits,
    std::function<bool()> has_left = nullptr) {
  std::promise<absl::StatusOr<v1::AllocateReply>> promise;
  cluster.Allocate(request, limits, std::move(has_left),
                   [&promise](absl::StatusOr<v1::AllocateReply> reply) {
                     promise.set_value(std::move(reply));
                   });
  auto reply = promise.get_future();
  while (reply.wait_until(limits.answer_by) != std::future_status::ready) {
    cluster.Tick();
    std::this_thread::yield();
  }
  return reply.get();
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_ANSWER_OF_H_
