// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as topology.yaml, for trees and for blocks.
#include <unistd.h>

#include <cstdlib>

#include "fuzz/network_file.h"

namespace {

std::string* link_path;

// A name of the file in memory: only one that ends with .yaml is read as such.
const std::string& YamlNameOf(const std::string& path) {
  if (link_path == nullptr) {
    const char* const folder = std::getenv("TMPDIR");
    link_path =
        new std::string(std::string(folder != nullptr ? folder : "/tmp") +
                        "/topology-fuzz-" + std::to_string(getpid()) + ".yaml");
    unlink(link_path->c_str());
    coolspan::Expect(symlink(path.c_str(), link_path->c_str()) == 0);
    std::atexit([] { unlink(link_path->c_str()); });
  }
  return *link_path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string path = YamlNameOf(coolspan::PathOf(data, size));
  coolspan::CheckMachine("topology: {kind: fat-tree, slurm_topology: FILE}\n",
                         path);
  coolspan::CheckMachine("topology: {kind: blocks, slurm_topology: FILE}\n",
                         path);
  return 0;
}
