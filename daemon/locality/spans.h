// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_SPANS_H_
#define COOLSPAN_LOCALITY_SPANS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coolspan {

// Spans of a set of places on a line and on a ring: of ranks, or of coordinates
// in one dimension. Reuses its memory for the next set. Not thread-safe.
class SpanMeter {
 public:
  // Places are below size.
  explicit SpanMeter(std::uint32_t size);

  void Insert(std::uint32_t place);
  struct Spans {
    std::uint32_t linear;  // last - first + 1
    std::uint32_t ring;    // size - largest gap
  };
  // Spans of the places inserted since the last call. REQUIRES at least one.
  Spans Take();

 private:
  std::uint32_t size_;
  std::vector<std::uint64_t> words_;
  std::size_t first_word_;
  std::size_t last_word_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_SPANS_H_
