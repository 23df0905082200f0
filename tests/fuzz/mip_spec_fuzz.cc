// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary text as the options of the ordering mip, on a machine of a few
// nodes: an error message, or an ordering with its proven bound.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/expect.h"
#include "ordering/ordering.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

void CheckOptions(const Machine& machine, std::string_view options) {
  const auto ordering = MakeOrdering(machine, "mip:" + std::string(options));
  if (!ordering.ok()) {
    Expect(!ordering.status().message().empty());
    Expect(ordering.status().message().find('\n') == std::string::npos);
    return;
  }
  Expect((*ordering)->size() == machine.node_count());
  Expect((*ordering)->proof().has_value());
  Expect((*ordering)->proof()->gap >= 0);
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size) {
  static const auto machine = coolspan::LineMachine(3);
  coolspan::CheckOptions(*machine,
                         {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
