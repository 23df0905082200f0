// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_FUZZ_MEMORY_FILE_H_
#define COOLSPAN_TESTS_FUZZ_MEMORY_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/expect.h"

namespace coolspan {

// A file in memory, replaced for each input.
inline std::string PathOf(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("input", 0);
  Expect(ftruncate(file, 0) == 0);
  Expect(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_FUZZ_MEMORY_FILE_H_
