// SPDX-License-Identifier: GPL-3.0-or-later
// SCINT in slots, directly from spatio-temporal-scint (equation 10, algorithm
// 1) and without code of the search: the reference for energies and plans.
#ifndef COOLSPAN_TESTS_NAIVE_SCINT_H_
#define COOLSPAN_TESTS_NAIVE_SCINT_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/room.h"
#include "replay/schedulers/scint_problem.h"

namespace coolspan {

// The columns of C that a job has: from slot b_k on, c_ik nodes of site i.
struct NaiveRun {
  std::size_t start = 0;          // b_k
  std::size_t slots = 0;          // max over its sites of t_ik
  std::vector<NodeCount> counts;  // by site
};
using NaivePlan = std::vector<NaiveRun>;

class NaiveScint {
 public:
  // REQUIRES times of jobs in multiples of the slot; all within the slots.
  NaiveScint(const ScintProblem& problem, std::size_t slots)
      : problem_(problem), slots_(slots) {
    const ZoneId zones = problem.room().zone_count();
    heat_.assign(zones, std::vector<double>(zones));
    for (ZoneId i = 0; i < zones; ++i)
      problem.room().heat().CopyRow(i, heat_[i]);
  }

  // E^total of equation 10, E^mig = 0.
  double Joules(const NaivePlan& plan) const {
    const Room& room = problem_.room();
    const ZoneId zones = room.zone_count();
    double joules = 0;
    for (std::size_t m = 0; m < slots_; ++m) {
      std::vector<double> busy_w(zones, 0.0);
      for (const NaiveRun& run : plan) {
        if (!Runs(run, m)) continue;
        for (std::size_t s = 0; s < run.counts.size(); ++s) {
          const ScintSite& site = problem_.sites()[s];
          busy_w[site.zone] += run.counts[s] * site.added_w;
        }
      }
      double it_w = 0;
      std::vector<double> power_w = busy_w;
      for (ZoneId i = 0; i < zones; ++i) {
        if (room.idle_on() || busy_w[i] > 0) power_w[i] += room.IdleWatts(i);
        it_w += power_w[i];
      }
      double max_rise_k = 0;
      for (const std::vector<double>& row : heat_) {
        double rise_k = 0;
        for (ZoneId j = 0; j < zones; ++j) rise_k += row[j] * power_w[j];
        max_rise_k = std::max(max_rise_k, rise_k);
      }
      const double cop = room.CopAt(room.redline_c() - max_rise_k);
      joules +=
          (1 + 1 / cop) * it_w * static_cast<double>(problem_.slot_ms()) / 1000;
    }
    return joules;
  }

  double Fitness(const NaivePlan& plan) const {
    double fitness = Joules(plan);
    for (std::size_t k = 0; k < plan.size(); ++k) {
      const TimeMs end_ms = problem_.begin_ms() +
                            static_cast<TimeMs>(plan[k].start + plan[k].slots) *
                                problem_.slot_ms();
      if (end_ms > problem_.jobs()[k].deadline_ms) {
        fitness += problem_.penalty_j();
      }
    }
    return fitness;
  }

  NodeCount Available(const NaivePlan& plan, std::size_t without,
                      std::size_t site, std::size_t start,
                      std::size_t slots) const {
    NodeCount most = 0;
    for (std::size_t m = start; m < std::min(start + slots, slots_); ++m) {
      NodeCount used = 0;
      for (std::size_t k = 0; k < plan.size(); ++k) {
        if (k != without && Runs(plan[k], m)) used += plan[k].counts[site];
      }
      most = std::max(most, used);
    }
    const NodeCount nodes = problem_.sites()[site].nodes;
    return nodes - std::min(nodes, most);
  }

  // Each job in the order of arrival, at the first slot with enough servers.
  NaivePlan Bfs() const {
    NaivePlan plan;
    for (const ScintJob& job : problem_.jobs()) {
      for (std::size_t m = ArrivalSlot(job);; ++m) {
        NaiveRun run{m, 0, std::vector<NodeCount>(problem_.sites().size(), 0)};
        plan.push_back(run);
        if (Repair(plan, plan.size() - 1, job.nodes)) break;
        plan.pop_back();
      }
    }
    return plan;
  }

  // Population and generations as in the paper: 1,000 and 300. Algorithm 1
  // starts from equal plans and its MUTATE moves no start, so no start would
  // ever change; here half of the mutations draw one between arrival and
  // deadline, as the text says of SCINT.
  NaivePlan Evolve(std::size_t population, std::size_t generations,
                   std::uint32_t seed) {
    random_.seed(seed);
    const NaivePlan bfs = Bfs();
    std::vector<std::pair<double, NaivePlan>> current(population,
                                                      {Fitness(bfs), bfs});
    for (std::size_t x = 0; x < generations; ++x) {
      std::vector<double> wheel;
      for (const auto& [fitness, plan] : current) {
        wheel.push_back(current.back().first - fitness +
                        1e-6 * current.back().first);
      }
      std::discrete_distribution<std::size_t> roulette(wheel.begin(),
                                                       wheel.end());
      std::vector<std::pair<double, NaivePlan>> made;
      while (made.size() < population) {
        NaivePlan one = current[roulette(random_)].second;
        if (made.size() % 2 == 0) {
          Mutate(one);
        } else {
          Recombine(one, current[roulette(random_)].second);
        }
        const double fitness = Fitness(one);
        made.emplace_back(fitness, std::move(one));
      }
      std::move(made.begin(), made.end(), std::back_inserter(current));
      std::stable_sort(
          current.begin(), current.end(),
          [](const auto& a, const auto& b) { return a.first < b.first; });
      current.resize(population);
    }
    return current.front().second;
  }

 private:
  static bool Runs(const NaiveRun& run, std::size_t slot) {
    return run.start <= slot && slot < run.start + run.slots;
  }
  std::size_t Draw(std::size_t bound) { return random_() % bound; }
  std::size_t ArrivalSlot(const ScintJob& job) const {
    return static_cast<std::size_t>((job.arrival_ms - problem_.begin_ms()) /
                                    problem_.slot_ms());
  }
  void SetSlots(NaiveRun& run, const ScintJob& job) const {
    double speed = 1e9;
    for (std::size_t s = 0; s < run.counts.size(); ++s) {
      if (run.counts[s] > 0) speed = std::min(speed, problem_.sites()[s].speed);
    }
    const double slots = static_cast<double>(job.work_ms) / speed /
                         static_cast<double>(problem_.slot_ms());
    run.slots = static_cast<std::size_t>(slots - 1e-9) + 1;
  }

  // Takes nodes that its sites lack, `missing` more, from the sites with the
  // most available. False: there are too few.
  bool Repair(NaivePlan& plan, std::size_t k, NodeCount missing) const {
    NaiveRun& run = plan[k];
    const ScintJob& job = problem_.jobs()[k];
    // Long enough for any speed.
    const std::size_t window =
        static_cast<std::size_t>(job.work_ms / problem_.slot_ms()) + 1;
    std::vector<NodeCount> left(run.counts.size());
    for (std::size_t s = 0; s < left.size(); ++s) {
      left[s] = Available(plan, k, s, run.start, window);
      const NodeCount kept = std::min(run.counts[s], left[s]);
      missing += run.counts[s] - kept;
      run.counts[s] = kept;
      left[s] -= kept;
    }
    while (missing > 0) {
      const auto most = std::max_element(left.begin(), left.end());
      if (*most == 0) return false;
      const NodeCount taken = std::min(*most, missing);
      run.counts[static_cast<std::size_t>(most - left.begin())] += taken;
      *most -= taken;
      missing -= taken;
    }
    SetSlots(run, job);
    return run.start + run.slots <= slots_;
  }

  void Mutate(NaivePlan& plan) {
    for (int pair = 0; pair < 2; ++pair) {
      const std::size_t k = Draw(plan.size());
      const NaiveRun before = plan[k];
      const ScintJob& job = problem_.jobs()[k];
      bool fits = true;
      if (Draw(2) == 0) {
        const std::size_t first = ArrivalSlot(job);
        const auto due = static_cast<std::size_t>(
            (std::min(job.deadline_ms, problem_.min_end_ms()) -
             problem_.begin_ms()) /
            problem_.slot_ms());
        const std::size_t last =
            std::max(first, due > plan[k].slots ? due - plan[k].slots : first);
        plan[k].start = first + Draw(last - first + 1);
        fits = Repair(plan, k, 0);
      } else {
        const std::size_t c1 = Draw(problem_.sites().size());
        const std::size_t c2 = Draw(problem_.sites().size());
        const NodeCount moved = plan[k].counts[c2];
        if (c1 == c2 || moved == 0) continue;
        plan[k].counts[c2] = 0;
        plan[k].counts[c1] += moved;
        fits = Repair(plan, k, 0);
      }
      if (!fits) plan[k] = before;
    }
  }

  void Recombine(NaivePlan& plan, const NaivePlan& other) {
    for (std::size_t k = 0; k < plan.size(); ++k) {
      if (Draw(2) == 0) continue;
      const NaiveRun before = plan[k];
      plan[k] = other[k];
      if (!Repair(plan, k, 0)) plan[k] = before;
    }
  }

  const ScintProblem& problem_;
  const std::size_t slots_;
  std::vector<std::vector<double>> heat_;  // D
  std::minstd_rand random_;
};

// The plan in exact times.
inline ScintPlan ToScintPlan(const ScintProblem& problem,
                             const NaivePlan& naive) {
  ScintPlan plan;
  for (const NaiveRun& run : naive) {
    ScintRun exact;
    exact.start_ms =
        problem.begin_ms() + static_cast<TimeMs>(run.start) * problem.slot_ms();
    exact.end_ms =
        exact.start_ms + static_cast<TimeMs>(run.slots) * problem.slot_ms();
    for (std::uint32_t s = 0; s < run.counts.size(); ++s) {
      if (run.counts[s] > 0) exact.parts.push_back({s, run.counts[s]});
    }
    plan.push_back(std::move(exact));
  }
  return plan;
}

// Jobs over `days` days with run times of some slots, deadlines of up to six
// times the run time after the arrival; times in multiples of the slot, at
// speed 1 as at 2.
inline std::vector<ScintJob> ScintJobs(std::size_t jobs, double days,
                                       NodeCount max_nodes, TimeMs slot_ms,
                                       std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<std::size_t> arrivals(jobs);
  const auto last = static_cast<std::size_t>(days * 86'400'000 /
                                             static_cast<double>(slot_ms));
  for (std::size_t& arrival : arrivals) arrival = random() % last;
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<ScintJob> made;
  for (const std::size_t arrival : arrivals) {
    const TimeMs work_ms =
        2 * (1 + static_cast<TimeMs>(random() % 10)) * slot_ms;
    const TimeMs arrival_ms = static_cast<TimeMs>(arrival) * slot_ms;
    made.push_back(
        {.arrival_ms = arrival_ms,
         .deadline_ms =
             arrival_ms + work_ms * (1 + static_cast<TimeMs>(random() % 6)),
         .work_ms = work_ms,
         .nodes = static_cast<NodeCount>(1 + random() % max_nodes)});
  }
  return made;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_NAIVE_SCINT_H_
