// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/scint_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>

#include "policy/parallel.h"
#include "policy/uniform_draw.h"
#include "replay/schedulers/scint_moves.h"
#include "replay/split_mix.h"

namespace coolspan {
namespace {

constexpr std::size_t kPoolSize = 32;
constexpr std::size_t kChildren = 32;         // of a generation
constexpr std::uint64_t kDescent = 256;       // evaluations of a child
constexpr double kFirstTemperature = 2.5e-4;  // share of the cost
// Of deadlines that must be met, in the first half of the search. Plans that
// miss a few of these and few others are then not lost; in the second half they
// count more than all others together.
constexpr double kFirstWeight = 2;
constexpr std::uint32_t kSteps = 1U << 30;  // of a uniform draw

struct Scored {
  double cost_j;
  ScintPlan plan;
};

// Makes children, one at a time. Not thread-safe.
class Nursery {
 public:
  Nursery(const ScintProblem& problem, double must_meet_weight,
          std::uint64_t seed)
      : weight_(must_meet_weight),
        random_(seed),
        energy_(problem),
        moves_(problem, energy_, random_) {}

  // The best plan of a descent from plan, recombined with other if it is not
  // nullptr.
  Scored Child(const ScintPlan& plan, const ScintPlan* other,
               double temperature_j, std::uint64_t evaluations) {
    Scored now{0, plan};
    if (other != nullptr) moves_.Recombine(*other, now.plan);
    now.cost_j = energy_.Cost(now.plan, weight_);
    Scored best = now;
    for (std::uint64_t i = 1; i < evaluations; ++i) {
      ScintMoves::Change change = moves_.Draw(now.plan);
      ScintRun& run = now.plan[change.job];
      if (run == change.run) continue;
      std::swap(run, change.run);
      const double cost_j = energy_.Cost(now.plan, weight_);
      if (cost_j > now.cost_j + temperature_j * Exponential()) {
        std::swap(run, change.run);
        continue;
      }
      now.cost_j = cost_j;
      if (cost_j < best.cost_j) best = now;
    }
    return best;
  }

 private:
  // Acceptance of Metropolis: with probability exp(-rise / temperature).
  double Exponential() {
    return -std::log((UniformDraw(random_, kSteps) + 0.5) / kSteps);
  }

  const double weight_;
  std::mt19937_64 random_;
  ScintEnergy energy_;
  ScintMoves moves_;
};

class Evolution {
 public:
  Evolution(const ScintProblem& problem, std::vector<ScintPlan> plans,
            std::uint64_t seed, std::uint64_t max_evaluations)
      : problem_(problem),
        seed_(seed),
        max_evaluations_(max_evaluations),
        random_(seed) {
    for (ScintPlan& plan : plans) pool_.push_back({0, std::move(plan)});
    SetWeight(static_cast<double>(problem.jobs().size()) + 1);
    first_ = pool_.front();
    SetWeight(kFirstWeight);
  }

  ScintResult Run() {
    const std::uint64_t of_generation = kChildren * kDescent;
    bool is_second_half = false;
    while (evaluations_ + of_generation <= max_evaluations_) {
      if (!is_second_half && evaluations_ >= max_evaluations_ / 2) {
        Finish();
        is_second_half = true;
      }
      MakeGeneration();
      evaluations_ += of_generation;
      ++generations_;
    }
    if (!is_second_half) Finish();
    return {std::move(pool_.front().plan), pool_.front().cost_j, evaluations_,
            generations_};
  }

 private:
  // Ranks the pool by costs with another weight.
  void SetWeight(double must_meet_weight) {
    weight_ = must_meet_weight;
    ScintEnergy energy(problem_);
    for (Scored& one : pool_) one.cost_j = energy.Cost(one.plan, weight_);
    Keep();
  }
  void Finish() {
    pool_.push_back(first_);
    SetWeight(static_cast<double>(problem_.jobs().size()) + 1);
  }

  // Lowest cost first, without copies.
  void Keep() {
    std::stable_sort(
        pool_.begin(), pool_.end(),
        [](const Scored& a, const Scored& b) { return a.cost_j < b.cost_j; });
    pool_.erase(std::unique(pool_.begin(), pool_.end(),
                            [](const Scored& a, const Scored& b) {
                              return a.cost_j == b.cost_j;
                            }),
                pool_.end());
    if (pool_.size() > kPoolSize) pool_.resize(kPoolSize);
  }

  // Roulette wheel: a plan is selected with a probability proportional to
  //   highest cost of the pool - its cost + kMinShare * (highest - lowest).
  std::size_t Select() {
    constexpr double kMinShare = 0.05;
    const double highest_j = pool_.back().cost_j;
    const double least_j = kMinShare * (highest_j - pool_.front().cost_j) + 1;
    double sum_j = 0;
    for (const Scored& one : pool_) sum_j += highest_j - one.cost_j + least_j;
    double at_j = sum_j * UniformDraw(random_, kSteps) / kSteps;
    for (std::size_t i = 0; i + 1 < pool_.size(); ++i) {
      at_j -= highest_j - pool_[i].cost_j + least_j;
      if (at_j < 0) return i;
    }
    return pool_.size() - 1;
  }

  void MakeGeneration() {
    const double done = static_cast<double>(evaluations_) /
                        static_cast<double>(max_evaluations_);
    const double temperature_j =
        kFirstTemperature * (1 - done) * (1 - done) * pool_.front().cost_j;
    std::vector<std::pair<std::size_t, std::size_t>> parents;
    for (std::size_t i = 0; i < kChildren; ++i) {
      const std::size_t first = Select();
      parents.emplace_back(first, Select());
    }
    std::vector<Scored> children(kChildren);
    ForEachPiece(kChildren, 1, [&](std::size_t i, std::size_t) {
      Nursery nursery(problem_, weight_,
                      SplitMix(seed_, generations_ * kChildren + i + 1));
      const auto [first, second] = parents[i];
      const bool recombines = i % 2 == 1 && first != second;
      children[i] = nursery.Child(pool_[first].plan,
                                  recombines ? &pool_[second].plan : nullptr,
                                  temperature_j, kDescent);
    });
    std::move(children.begin(), children.end(), std::back_inserter(pool_));
    Keep();
  }

  const ScintProblem& problem_;
  const std::uint64_t seed_;
  const std::uint64_t max_evaluations_;
  std::mt19937_64 random_;
  std::vector<Scored> pool_;
  Scored first_;  // the best before the search
  double weight_ = 0;
  std::uint64_t evaluations_ = 0;
  std::uint64_t generations_ = 0;
};

}  // namespace

ScintResult EvolvePlans(const ScintProblem& problem,
                        std::vector<ScintPlan> pool, std::uint64_t seed,
                        std::uint64_t max_evaluations) {
  return Evolution(problem, std::move(pool), seed, max_evaluations).Run();
}

}  // namespace coolspan
