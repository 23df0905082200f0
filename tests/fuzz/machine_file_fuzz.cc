// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a machine file: a one-line error that names the file, or a
// machine.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/machine/machine_file.h"
#include "fuzz/expect.h"

namespace coolspan {
namespace {

void Check(std::string_view text) {
  // In a directory that does not exist: relative paths cannot be opened.
  const std::string file = "/nonexistent/fuzz.yaml";
  const auto machine = ParseMachineFile(text, file);
  if (machine.ok()) {
    Expect((*machine)->node_count() == (*machine)->topology().node_count());
    Expect((*machine)->FindNode((*machine)->NodeName(0)) == NodeId{0});
    return;
  }
  ExpectOneLine(machine.status(), "/nonexistent/");
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  coolspan::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
