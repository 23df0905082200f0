// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_RANK_CHANGE_H_
#define COOLSPAN_ORDERING_RANK_CHANGE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace coolspan {

// Ranks as signed numbers: on a ring, places before 0 and beyond the last are
// looked at too.
using RankPlace = std::int64_t;

// A run of places, perhaps taken backwards.
struct RankStretch {
  RankPlace begin;
  RankPlace end;
  bool backwards = false;

  RankPlace length() const { return end - begin; }
};

// A change: the runs, which together make up the places from first to last, in
// their new order.
struct RankChange {
  std::array<RankStretch, 3> runs;
  std::size_t count;
  RankPlace first;
  RankPlace last;

  // What place p is taken from. REQUIRES first <= p < last.
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

// The run goes to where the other, which is beside it, begins or ends.
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
