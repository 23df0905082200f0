// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCINT_MOVES_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCINT_MOVES_H_

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "policy/uniform_draw.h"
#include "replay/schedulers/scint_problem.h"

namespace coolspan {

// Random changes of plans that keep the capacity of each site: MUTATE and
// RECOMBINE of spatio-temporal-scint, algorithm 1. Not thread-safe.
class ScintMoves {
 public:
  ScintMoves(const ScintProblem& problem, ScintEnergy& energy,
             std::mt19937_64& random);

  // Another run of a random job; nullopt-like: the same run if the drawn change
  // is not possible. Does not change the plan.
  struct Change {
    std::size_t job;
    ScintRun run;
  };
  Change Draw(const ScintPlan& plan);

  // Gives some jobs of the plan their runs of the other one. Nodes that a site
  // lacks are taken where most are free; a job for which there are too few
  // keeps its run.
  void Recombine(const ScintPlan& other, ScintPlan& plan);

  // Puts the run on free nodes of at least that speed, in a random order of
  // sites or by their heat. False: there are too few. free: by site.
  bool PlaceOn(std::span<const NodeCount> free, const ScintJob& job,
               double min_speed, ScintRun& run);

 private:
  std::uint32_t Below(std::size_t bound) {
    return UniformDraw(random_, static_cast<std::uint32_t>(bound));
  }
  std::size_t DrawJob(const ScintPlan& plan);
  TimeMs DrawStart(const ScintPlan& plan, std::size_t job);
  bool MoveNodes(const ScintPlan& plan, std::size_t job, ScintRun& run);
  bool PlaceAnew(const ScintPlan& plan, std::size_t job, ScintRun& run);
  bool Fits(const ScintPlan& plan, std::size_t job, const ScintRun& run);
  bool Repair(const ScintPlan& plan, std::size_t job, ScintRun& run);
  std::vector<std::uint32_t> SitesInOrder(std::span<const NodeCount> free,
                                          const ScintJob& job,
                                          double min_speed);

  const ScintProblem& problem_;
  ScintEnergy& energy_;
  std::mt19937_64& random_;
  std::vector<double> rank_;  // by site: the rise of all inlets by a busy node
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCINT_MOVES_H_
