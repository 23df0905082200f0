// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_RANK_CHANGE_H_
#define COOLSPAN_ORDERING_RANK_CHANGE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace coolspan {

// Signed ranks: on a ring, places below 0 and after the last one are used too.
using RankPlace = std::int64_t;

// A run of places, possibly reversed.
struct RankStretch {
  RankPlace begin;
  RankPlace end;
  bool backwards = false;

  RankPlace length() const { return end - begin; }
};

// Replaces the places [first, last) by the runs, which are a partition of them.
struct RankChange {
  std::array<RankStretch, 3> runs;
  std::size_t count;
  RankPlace first;
  RankPlace last;

  // The old place of the vertex that moves to p. REQUIRES first <= p < last.
  RankPlace From(RankPlace p) const {
    RankPlace into = p - first;
    std::size_t i = 0;
    while (into >= runs[i].length()) into -= runs[i++].length();
    return runs[i].backwards ? runs[i].end - 1 - into : runs[i].begin + into;
  }
};

inline RankChange Reversal(RankPlace begin, RankPlace end) {
  return {{RankStretch{begin, end, true}}, 1, begin, end};
}

// Exchanges the run with the adjacent run `over`.
inline RankChange Shift(RankStretch run, RankStretch over) {
  if (run.begin < over.begin) {
    return {{over, run}, 2, run.begin, over.end};
  }
  return {{run, over}, 2, over.begin, run.end};
}

inline RankChange Exchange(const RankStretch& a, const RankStretch& b) {
  if (a.end == b.begin) return Shift(a, b);
  return {{b, RankStretch{a.end, b.begin}, a}, 3, a.begin, b.end};
}

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_RANK_CHANGE_H_
