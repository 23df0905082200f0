// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as an ordering file: a permutation of the nodes, or an error
// of one line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/memory_file.h"
#include "ordering/ordering.h"
#include "unit/core/line_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  static const auto machine = LineMachine(5);
  const std::string path = PathOf(data, size);
  const auto ordering = MakeOrdering(*machine, "file:" + path);
  if (!ordering.ok()) {
    ExpectOneLine(ordering.status(), path);
    return 0;
  }
  std::vector<NodeId> nodes((*ordering)->nodes().begin(),
                            (*ordering)->nodes().end());
  std::sort(nodes.begin(), nodes.end());
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    Expect(nodes.at(node) == node);
  }
  return 0;
}
