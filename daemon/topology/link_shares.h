// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_LINK_SHARES_H_
#define COOLSPAN_TOPOLOGY_LINK_SHARES_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "topology/routes.h"

namespace coolspan {

// Max-min fair shares of links. Each user has loads on links, the traffic that
// it would send with nobody else, and gets the share x of all of them, so that
// its flows progress together: 0 < x <= 1, and on each link the sum of load * x
// over its users is at most the capacity. Max-min fair: no x can be greater
// without making one smaller that is not greater. Each user has x = 1 or a
// bottleneck: a full link on which no other user has a greater share.
// Bertsekas and Gallager, "Data networks" (1992), section 6.5.2.
//
// Shares are kept from one change to the next: only the users are recomputed
// that are connected to the change over links that would be overloaded if all
// their users had x = 1. Not thread-safe.
class LinkShares {
 public:
  using User = std::uint32_t;

  // By link, above 0, in the unit of the loads.
  explicit LinkShares(std::vector<double> capacities);

  // loads: above 0, each link at most once. The numbers of removed users are
  // used again.
  User Add(std::vector<LinkLoad> loads);
  void Remove(User user);
  // Computes the shares after Add and Remove. Returns the users whose share is
  // new or has changed, ascending; valid until the next call.
  std::span<const User> Update();

  // As of the last Update.
  double ShareOf(User user) const { return users_[user].share; }
  std::span<const LinkLoad> LoadsOf(User user) const {
    return users_[user].loads;
  }
  // The traffic on a link over its capacity, 0 to 1 but for rounding.
  double UseOf(LinkId link) const;
  std::span<const double> capacities() const { return capacities_; }

 private:
  struct Sharer {
    std::vector<LinkLoad> loads;
    double share = 0;  // 0: not computed yet
    bool is_reached = false;
    double new_share = 0;  // 0: not fixed yet
  };
  struct Use {
    User user;
    double load;
  };
  struct Link {
    std::vector<Use> uses;
    double demand = 0;  // the sum of their loads
    // While shares are computed: what is left for users without a new share,
    // and their loads.
    bool is_reached = false;
    double left = 0;
    double unfixed_load = 0;
    std::uint32_t unfixed = 0;
  };
  bool IsContended(LinkId link) const;
  double LevelOf(LinkId link) const;
  void Reach(User user);
  void ReachAll();
  void Fill();
  void Fix(User user, double share);

  std::vector<double> capacities_;
  std::vector<Link> links_;
  std::vector<Sharer> users_;
  std::vector<User> unused_;
  std::vector<User> reached_;
  std::vector<LinkId> reached_links_;
  std::vector<std::pair<double, LinkId>> levels_;  // heap, the lowest first
  std::vector<User> changed_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_LINK_SHARES_H_
