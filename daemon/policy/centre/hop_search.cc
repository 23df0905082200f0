// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "policy/centre/centre_search.h"
#include "policy/centre/hop_centre.h"
#include "policy/paid_work.h"
#include "policy/parallel.h"

namespace coolspan {
namespace {

constexpr std::size_t kCentresOfPiece = 8;
constexpr std::uint64_t kWorkOfPiece = std::uint64_t{1} << 17;
constexpr std::size_t kCentresOfBatch = 256;
// Distance rows of one centre per thread at a time.
constexpr std::size_t kRowsOfPiece = 256;
constexpr std::uint64_t kNoHopLimit = ScoredCentre::kNever;

class HopSearch {
 public:
  HopSearch(const Topology& topology, const FreeSites& sites,
            const CentreRule& rule, Budget& budget)
      : topology_(topology),
        sites_(sites),
        rule_(rule),
        budget_(budget),
        places_(topology, sites, rule.centres),
        rows_(topology, places_.vertices, places_.places.size(), budget),
        best_(places_.centres.front()) {}

  CentreFound Run();

 private:
  std::vector<std::uint32_t> CentresOfMinShellSum();
  // Approximate work units of one centre: each place once, and each pair of
  // places taken.
  std::uint64_t WorkOfCentre() const;
  void MinimizePairwise(std::span<const std::uint32_t> centres);
  void MinimizePairwiseOneByOne(std::span<const std::uint32_t> centres);
  CentreFound FoundWithoutSums();

  const Topology& topology_;
  const FreeSites& sites_;
  const CentreRule& rule_;
  Budget& budget_;
  const HopPlaces places_;
  const HopRows rows_;
  std::uint32_t best_;
  std::optional<Collected> collected_;  // around best_
  std::uint64_t scored_ = 0;
};

// All centres of minimum shell sum.
std::vector<std::uint32_t> HopSearch::CentresOfMinShellSum() {
  const std::vector<std::uint32_t>& centres = places_.centres;
  std::vector<std::uint64_t> sums(centres.size(), kNoHopLimit);
  for (std::size_t from = 0; from < centres.size(); from += kCentresOfBatch) {
    const std::size_t count = std::min(kCentresOfBatch, centres.size() - from);
    if (!budget_.Spend(count * places_.places.size())) break;
    ForEachPiece(
        count, kCentresOfPiece, [&](std::size_t begin, std::size_t end) {
          PaidWork paid(budget_);
          HopCentre centre(places_, rows_, sites_);
          for (std::size_t i = from + begin;
               i < from + end && paid.Continue(places_.places.size()); ++i) {
            sums[i] = centre.ShellSum(centres[i]);
          }
        });
  }
  const std::uint64_t min_sum = *std::min_element(sums.begin(), sums.end());
  std::vector<std::uint32_t> tied;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    if (sums[i] == min_sum) tied.push_back(centres[i]);
  }
  return tied;
}

std::uint64_t HopSearch::WorkOfCentre() const {
  const std::uint64_t places = places_.places.size();
  const std::uint64_t near = std::min<std::uint64_t>(sites_.wanted, places);
  return places + near * near / kPairsOfUnit;
}

// Centres ascend by vertex, so a later one must be strictly better.
void HopSearch::MinimizePairwise(std::span<const std::uint32_t> centres) {
  const std::uint64_t work = WorkOfCentre();
  // At least one centre per batch, even if it exceeds the work of a batch.
  const std::size_t batch =
      std::clamp<std::size_t>(kHopBatchWork / 4 / work, 1, kCentresOfBatch);
  const auto piece =
      std::clamp<std::size_t>(kWorkOfPiece / work, 1, kCentresOfPiece);
  struct PieceResult {
    std::uint64_t min_total;
    std::uint32_t best = 0;
    std::optional<Collected> collected = std::nullopt;  // around best
    std::size_t scored = 0;
  };
  std::uint64_t min_total = kNoHopLimit;
  for (std::size_t from = 0; from < centres.size(); from += batch) {
    const std::size_t count = std::min(batch, centres.size() - from);
    if (!budget_.Spend(count * work)) break;
    std::vector<PieceResult> results((count + piece - 1) / piece, {min_total});
    ForEachPiece(count, piece, [&](std::size_t begin, std::size_t end) {
      HopCentre centre(places_, rows_, sites_);
      Budget time = budget_.TimeOnly();  // the batch is already paid for
      PieceResult& result = results[begin / piece];
      for (std::size_t i = from + begin; i < from + end; ++i) {
        std::uint64_t total = 0;
        if (!time.Spend(0) ||
            !centre.Total(centres[i], result.min_total, time, &total)) {
          return;
        }
        ++result.scored;
        if (total >= result.min_total) continue;
        result.min_total = total;
        result.best = centres[i];
        result.collected = centre.collected();
      }
    });
    for (PieceResult& result : results) {
      scored_ += result.scored;
      if (result.min_total >= min_total) continue;
      min_total = result.min_total;
      best_ = result.best;
      collected_ = std::move(result.collected);
    }
  }
  if (collected_) return;
  HopCentre centre(places_, rows_, sites_);
  Budget time = budget_.TimeOnly();
  if (centre.Total(best_, kNoHopLimit, time, &min_total))
    collected_ = centre.collected();
}

// The same for large jobs: the threads share the work of one centre, and the
// budget may end within a centre.
void HopSearch::MinimizePairwiseOneByOne(
    std::span<const std::uint32_t> centres) {
  HopCentre centre(places_, rows_, sites_, kRowsOfPiece);
  std::uint64_t min_total = kNoHopLimit;
  for (const std::uint32_t candidate : centres) {
    std::uint64_t total = 0;
    if (!budget_.Spend(places_.places.size()) ||
        !centre.Total(candidate, min_total, budget_, &total)) {
      return;
    }
    ++scored_;
    if (total >= min_total) continue;
    min_total = total;
    best_ = candidate;
    collected_ = centre.collected();
  }
}

CentreFound HopSearch::FoundWithoutSums() {
  HopCentre centre(places_, rows_, sites_);
  centre.CollectWithoutSums(best_);
  const Collected& collected = centre.collected();
  CentreFound found;
  found.last_shell = collected.last_shell;
  found.shell_sum = collected.shell_sum;
  found.chosen = collected.whole_shells;
  for (const ShellSite& site : collected.taken) {
    found.chosen.push_back({site.vertex, site.count});
  }
  return found;
}

CentreFound HopSearch::Run() {
  std::vector<std::uint32_t> centres = places_.centres;
  if (rule_.score == CentreRule::Score::kShellSum) {
    centres = CentresOfMinShellSum();
  }
  best_ = centres.front();
  if (WorkOfCentre() > kHopBatchWork) {
    MinimizePairwiseOneByOne(centres);
  } else {
    MinimizePairwise(centres);
  }
  const VertexId vertex = places_.vertices[best_];
  CentreFound found =
      collected_ ? FinishCentre(topology_, vertex, *collected_, budget_)
                 : FoundWithoutSums();
  found.centre = vertex;
  found.centres = places_.centres.size();
  found.scored = scored_;
  return found;
}

class HopCollector final : public CentreCollector {
 public:
  HopCollector(const Topology& topology, const FreeSites& sites)
      : topology_(topology),
        places_(topology, sites, CentreRule::Centres::kFree),
        no_budget_(0),
        rows_(topology, places_.vertices, places_.places.size(), no_budget_),
        at_(places_, rows_, sites) {}

  CentreFound Collect(VertexId centre, Budget& budget) override {
    Budget unlimited;
    std::uint64_t total = 0;
    at_.Total(places_.IndexOf(centre), kNoHopLimit, unlimited, &total);
    return FinishCentre(topology_, centre, at_.collected(), budget);
  }

 private:
  const Topology& topology_;
  HopPlaces places_;
  Budget no_budget_;  // so that rows_ stores nothing: few centres are collected
  HopRows rows_;
  HopCentre at_;
};

}  // namespace

std::unique_ptr<CentreCollector> MakeHopCollector(const Topology& topology,
                                                  const FreeSites& sites) {
  return std::make_unique<HopCollector>(topology, sites);
}

CentreFound SearchHops(const Topology& topology, const FreeSites& sites,
                       const CentreRule& rule, Budget& budget) {
  return HopSearch(topology, sites, rule, budget).Run();
}

}  // namespace coolspan
