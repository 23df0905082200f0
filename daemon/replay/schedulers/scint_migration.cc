// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/scint_migration.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "policy/uniform_draw.h"
#include "replay/node_speed.h"
#include "replay/schedulers/scint_moves.h"

namespace coolspan {
namespace {

ScintPlan PiecesOf(const MigratingPlan& plan) {
  ScintPlan pieces;
  for (const MigratingRun& run : plan) {
    pieces.insert(pieces.end(), run.begin(), run.end());
  }
  return pieces;
}

double MigrationJoules(const MigratingPlan& plan,
                       const Cluster::MigrationCost& cost) {
  double nodes = 0;
  for (const MigratingRun& run : plan) nodes += MigratedNodes(run);
  return nodes * cost.j_per_node;
}

// A descent by random changes of one job at a time. They concern the end of a
// run, so that all that comes before stays.
class MigrationSearch {
 public:
  MigrationSearch(const ScintProblem& problem, const ScintPlan& plan,
                  const MigrationOptions& options, std::uint64_t seed)
      : problem_(problem),
        options_(options),
        energy_(problem),
        random_(seed),
        moves_(problem, energy_, random_),
        pieces_(plan) {
    for (const ScintRun& run : plan) plan_.push_back({run});
    cost_j_ = CostOf();
  }

  // Keeps a random change that lowers the cost. False: the change that is drawn
  // is not possible.
  bool TryChange() {
    const std::size_t job = Below(plan_.size());
    MigratingRun changed = plan_[job];
    if (!Change(job, changed)) return false;
    std::swap(plan_[job], changed);
    pieces_ = PiecesOf(plan_);
    const double cost_j = CostOf();
    if (cost_j < cost_j_) {
      cost_j_ = cost_j;
      return true;
    }
    std::swap(plan_[job], changed);
    pieces_ = PiecesOf(plan_);
    return true;
  }

  MigratingPlan Take() && { return std::move(plan_); }

 private:
  std::uint32_t Below(std::size_t bound) {
    return UniformDraw(random_, static_cast<std::uint32_t>(bound));
  }
  double CostOf() {
    double missed = 0;
    for (std::size_t k = 0; k < plan_.size(); ++k) {
      missed += plan_[k].back().end_ms > problem_.jobs()[k].deadline_ms ? 1 : 0;
    }
    return energy_.Joules(pieces_) + MigrationJoules(plan_, options_.cost) +
           missed * problem_.penalty_j();
  }

  // Another migration, other nodes for the last one, or one less. False: the
  // change drawn is not possible.
  bool Change(std::size_t job, MigratingRun& run) {
    const std::uint32_t kind = run.size() == 1 ? 0 : Below(4);
    TimeMs from_ms = run.back().start_ms;
    if (kind < 2) {
      if (run.size() > options_.most) return false;
      from_ms = DrawTime();
      if (from_ms <= run.back().start_ms || from_ms >= run.back().end_ms) {
        return false;
      }
      ScintRun piece = run.back();
      piece.start_ms = from_ms;
      run.push_back(std::move(piece));
    }
    if (kind == 3) {
      run.pop_back();
    } else if (Below(2) == 0 ? !MoveNodes(job, run.back())
                             : !PlaceAnew(job, run.back())) {
      return false;
    }
    SetEnds(problem_.jobs()[job], run);
    return Fits(job, run.back(), from_ms);
  }

  // A time at which another piece starts or ends, or a slot.
  TimeMs DrawTime() {
    const ScintRun& other = pieces_[Below(pieces_.size())];
    const std::uint32_t kind = Below(4);
    if (kind == 0) return other.start_ms;
    if (kind < 3) return other.end_ms;
    const TimeMs length_ms =
        std::max(problem_.min_end_ms(), other.end_ms) - problem_.begin_ms();
    const auto slots =
        static_cast<std::size_t>(length_ms / problem_.slot_ms()) + 1;
    return problem_.begin_ms() + Below(slots) * problem_.slot_ms();
  }

  std::size_t LastPieceOf(std::size_t job) const {
    std::size_t pieces = 0;
    for (std::size_t k = 0; k <= job; ++k) pieces += plan_[k].size();
    return pieces - 1;
  }
  // Without those of the last piece of the job.
  std::span<const NodeCount> FreeIn(std::size_t job, TimeMs start_ms,
                                    TimeMs end_ms) {
    return energy_.FreeIn(pieces_, LastPieceOf(job), start_ms, end_ms);
  }

  // From one site to another, mostly as many as are free there.
  bool MoveNodes(std::size_t job, ScintRun& piece) {
    const std::size_t from = Below(piece.parts.size());
    const std::uint32_t to = Below(problem_.sites().size());
    if (to == piece.parts[from].site ||
        !problem_.Allows(problem_.jobs()[job], problem_.sites()[to])) {
      return false;
    }
    const NodeCount free = FreeIn(job, piece.start_ms, piece.end_ms)[to];
    const NodeCount held = piece.NodesAt(to);
    NodeCount moved =
        std::min(piece.parts[from].nodes, free - std::min(free, held));
    if (moved == 0) return false;
    if (Below(4) == 0) moved = 1 + Below(moved);
    piece.TakeNodes(from, moved);
    piece.AddNodes(to, moved);
    return true;
  }

  // All nodes, at least as fast as those of a random site.
  bool PlaceAnew(std::size_t job, ScintRun& piece) {
    const auto site = problem_.sites()[Below(problem_.sites().size())];
    const std::span<const NodeCount> free =
        FreeIn(job, piece.start_ms, piece.end_ms);
    return moves_.PlaceOn(free, problem_.jobs()[job], site.speed, piece);
  }

  // As Cluster::Migrate does.
  void SetEnds(const ScintJob& job, MigratingRun& run) const {
    TimeMs end_ms = problem_.EndOf(job, run.front());
    TimeMs paused_ms = run.front().start_ms;
    for (std::size_t i = 1; i < run.size(); ++i) {
      run[i - 1].end_ms = run[i].start_ms;
      end_ms = EndAfterMove(
          end_ms, paused_ms, run[i].start_ms, options_.cost.pause_ms,
          problem_.SpeedOf(run[i - 1]), problem_.SpeedOf(run[i]));
      paused_ms = run[i].start_ms + options_.cost.pause_ms;
    }
    run.back().end_ms = end_ms;
  }

  // Whether the job ends in time, and its sites have the nodes from then on.
  bool Fits(std::size_t job, const ScintRun& piece, TimeMs from_ms) {
    const TimeMs deadline_ms = problem_.jobs()[job].deadline_ms;
    if (piece.end_ms > deadline_ms && plan_[job].back().end_ms <= deadline_ms) {
      return false;
    }
    const std::span<const NodeCount> free = FreeIn(job, from_ms, piece.end_ms);
    return std::all_of(
        piece.parts.begin(), piece.parts.end(),
        [&](const ScintPart& part) { return part.nodes <= free[part.site]; });
  }

  const ScintProblem& problem_;
  const MigrationOptions& options_;
  ScintEnergy energy_;
  std::mt19937_64 random_;
  ScintMoves moves_;
  MigratingPlan plan_;
  ScintPlan pieces_;  // of plan_
  double cost_j_ = 0;
};

}  // namespace

NodeCount MigratedNodes(const MigratingRun& run) {
  NodeCount nodes = 0;
  for (std::size_t i = 1; i < run.size(); ++i) {
    for (const ScintPart& part : run[i].parts) {
      const NodeCount before = run[i - 1].NodesAt(part.site);
      nodes += part.nodes - std::min(part.nodes, before);
    }
  }
  return nodes;
}

double JoulesWithMigrations(const ScintProblem& problem,
                            const MigratingPlan& plan,
                            const Cluster::MigrationCost& cost) {
  return ScintEnergy(problem).Joules(PiecesOf(plan)) +
         MigrationJoules(plan, cost);
}

MigratingPlan MigrateJobs(const ScintProblem& problem, const ScintPlan& plan,
                          const MigrationOptions& options, std::uint64_t seed,
                          std::uint64_t max_evaluations) {
  MigrationSearch search(problem, plan, options, seed);
  std::uint64_t evaluations = options.most == 0 ? max_evaluations : 0;
  constexpr std::uint64_t kDraws = 32;  // of changes, for each evaluation
  for (std::uint64_t i = 0;
       i / kDraws < max_evaluations && evaluations < max_evaluations; ++i) {
    evaluations += search.TryChange() ? 1 : 0;
  }
  return std::move(search).Take();
}

}  // namespace coolspan
