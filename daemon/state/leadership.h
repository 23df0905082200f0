// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_LEADERSHIP_H_
#define COOLSPAN_STATE_LEADERSHIP_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "state/ledger_store.h"
#include "state/tenure.h"

namespace coolspan {

// UNAVAILABLE: another daemon decides for the cluster, or none. leader: the
// endpoint at which clients reach the daemon that does; empty: not known, for
// the reason why.
absl::Status NotLeaderError(const std::string& cluster,
                            const std::string& leader,
                            std::string_view why = "");
// The leader of a NotLeaderError; nullopt: another status.
std::optional<std::string> LeaderNamedIn(const absl::Status& status);

// The NotLeaderError of a daemon that takes part in no election while it is
// drained; no other leader is known.
absl::Status DrainedError(const std::string& cluster);
bool IsDrainedError(const absl::Status& status);

// Which of several daemons decides for which cluster. Thread-safe.
class Leadership {
 public:
  struct Listener {
    // This daemon was elected. stored: what the leaders before have written;
    // nullopt: nothing. Called before the tenure is returned by any function.
    std::function<void(const std::string& cluster,
                       const std::shared_ptr<Tenure>& tenure,
                       std::optional<StoredCluster> stored)>
        elected;
    // The tenure is over. It is over before this is called.
    std::function<void(const std::string& cluster)> lost;
  };
  // A cluster of this daemon or another one.
  struct Known {
    std::string cluster;
    std::string leader;         // NotLeaderError's
    std::uint64_t version = 0;  // grows with each change of the cluster
  };

  virtual ~Leadership() = default;

  // Takes part in elections from now on. The listener is called by one thread
  // at a time, never within a call of this interface by the same thread.
  virtual void Start(Listener listener) = 0;
  // Gives all clusters up, so that others need not wait for the end of the
  // lease, and ends calls of the listener. Waits at most a second or so.
  virtual void Stop() = 0;

  // Whether this daemon can take part in elections. Error: UNAVAILABLE (the
  // store is out of reach, for the reason in the message).
  virtual absl::Status status() const = 0;
  // What an operator should mend in the options of the daemons that take part.
  virtual std::vector<std::string> Warnings() const = 0;
  // Whether this daemon decides for the cluster now. Does not wait. Errors:
  // NotLeaderError; DrainedError (it abstains).
  virtual absl::Status Check(const std::string& cluster) const = 0;
  // Leads the cluster if nobody does, and returns the tenure. Errors:
  // NotLeaderError; DrainedError, at once; UNAVAILABLE (the store does not
  // answer in time).
  virtual absl::StatusOr<std::shared_ptr<Tenure>> Claim(
      const std::string& cluster,
      std::chrono::steady_clock::time_point until) = 0;
  // Whether this daemon gives all clusters up and claims none: it is drained.
  virtual void Abstain(bool abstains) = 0;
  // Gives up a cluster that was removed.
  virtual void Resign(const std::string& cluster) = 0;

  virtual std::vector<Known> ListClusters() const = 0;
  // What the leader has written up to now, or a little earlier. Errors:
  // NOT_FOUND; DATA_LOSS.
  virtual absl::StatusOr<StoredCluster> Read(
      const std::string& cluster) const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_LEADERSHIP_H_
