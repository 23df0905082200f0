// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_IN_ORDER_H_
#define COOLSPAN_MAPPING_IN_ORDER_H_

#include "mapping/mapper.h"

namespace coolspan {

// Consecutive ranks fill the slots of a node, then those of the next one, in
// ascending order of ids: row-major over the chosen nodes.
RankToNode MapInOrder(const MappingProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_IN_ORDER_H_
