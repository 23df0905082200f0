// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary text as a policy with parameters: a one-line error, or a policy
// that places a job.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/budget.h"
#include "fuzz/expect.h"
#include "policy/table.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

void CheckSpec(const std::shared_ptr<const Machine>& machine,
               std::string_view spec) {
  PolicyOptions options;
  options.ordering = MakeOrdering(*machine, "row-major").value();
  const auto policy = MakePolicy(spec, machine, options);
  if (!policy.ok()) {
    Expect(!policy.status().message().empty());
    Expect(policy.status().message().find('\n') == std::string::npos);
    return;
  }
  Expect(FindPolicy(spec) != nullptr);
  const auto read = ReadPolicySpec(spec, options);
  Expect(read.ok());
  for (const SpecOption& option : FindPolicy(spec)->options) {
    Expect(option.Check(read->Value(option.name)).ok());
  }
  const NodeSet available = NodeSet::All(machine->node_count());
  Request request;
  request.demand = Demand::Nodes(2);
  Budget budget(10'000);
  Trace trace;
  const auto placed = (*policy)->Place(MachineView(*machine, available, {}, 0),
                                       request, budget, trace);
  Expect(placed.has_value() && placed->nodes.size() == 2);
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size) {
  static const auto machine = coolspan::LineMachine(3);
  coolspan::CheckSpec(machine, {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
