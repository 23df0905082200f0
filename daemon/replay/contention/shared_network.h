// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_CONTENTION_SHARED_NETWORK_H_
#define COOLSPAN_REPLAY_CONTENTION_SHARED_NETWORK_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "core/comm_pattern.h"
#include "core/topology.h"
#include "core/types.h"
#include "replay/input/workload.h"
#include "topology/link_shares.h"
#include "topology/routes.h"

namespace coolspan {

// The traffic on a network and its links, at an instant.
struct NetworkUse {
  // Traffic / capacity, while all running jobs communicate.
  double mean = 0;  // over links
  double max = 0;
  std::size_t full_links = 0;  // with a use of 1

  friend bool operator==(const NetworkUse&, const NetworkUse&) = default;
};

// The network of one run, on which running jobs slow each other. A job
// communicates for a share of its logged run time, which is that on links that
// are never full. Its nodes then send at a given rate; its traffic on each link
// follows from the routes. Jobs are taken to communicate at the same time. The
// flows of a job progress together, at a rate x of 1 or less that is max-min
// fair among jobs (LinkShares), and communication takes 1 / x times as long:
//   run time = logged * (1 - share + share / x)
// as long as x does not change. Not thread-safe.
class SharedNetwork {
 public:
  struct Setup {
    std::unique_ptr<Routes> routes;
    double link_gb_per_s;        // capacity of a link, each way
    double send_gb_per_s;        // of the node that sends most
    double communication_share;  // of the logged run time
  };
  explicit SharedNetwork(Setup setup);

  // What the ranks of a job send, and the vertices of their nodes.
  struct RankTraffic {
    const CommPattern& pattern;
    const std::vector<NodeId>& rank_to_node;
  };
  struct Start {
    JobIndex job;
    std::span<const NodeId> nodes;
    const RankTraffic* traffic;  // nullptr: all-to-all between the nodes
    TimeMs logged_ms;
    TimeMs now_ms;
  };
  void Started(const Start& start, const Topology& topology);
  // Whether or not it is done.
  void Ended(JobIndex job);

  // After jobs have started and ended at an instant: reports the new end of
  // each job whose end changes, of a job that has started with its logged run
  // time too. Times never decrease.
  void Update(TimeMs now_ms,
              absl::FunctionRef<void(JobIndex job, TimeMs end_ms)> move_end);

  // What a running job has sent up to now.
  struct Sent {
    // GB/s on each link at x = 1, and for how long.
    std::span<const LinkLoad> loads;
    double seconds;
  };
  Sent SentBy(JobIndex job, TimeMs now_ms) const;

  // As of the last Update.
  NetworkUse Now() const;
  double UseOf(LinkId link) const { return shares_.UseOf(link); }
  const Routes& routes() const { return *setup_.routes; }
  std::span<const double> capacities_gb_per_s() const {
    return shares_.capacities();
  }

 private:
  struct Running {
    JobIndex job = 0;
    TimeMs logged_ms = 0;
    double left_ms = 0;  // of the logged run time, at since_ms
    TimeMs since_ms = 0;
    double stretch = 1;  // run time / logged run time, since then
    TimeMs end_ms = 0;
  };
  double LeftOf(const Running& running, TimeMs now_ms) const;
  void AddRankTraffic(const RankTraffic& traffic, const Topology& topology);

  const Setup setup_;
  LinkLoads loads_;
  LinkShares shares_;
  absl::flat_hash_map<JobIndex, LinkShares::User> users_;
  std::vector<Running> running_;  // by user
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_CONTENTION_SHARED_NETWORK_H_
