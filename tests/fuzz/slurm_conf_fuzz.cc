// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as slurm.conf: an error of one line, or distinct nodes.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "formats/slurm_conf.h"
#include "fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string path = coolspan::PathOf(data, size);
  const auto conf = coolspan::ReadSlurmConf(path);
  if (!conf.ok()) {
    // An included file may be any file.
    coolspan::ExpectOneLine(conf.status(), "");
    return 0;
  }
  std::set<std::string> names;
  for (const coolspan::SlurmNode& node : conf->nodes) {
    coolspan::Expect(!node.name.empty() && node.cpus >= 1);
    coolspan::Expect(names.insert(node.name).second);
    if (names.size() > 1000) break;
  }
  for (const auto& [key, value] : conf->settings) {
    coolspan::Expect(!key.empty() && conf->Setting(key) == value.text);
  }
  return 0;
}
