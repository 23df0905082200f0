// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/scint_moves.h"

#include <algorithm>
#include <utility>

#include "replay/node_speed.h"

namespace coolspan {
ScintMoves::ScintMoves(const ScintProblem& problem, ScintEnergy& energy,
                       std::mt19937_64& random)
    : problem_(problem), energy_(energy), random_(random) {
  for (const ScintSite& site : problem.sites()) {
    double rise_k = 0;
    for (const double per_watt : problem.RisePerWatt(site.zone)) {
      rise_k += per_watt * site.added_w;
    }
    rank_.push_back(rise_k);
  }
}

bool ScintMoves::Fits(const ScintPlan& plan, std::size_t job,
                      const ScintRun& run) {
  const std::span<const NodeCount> free =
      energy_.FreeIn(plan, job, run.start_ms, run.end_ms);
  return std::all_of(
      run.parts.begin(), run.parts.end(),
      [&](const ScintPart& part) { return part.nodes <= free[part.site]; });
}

// A slot, the arrival, or a time at which another job starts or ends, between
// the arrival and the last start before the deadline.
TimeMs ScintMoves::DrawStart(const ScintPlan& plan, std::size_t job) {
  const ScintJob& one = problem_.jobs()[job];
  const TimeMs run_ms = plan[job].end_ms - plan[job].start_ms;
  const TimeMs end_ms = std::min(one.deadline_ms, problem_.min_end_ms());
  const TimeMs last_ms = std::max(one.arrival_ms, end_ms - run_ms);
  const ScintRun& other = plan[Below(plan.size())];
  const std::uint32_t kind = Below(8);
  TimeMs start_ms = one.arrival_ms;
  if (kind == 0) return start_ms;
  if (kind == 1) {
    start_ms = other.start_ms;
  } else if (kind == 2) {
    start_ms = other.end_ms;
  } else if (kind == 3) {
    start_ms = other.start_ms - run_ms;
  } else if (kind == 4) {
    start_ms = other.end_ms - run_ms;
  } else {
    const TimeMs slot_ms = problem_.slot_ms();
    const TimeMs first =
        (one.arrival_ms - problem_.begin_ms() + slot_ms - 1) / slot_ms;
    const TimeMs last = (last_ms - problem_.begin_ms()) / slot_ms;
    if (last < first) return last_ms;
    start_ms =
        problem_.begin_ms() +
        (first + Below(static_cast<std::size_t>(last - first + 1))) * slot_ms;
  }
  return std::clamp(start_ms, one.arrival_ms, last_ms);
}

// The sites with free nodes and at least that speed, in one of three orders:
// the least heat to inlets first, the most used first, or random.
std::vector<std::uint32_t> ScintMoves::SitesInOrder(
    std::span<const NodeCount> free, const ScintJob& job, double min_speed) {
  const std::uint32_t kind = Below(3);
  std::vector<std::pair<double, std::uint32_t>> keyed;
  for (std::uint32_t s = 0; s < free.size(); ++s) {
    const ScintSite& site = problem_.sites()[s];
    if (free[s] == 0 || site.speed < min_speed || !problem_.Allows(job, site)) {
      continue;
    }
    constexpr std::size_t kSteps = 1U << 16;
    const double noise = static_cast<double>(Below(kSteps)) / kSteps;
    double key = noise;
    if (kind == 0) key = rank_[s] * (1 + noise);
    if (kind == 1) key = noise - (site.nodes > free[s] ? 1 : 0);
    keyed.emplace_back(key, s);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::uint32_t> order;
  order.reserve(keyed.size());
  for (const auto& [key, s] : keyed) order.push_back(s);
  return order;
}

bool ScintMoves::PlaceOn(std::span<const NodeCount> free, const ScintJob& job,
                         double min_speed, ScintRun& run) {
  run.parts.clear();
  NodeCount left = job.nodes;
  for (const std::uint32_t s : SitesInOrder(free, job, min_speed)) {
    if (left == 0) break;
    const NodeCount taken = std::min(left, free[s]);
    run.parts.push_back({s, taken});
    left -= taken;
  }
  return left == 0;
}

// On nodes at least as fast as those of a random site, at run.start_ms.
bool ScintMoves::PlaceAnew(const ScintPlan& plan, std::size_t job,
                           ScintRun& run) {
  const ScintJob& one = problem_.jobs()[job];
  const double speed = problem_.sites()[Below(problem_.sites().size())].speed;
  run.end_ms = run.start_ms + AtSpeed(one.work_ms, speed);
  if (!PlaceOn(energy_.FreeIn(plan, job, run.start_ms, run.end_ms), one, speed,
               run)) {
    return false;
  }
  run.end_ms = problem_.EndOf(one, run);  // not later: all are as fast
  return true;
}

// MUTATE: from one site to another, as many as are free there.
bool ScintMoves::MoveNodes(const ScintPlan& plan, std::size_t job,
                           ScintRun& run) {
  const std::size_t from = Below(run.parts.size());
  const std::uint32_t to = Below(problem_.sites().size());
  const std::uint32_t site = run.parts[from].site;
  if (to == site ||
      !problem_.Allows(problem_.jobs()[job], problem_.sites()[to])) {
    return false;
  }
  const NodeCount used = run.parts[from].nodes;
  const NodeCount free =
      energy_.FreeIn(plan, job, run.start_ms, run.end_ms)[to];
  const NodeCount held = run.NodesAt(to);
  NodeCount moved = std::min(used, free - std::min(free, held));
  if (moved == 0) return false;
  if (Below(2) == 0) moved = 1 + Below(moved);
  run.TakeNodes(from, moved);
  run.AddNodes(to, moved);
  run.end_ms = problem_.EndOf(problem_.jobs()[job], run);
  return run.end_ms <= plan[job].end_ms || Fits(plan, job, run);
}

// Jobs that miss their deadline are more likely than others.
std::size_t ScintMoves::DrawJob(const ScintPlan& plan) {
  constexpr int kDraws = 3;
  std::size_t job = 0;
  for (int i = 0; i < kDraws; ++i) {
    job = Below(plan.size());
    if (plan[job].end_ms > problem_.jobs()[job].deadline_ms) break;
  }
  return job;
}

ScintMoves::Change ScintMoves::Draw(const ScintPlan& plan) {
  Change change{DrawJob(plan), {}};
  change.run = plan[change.job];
  ScintRun& run = change.run;
  const std::uint32_t kind = Below(4);
  bool fits = true;
  if (kind == 0) {
    fits = MoveNodes(plan, change.job, run);
  } else if (kind == 1) {
    fits = PlaceAnew(plan, change.job, run);
  } else {
    run.start_ms = DrawStart(plan, change.job);
    run.end_ms = problem_.EndOf(problem_.jobs()[change.job], run);
    fits = kind == 2 && Fits(plan, change.job, run);
    if (!fits) fits = PlaceAnew(plan, change.job, run);
  }
  if (!fits) run = plan[change.job];
  return change;
}

bool ScintMoves::Repair(const ScintPlan& plan, std::size_t job, ScintRun& run) {
  const std::span<const NodeCount> free =
      energy_.FreeIn(plan, job, run.start_ms, run.end_ms);
  NodeCount excess = 0;
  std::vector<NodeCount> left(free.begin(), free.end());
  for (std::size_t i = run.parts.size(); i-- > 0;) {
    const ScintPart part = run.parts[i];
    const NodeCount kept = std::min(part.nodes, left[part.site]);
    excess += part.nodes - kept;
    left[part.site] -= kept;
    run.TakeNodes(i, part.nodes - kept);
  }
  while (excess > 0) {
    std::uint32_t best = 0;
    NodeCount most = 0;
    for (std::uint32_t s = 0; s < left.size(); ++s) {
      if (left[s] > most &&
          problem_.Allows(problem_.jobs()[job], problem_.sites()[s])) {
        most = left[s];
        best = s;
      }
    }
    if (most == 0) return false;
    const NodeCount taken = std::min(most, excess);
    run.AddNodes(best, taken);
    left[best] -= taken;
    excess -= taken;
  }
  const TimeMs before_ms = run.end_ms;
  run.end_ms = problem_.EndOf(problem_.jobs()[job], run);
  return run.end_ms <= before_ms || Fits(plan, job, run);
}

void ScintMoves::Recombine(const ScintPlan& other, ScintPlan& plan) {
  for (std::size_t job = 0; job < plan.size(); ++job) {
    if (other[job] == plan[job] || Below(3) != 0) continue;
    ScintRun run = other[job];
    if (Repair(plan, job, run)) plan[job] = std::move(run);
  }
}

}  // namespace coolspan
