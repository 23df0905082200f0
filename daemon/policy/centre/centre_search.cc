// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_search.h"

namespace coolspan {

CentreFound FoundAt(VertexId centre, const Collected& collected) {
  CentreFound found;
  found.centre = centre;
  found.last_shell = collected.last_shell;
  found.shell_sum = collected.shell_sum;
  found.pairwise_total = collected.total;
  found.chosen = collected.whole_shells;
  for (const ShellSite& site : collected.taken) {
    found.chosen.push_back({site.vertex, site.count});
  }
  return found;
}

CentreFound FinishCentre(const Topology& topology, VertexId centre,
                         const Collected& collected, Budget& budget) {
  CentreFound found = FoundAt(centre, collected);
  const auto greedy =
      TakeGreedily(topology, collected.last_sites, collected.missing, budget);
  if (greedy && collected.whole_total + greedy->added < collected.total) {
    found.pairwise_total = collected.whole_total + greedy->added;
    found.chosen = collected.whole_shells;
    found.chosen.insert(found.chosen.end(), greedy->sites.begin(),
                        greedy->sites.end());
  }
  return found;
}

}  // namespace coolspan
