// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre_search.h"

namespace coolspan {

CentreFound FinishCentre(const Topology& topology, VertexId centre,
                         const Collected& collected) {
  CentreFound found;
  found.centre = centre;
  found.last_shell = collected.last_shell;
  found.shell_sum = collected.shell_sum;
  found.pairwise_total = collected.total;
  found.chosen = collected.whole_shells;
  const TakenOfShell again =
      TakeGreedily(topology, collected.last_sites, collected.missing);
  const std::uint64_t total = collected.whole_total + again.added;
  const bool better = total < collected.total;
  if (better) found.pairwise_total = total;
  const std::vector<VertexNodes>& last = better ? again.sites : collected.taken;
  found.chosen.insert(found.chosen.end(), last.begin(), last.end());
  return found;
}

}  // namespace coolspan
