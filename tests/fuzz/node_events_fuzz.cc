// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a file of node events: an error message, or events in the
// order of their times, of nodes of the machine.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "fuzz/memory_file.h"
#include "mesh_machine.h"
#include "replay/input/node_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  static const std::shared_ptr<const Machine> machine =
      MeshMachine(FlatGrid({8, 8}));
  const std::string path = PathOf(data, size);
  const auto events = ReadNodeEvents(path, *machine);
  if (!events.ok()) {
    Expect(events.status().message().find(path) == 0);
    Expect(events.status().message().size() < 1000);
    return 0;
  }
  for (std::size_t i = 0; i < events->size(); ++i) {
    const NodeEvent& event = (*events)[i];
    Expect(i == 0 || (*events)[i - 1].at_ms <= event.at_ms);
    Expect(!event.nodes.empty());
    for (std::size_t j = 0; j < event.nodes.size(); ++j) {
      Expect(event.nodes[j] < machine->node_count());
      Expect(j == 0 || event.nodes[j - 1] < event.nodes[j]);
    }
  }
  return 0;
}
