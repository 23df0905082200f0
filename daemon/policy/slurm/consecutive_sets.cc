// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/slurm/consecutive_sets.h"

#include <optional>
#include <vector>

namespace coolspan {
namespace {

// Available nodes with consecutive indexes. Only those that are not required
// are counted, and downwards the set ends at the first of them.
struct ConsecutiveSet {
  TableIndex first = 0;
  TableIndex last = 0;
  NodeCount nodes = 0;  // that are not required; 0: used up
  std::optional<TableIndex> first_required;
};

// Sets of required nodes alone are left out.
std::vector<ConsecutiveSet> SetsOf(const TableNodes& nodes) {
  std::vector<ConsecutiveSet> sets;
  ConsecutiveSet set;
  const auto close = [&](TableIndex end) {
    if (set.nodes > 0) {
      set.last = end - 1;
      sets.push_back(set);
    }
    set = {};
  };
  for (TableIndex index = 0; index < nodes.count(); ++index) {
    if (!nodes.IsAvailable(index)) {
      close(index);
      continue;
    }
    if (set.nodes == 0) set.first = index;
    if (!nodes.IsRequired(index)) {
      ++set.nodes;
    } else if (!set.first_required.has_value()) {
      set.first_required = index;
    }
  }
  close(nodes.count());
  return sets;
}

bool IsBetter(const ConsecutiveSet& set, const ConsecutiveSet& best,
              NodeCount missing) {
  if (set.first_required.has_value() && !best.first_required.has_value()) {
    return true;
  }
  if (set.nodes < missing) return set.nodes > best.nodes;
  return best.nodes < missing || set.nodes < best.nodes;
}

// The next set to take nodes from; nullptr: all are used up.
ConsecutiveSet* BestOf(std::vector<ConsecutiveSet>& sets, NodeCount missing) {
  ConsecutiveSet* best = nullptr;
  for (ConsecutiveSet& set : sets) {
    if (set.nodes == 0) continue;
    if (best == nullptr || IsBetter(set, *best, missing)) best = &set;
  }
  return best;
}

void ChooseFrom(const ConsecutiveSet& set, TableNodes& nodes) {
  const TableIndex start = set.first_required.value_or(set.first);
  for (TableIndex i = start; i <= set.last && nodes.missing() > 0; ++i) {
    nodes.Choose(i);
  }
  for (TableIndex i = start; i > set.first && nodes.missing() > 0; --i) {
    nodes.Choose(i - 1);
  }
}

}  // namespace

void ChooseConsecutive(TableNodes& nodes) {
  std::vector<ConsecutiveSet> sets = SetsOf(nodes);
  while (nodes.missing() > 0) {
    ConsecutiveSet* const best = BestOf(sets, nodes.missing());
    if (best == nullptr) return;
    ChooseFrom(*best, nodes);
    best->nodes = 0;
  }
}

}  // namespace coolspan
