// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_CONSECUTIVE_SETS_H_
#define COOLSPAN_POLICY_SLURM_CONSECUTIVE_SETS_H_

#include "policy/slurm/table_nodes.h"

namespace coolspan {

// The choice of select/cons_tres without a topology, for whole nodes of equal
// weight: of the sets of available nodes with consecutive indexes, the smallest
// that is large enough, else the largest, and so on with what is missing; equal
// sets in the order of the node table, and in a set the first nodes. With
// required nodes, the sets that have one come first, and nodes are taken from
// the first required one upwards, then downwards.
// Source: behaviour of _eval_nodes in Slurm 22.05 and _eval_nodes_consec in
// 24.11. Chooses all missing nodes.
void ChooseConsecutive(TableNodes& nodes);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_CONSECUTIVE_SETS_H_
