// SPDX-License-Identifier: GPL-3.0-or-later
// XInt directly from spatio-temporal-scint, algorithm 3, without code of the
// policy: the reference for its placements.
#ifndef COOLSPAN_TESTS_UNIT_POLICY_THERMAL_NAIVE_XINT_H_
#define COOLSPAN_TESTS_UNIT_POLICY_THERMAL_NAIVE_XINT_H_

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "core/room.h"

namespace coolspan {

class NaiveXint {
 public:
  // Nodes of a chassis by job.
  using Counts = std::vector<std::vector<NodeCount>>;

  // power_w: of the zones before; available: nodes that the jobs may use, by
  // zone; all nodes of a zone add the same power.
  NaiveXint(const Room& room, std::vector<double> power_w,
            std::vector<NodeCount> available, std::vector<NodeCount> jobs)
      : room_(room),
        power_w_(std::move(power_w)),
        available_(std::move(available)),
        jobs_(std::move(jobs)) {}

  // The lowest max_i t_i^in of a population over some generations; in the
  // paper 400 and 150.
  double LowestPeakC(std::size_t population, std::size_t generations,
                     std::uint32_t seed) {
    random_.seed(seed);
    const Counts bfs = Bfs();
    std::vector<std::pair<double, Counts>> current(population,
                                                   {PeakC(bfs), bfs});
    for (std::size_t x = 0; x < generations; ++x) {
      std::vector<double> wheel;
      for (const auto& [peak_c, counts] : current) {
        wheel.push_back(current.back().first - peak_c + 1e-3);
      }
      std::discrete_distribution<std::size_t> roulette(wheel.begin(),
                                                       wheel.end());
      std::vector<std::pair<double, Counts>> made;
      while (made.size() < population) {
        Counts one = current[roulette(random_)].second;
        if (made.size() % 2 == 0) {
          Mutate(one);
        } else {
          Recombine(one, current[roulette(random_)].second);
        }
        const double peak_c = PeakC(one);
        made.emplace_back(peak_c, std::move(one));
      }
      std::move(made.begin(), made.end(), std::back_inserter(current));
      std::stable_sort(
          current.begin(), current.end(),
          [](const auto& a, const auto& b) { return a.first < b.first; });
      current.resize(population);
    }
    return current.front().first;
  }

  double PeakC(const Counts& counts) const {
    const ZoneId zones = room_.zone_count();
    std::vector<double> watts = power_w_;
    for (ZoneId zone = 0; zone < zones; ++zone) {
      const NodeId node = room_.NodesOf(zone).front();
      watts[zone] += Used(counts, zone) *
                     room_.AddedWatts(node, room_.communication_share());
    }
    double peak_c = room_.supply_c();
    for (ZoneId i = 0; i < zones; ++i) {
      double inlet_c = room_.supply_c();
      for (ZoneId j = 0; j < zones; ++j) {
        inlet_c += room_.heat().At(i, j) * watts[j];
      }
      peak_c = std::max(peak_c, inlet_c);
    }
    return peak_c;
  }

 private:
  static NodeCount Used(const Counts& counts, ZoneId zone) {
    NodeCount used = 0;
    for (const auto& job : counts) used += job[zone];
    return used;
  }
  std::size_t Draw(std::size_t bound) { return random_() % bound; }

  Counts Bfs() const {
    std::vector<NodeCount> left = available_;
    Counts counts;
    for (NodeCount missing : jobs_) {
      std::vector<NodeCount> job(left.size(), 0);
      for (std::size_t i = 0; i < left.size(); ++i) {
        job[i] = std::min(missing, left[i]);
        missing -= job[i];
        left[i] -= job[i];
      }
      counts.push_back(std::move(job));
    }
    return counts;
  }

  void Mutate(Counts& counts) {
    std::vector<NodeCount>& job = counts[Draw(counts.size())];
    const std::size_t c1 = Draw(job.size());
    const std::size_t c2 = Draw(job.size());
    if (c1 == c2) return;
    const NodeCount moved = std::min(
        job[c2], available_[c1] - Used(counts, static_cast<ZoneId>(c1)));
    job[c2] -= moved;
    job[c1] += moved;
  }

  void Recombine(Counts& counts, const Counts& other) {
    const std::size_t k = Draw(counts.size());
    counts[k] = other[k];
    for (std::size_t i = 0; i < available_.size(); ++i) {
      NodeCount used = Used(counts, static_cast<ZoneId>(i));
      while (used > available_[i]) {
        const NodeCount excess = std::min(used - available_[i], counts[k][i]);
        std::size_t best = i;
        NodeCount most = 0;
        for (std::size_t j = 0; j < available_.size(); ++j) {
          const NodeCount in_use = Used(counts, static_cast<ZoneId>(j));
          if (in_use < available_[j] && available_[j] - in_use > most) {
            most = available_[j] - in_use;
            best = j;
          }
        }
        const NodeCount moved = std::min(excess, most);
        counts[k][i] -= moved;
        counts[k][best] += moved;
        used -= moved;
      }
    }
  }

  const Room& room_;
  const std::vector<double> power_w_;
  const std::vector<NodeCount> available_;
  const std::vector<NodeCount> jobs_;
  std::minstd_rand random_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_POLICY_THERMAL_NAIVE_XINT_H_
