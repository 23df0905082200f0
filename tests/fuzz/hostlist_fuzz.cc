// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary text as a hostlist and as a list of nodes of a machine: an error,
// or names that survive compressing and expanding.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/hostlist.h"
#include "fuzz/expect.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxNames = 4096;

void CheckNames(std::string_view text) {
  const auto names = ExpandHostlist(text, kMaxNames);
  if (!names.ok()) return;
  Expect(names->size() <= kMaxNames);
  const std::vector<std::string_view> views(names->begin(), names->end());
  const auto again = ExpandHostlist(CompressHostlist(views), kMaxNames);
  Expect(again.ok() && *again == *names);
}

void CheckNodes(const Machine& machine, std::string_view text) {
  const auto nodes = machine.ParseNodes(text);
  if (!nodes.ok()) return;
  const auto again = machine.ParseNodes(machine.FormatNodes(nodes->Members()));
  Expect(again.ok() && *again == *nodes);
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size) {
  static const auto machine = coolspan::LineMachine(130);
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  coolspan::CheckNames(text);
  coolspan::CheckNodes(*machine, text);
  return 0;
}
