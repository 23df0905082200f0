// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/grid_scores.h"

#include <memory>

namespace coolspan {
namespace {

class GridCollector final : public CentreCollector {
 public:
  GridCollector(const Topology& topology, const GridPlaces& places,
                CentreRule::Ties ties)
      : topology_(topology), places_(places), ties_(ties), at_(places) {}

  CentreFound Collect(VertexId centre, Budget& budget) override {
    return CollectAt(at_, topology_, places_, ties_, centre, budget);
  }

 private:
  const Topology& topology_;
  const GridPlaces& places_;
  const CentreRule::Ties ties_;
  GridCentre at_;
};

}  // namespace

std::uint64_t ScoreByWalking(GridCentre& at, VertexId centre,
                             std::uint64_t limit) {
  at.Walk(centre);
  return at.Total(limit);
}

std::uint64_t ScoreOfOne(GridCentre& at, VertexId centre,
                         std::uint64_t /*limit*/) {
  return at.PerimeterOfOne(centre);
}

std::uint64_t ScoreByPerimeter(GridCentre& at, VertexId centre,
                               std::uint64_t /*limit*/) {
  at.Walk(centre);
  return at.FillByPerimeter();
}

CentreFound CollectAt(GridCentre& at, const Topology& topology,
                      const GridPlaces& places, CentreRule::Ties ties,
                      VertexId centre, Budget& budget) {
  CentreFound found;
  if (ties == CentreRule::Ties::kPerimeter) {
    ScoreByPerimeter(at, centre, ScoredCentre::kNever);
    found = FoundAt(centre, at.collected());
  } else {
    ScoreByWalking(at, centre, ScoredCentre::kNever);
    found = FinishCentre(topology, centre, at.collected(), budget);
  }
  for (const VertexNodes& site : places.sites->required) {
    found.shell_sum +=
        std::uint64_t{site.count} * places.ShellOf(centre, site.vertex);
  }
  return found;
}

std::unique_ptr<CentreCollector> MakeGridCollector(const Topology& topology,
                                                   const GridPlaces& places,
                                                   CentreRule::Ties ties) {
  return std::make_unique<GridCollector>(topology, places, ties);
}

}  // namespace coolspan
