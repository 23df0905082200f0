// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCINT_PROBLEM_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCINT_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/room.h"
#include "core/types.h"
#include "replay/input/workload.h"

namespace coolspan {

// Nodes of one zone with equal power and speed: a chassis of the paper.
struct ScintSite {
  ZoneId zone;
  NodeCount nodes;
  double added_w;  // of a busy node, alpha
  double speed;
  std::uint16_t type;  // into Room::Description::types
};

struct ScintJob {
  TimeMs arrival_ms;   // a_k
  TimeMs deadline_ms;  // d_k
  TimeMs work_ms;      // t_ik at speed 1
  NodeCount nodes;     // c_k^tot
  std::int32_t node_type = -1;
  // The basic feasible solution meets the deadline: no other may miss it.
  bool must_meet = false;
};

// The nodes of a job: c_ik above 0.
struct ScintPart {
  std::uint32_t site;
  NodeCount nodes;

  friend bool operator==(const ScintPart&, const ScintPart&) = default;
};
// When and where a job runs: the non-zero entries of C_k.
struct ScintRun {
  TimeMs start_ms = 0;
  TimeMs end_ms = 0;
  absl::InlinedVector<ScintPart, 8> parts;  // at most one a site

  NodeCount NodesAt(std::uint32_t site) const;
  void AddNodes(std::uint32_t site, NodeCount nodes);
  // Of parts[index], which vanishes if none is left. REQUIRES that many.
  void TakeNodes(std::size_t index, NodeCount nodes);
  friend bool operator==(const ScintRun&, const ScintRun&) = default;
};
// By job.
using ScintPlan = std::vector<ScintRun>;

// Problem 1 of spatio-temporal-scint, section 3.6: jobs to plan in a room, from
// the first arrival on. Times are exact; slots are where starts are proposed,
// begin_ms() + m slot_ms(). Immutable, thread-safe.
class ScintProblem {
 public:
  // room must outlive the object. Not empty. min_end_ms: energy is counted to
  // that time at least. penalty_end_ms: see penalty_j. from_ms: energy is
  // counted from then on. communication_share: of run time; none: the room's.
  ScintProblem(const Room& room, std::vector<ScintJob> jobs, TimeMs slot_ms,
               TimeMs min_end_ms, TimeMs penalty_end_ms,
               TimeMs from_ms = std::numeric_limits<TimeMs>::min(),
               std::optional<float> communication_share = std::nullopt);

  std::span<const ScintSite> sites() const { return sites_; }
  std::span<const ScintJob> jobs() const { return jobs_; }
  TimeMs begin_ms() const { return begin_ms_; }  // the first arrival
  // From when on energy is counted.
  TimeMs from_ms() const { return from_ms_; }
  TimeMs min_end_ms() const { return min_end_ms_; }
  TimeMs slot_ms() const { return slot_ms_; }
  const Room& room() const { return *room_; }
  std::uint32_t SiteOf(NodeId node) const { return site_of_[node]; }
  bool Allows(const ScintJob& job, const ScintSite& site) const {
    return job.node_type < 0 || job.node_type == site.type;
  }
  // The lowest speed of the nodes of a run, which is that of the job.
  double SpeedOf(const ScintRun& run) const;
  // The run of a job from then on those nodes, at that speed.
  TimeMs EndOf(const ScintJob& job, const ScintRun& run) const;
  // The penalty of a missed deadline, section 4: the energy of the room from
  // begin_ms to penalty_end_ms with all nodes busy, in joules.
  double penalty_j() const { return penalty_j_; }
  // Inlets that can be the warmest, and the rise of each, in K, for a watt in
  // the zone. Inlets that another one exceeds whatever the power are left out.
  std::size_t inlet_count() const { return inlets_; }
  std::span<const double> RisePerWatt(ZoneId zone) const {
    return {&rise_per_watt_[zone * inlets_], inlets_};
  }
  // IT and cooling power at the highest supply temperature that keeps the
  // redline, equation 6.
  double TotalWatts(double it_w, double max_rise_k) const;

 private:
  void FindSites(double communication_share);
  void FindInlets();

  const Room* room_;
  std::vector<ScintJob> jobs_;
  std::vector<ScintSite> sites_;
  std::vector<std::uint32_t> site_of_;  // by NodeId
  TimeMs begin_ms_;
  TimeMs from_ms_;
  TimeMs min_end_ms_;
  TimeMs slot_ms_;
  std::size_t inlets_ = 0;
  std::vector<double> rise_per_watt_;
  double penalty_j_ = 0;
};

// Evaluates plans of a problem. Not thread-safe; cheap to make.
class ScintEnergy {
 public:
  explicit ScintEnergy(const ScintProblem& problem);

  // E^total of equation 10 without E^mig, over exact times, in joules, from
  // from_ms() to the last end, min_end_ms() at least. Also for pieces of runs,
  // which are then one after the other in place of a run. The first
  // call after another plan with other starts costs more than one after a small
  // change.
  double Joules(const ScintPlan& plan);
  // Joules and a penalty for each missed deadline; one that must be met counts
  // that many times.
  double Cost(const ScintPlan& plan, double must_meet_weight);
  // The same; one that must be met counts more than all others together.
  double Cost(const ScintPlan& plan) {
    return Cost(plan, static_cast<double>(plan.size()) + 1);
  }
  // The free nodes of each site, all the time from start_ms to end_ms, without
  // the job itself.
  std::span<const NodeCount> FreeIn(const ScintPlan& plan, std::size_t without,
                                    TimeMs start_ms, TimeMs end_ms);

 private:
  struct Event {
    TimeMs at_ms;
    std::uint32_t code;  // 2 job + 1: a start; 2 job: an end, which comes first

    static bool IsBefore(const Event& a, const Event& b) {
      return std::tuple(a.at_ms, a.code % 2, a.code) <
             std::tuple(b.at_ms, b.code % 2, b.code);
    }
  };
  void SortEvents(const ScintPlan& plan);
  void Apply(const ScintRun& run, double sign);
  double MaxRise() const;

  const ScintProblem& problem_;
  std::vector<Event> events_;
  std::vector<double> rise_k_;
  std::vector<NodeCount> busy_;  // by zone
  double it_w_ = 0;
  std::vector<Event> window_;
  std::vector<NodeCount> used_;  // by site
  std::vector<NodeCount> free_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCINT_PROBLEM_H_
