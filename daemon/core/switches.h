// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SWITCHES_H_
#define COOLSPAN_CORE_SWITCHES_H_

#include <vector>

#include "core/types.h"

namespace coolspan {

// The switches of a tree. Vertices are switches.
struct Switches {
  // By switch. The last switch is the top and its own parent; every other one
  // comes before its parent.
  std::vector<VertexId> parent;
  // The switches in the order of the file that describes them, in which Slurm
  // compares them. Without the top if that is only implied.
  std::vector<VertexId> listed;

  bool HasImpliedTop() const { return listed.size() < parent.size(); }
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SWITCHES_H_
