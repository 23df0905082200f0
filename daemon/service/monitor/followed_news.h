// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_FOLLOWED_NEWS_H_
#define COOLSPAN_SERVICE_MONITOR_FOLLOWED_NEWS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.pb.h"
#include "core/machine.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/watch_hub.h"

namespace coolspan {

// Tells the watchers of this daemon what happens to the clusters of other
// leaders: their jobs, unavailable nodes and modes, from the difference of two
// states. What only the leader knows, decisions and how jobs started, is not
// told. Not thread-safe.
class FollowedNews {
 public:
  // The references must outlive the object.
  FollowedNews(const LiveClusters& clusters, const Machine& machine,
               WatchHub& watchers);

  // Publishes what has changed since the last call. The first one for a
  // cluster publishes nothing of it, nor does one without watchers. at_ms: of
  // the happenings.
  void Tick(TimeMs at_ms);

 private:
  using ClusterPtr = std::shared_ptr<const LiveCluster>;

  const LiveClusters& clusters_;
  const Machine& machine_;
  WatchHub& watchers_;
  std::map<std::string, ClusterPtr> last_;  // by name
};

// What happened between two states of a cluster, without cluster and at_ms.
std::vector<v1::Happening> HappeningsBetween(const Machine& machine,
                                             const LiveCluster& before,
                                             const LiveCluster& after);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_FOLLOWED_NEWS_H_
