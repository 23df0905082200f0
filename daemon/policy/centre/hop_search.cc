// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "policy/centre/centre_search.h"
#include "policy/centre/hop_centre.h"
#include "policy/parallel.h"

namespace coolspan {
namespace {

constexpr std::size_t kCentresOfPiece = 8;
constexpr std::uint64_t kPieceWork = std::uint64_t{1} << 17;
constexpr std::size_t kCentresOfBatch = 256;
// Rows of one centre that a thread takes at a time.
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
  std::vector<std::uint32_t> LeastShellSum();
  // About, of all that is collected around one centre: each place is looked at
  // once, those wanted once for each of them.
  std::uint64_t WorkOfCentre() const;
  void LeastPairwise(std::span<const std::uint32_t> centres);
  void LeastPairwiseOneByOne(std::span<const std::uint32_t> centres);
  CentreFound Unmeasured();

  const Topology& topology_;
  const FreeSites& sites_;
  const CentreRule& rule_;
  Budget& budget_;
  const HopPlaces places_;
  const HopRows rows_;
  std::uint32_t best_;
  std::optional<Collected> collected_;  // around the best
  std::uint64_t scored_ = 0;
};

// The centres that have it; all of them are looked at before any is scored.
std::vector<std::uint32_t> HopSearch::LeastShellSum() {
  const std::vector<std::uint32_t>& centres = places_.centres;
  std::vector<std::uint64_t> sums(centres.size(), kNoHopLimit);
  for (std::size_t from = 0; from < centres.size(); from += kCentresOfBatch) {
    const std::size_t count = std::min(kCentresOfBatch, centres.size() - from);
    if (!budget_.Spend(count * places_.places.size())) break;
    ForEachPiece(count, kCentresOfPiece,
                 [&](std::size_t begin, std::size_t end) {
                   HopCentre centre(places_, rows_, sites_);
                   for (std::size_t i = from + begin; i < from + end; ++i) {
                     sums[i] = centre.ShellSum(centres[i]);
                   }
                 });
  }
  const std::uint64_t least = *std::min_element(sums.begin(), sums.end());
  std::vector<std::uint32_t> tied;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    if (sums[i] == least) tied.push_back(centres[i]);
  }
  return tied;
}

std::uint64_t HopSearch::WorkOfCentre() const {
  const std::uint64_t places = places_.places.size();
  const std::uint64_t near = std::min<std::uint64_t>(sites_.wanted, places);
  return places + near * near / kPairsOfUnit;
}

// A later centre must be better to win: they are ascending by vertex.
void HopSearch::LeastPairwise(std::span<const std::uint32_t> centres) {
  const std::uint64_t work = WorkOfCentre();
  // A few centres at a time, where one is as much as a batch may be.
  const std::size_t batch =
      std::clamp<std::size_t>(kHopBatchWork / 4 / work, 1, kCentresOfBatch);
  const auto piece =
      std::clamp<std::size_t>(kPieceWork / work, 1, kCentresOfPiece);
  std::uint64_t least = kNoHopLimit;
  std::vector<std::uint64_t> totals(centres.size(), kNoHopLimit);
  for (std::size_t from = 0; from < centres.size(); from += batch) {
    const std::size_t count = std::min(batch, centres.size() - from);
    if (!budget_.Spend(count * work)) break;
    ForEachPiece(count, piece, [&](std::size_t begin, std::size_t end) {
      HopCentre centre(places_, rows_, sites_);
      Budget spent;
      std::uint64_t limit = least;
      for (std::size_t i = from + begin; i < from + end; ++i) {
        centre.Total(centres[i], limit, spent, &totals[i]);
        limit = std::min(limit, totals[i]);
      }
    });
    scored_ += count;
    for (std::size_t i = from; i < from + count; ++i) {
      if (totals[i] >= least) continue;
      least = totals[i];
      best_ = centres[i];
    }
  }
  HopCentre centre(places_, rows_, sites_);
  Budget spent;
  centre.Total(best_, kNoHopLimit, spent, &least);
  collected_ = centre.collected();
}

// The same where the threads share the work of one centre, and the budget may
// end within it.
void HopSearch::LeastPairwiseOneByOne(std::span<const std::uint32_t> centres) {
  HopCentre centre(places_, rows_, sites_, kRowsOfPiece);
  std::uint64_t least = kNoHopLimit;
  for (const std::uint32_t candidate : centres) {
    std::uint64_t total = 0;
    if (!budget_.Spend(places_.places.size()) ||
        !centre.Total(candidate, least, budget_, &total)) {
      return;
    }
    ++scored_;
    if (total >= least) continue;
    least = total;
    best_ = candidate;
    collected_ = centre.collected();
  }
}

CentreFound HopSearch::Unmeasured() {
  HopCentre centre(places_, rows_, sites_);
  centre.CollectUnmeasured(best_);
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
  if (rule_.score == CentreRule::Score::kShellSum) centres = LeastShellSum();
  best_ = centres.front();
  if (WorkOfCentre() > kHopBatchWork) {
    LeastPairwiseOneByOne(centres);
  } else {
    LeastPairwise(centres);
  }
  const VertexId vertex = places_.vertices[best_];
  CentreFound found =
      collected_ ? FinishCentre(topology_, vertex, *collected_, budget_)
                 : Unmeasured();
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
        keep_no_rows_(0),
        rows_(topology, places_.vertices, places_.places.size(), keep_no_rows_),
        at_(places_, rows_, sites) {}

  CentreFound Collect(VertexId centre, Budget& budget) override {
    Budget spent;
    std::uint64_t total = 0;
    at_.Total(places_.IndexOf(centre), kNoHopLimit, spent, &total);
    return FinishCentre(topology_, centre, at_.collected(), budget);
  }

 private:
  const Topology& topology_;
  HopPlaces places_;
  Budget keep_no_rows_;
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
