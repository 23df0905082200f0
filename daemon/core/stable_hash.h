// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_STABLE_HASH_H_
#define COOLSPAN_CORE_STABLE_HASH_H_

#include <cstdint>
#include <string_view>

namespace coolspan {

// FNV-1a, 64 bits: the same on every host and in every version, so daemons and
// clients on different hosts can compare hashes.
class StableHash {
 public:
  void Add(std::string_view text) {
    for (const char c : text) AddByte(static_cast<unsigned char>(c));
    AddByte(0);
  }
  void Add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) AddByte((number >> 8 * i) & 0xff);
  }
  std::uint64_t value() const { return value_; }

 private:
  void AddByte(std::uint64_t byte) {
    value_ = (value_ ^ byte) * 0x100000001b3U;
  }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_STABLE_HASH_H_
