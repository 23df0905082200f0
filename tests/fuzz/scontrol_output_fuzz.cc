// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the output of scontrol: an error of one line, or nodes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/scontrol_output.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto nodes = coolspan::ParseScontrolNodes(text);
  if (nodes.ok()) {
    coolspan::Expect(!nodes->empty());
    for (const coolspan::SlurmNode& node : *nodes) {
      coolspan::Expect(!node.name.empty());
    }
  } else {
    coolspan::ExpectOneLine(nodes.status(), "scontrol: ");
  }
  for (const auto& [key, value] : coolspan::ParseScontrolConfig(text)) {
    coolspan::Expect(key.find('\n') == std::string::npos);
    coolspan::Expect(value.find('\n') == std::string::npos);
  }
  return 0;
}
