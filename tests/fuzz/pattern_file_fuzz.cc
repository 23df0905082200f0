// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a communication pattern: a one-line error with its
// position, or a pattern that can be written, read again and mapped.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>
#include <vector>

#include "formats/pattern_file.h"
#include "fuzz/memory_file.h"
#include "mapping/table.h"
#include "topology/mesh.h"

namespace coolspan {
namespace {

void CheckPattern(const CommPattern& pattern) {
  Expect(pattern.ranks() >= 1 && pattern.ranks() <= CommPattern::kMaxRanks);
  double total = 0;
  for (TaskRank from = 0; from < pattern.ranks(); ++from) {
    const auto receivers = pattern.ReceiversOf(from);
    Expect(std::is_sorted(receivers.begin(), receivers.end()));
    for (const TaskRank to : receivers) {
      Expect(to < pattern.ranks() && to != from);
    }
    for (const double bytes : pattern.BytesFrom(from)) {
      Expect(bytes > 0 && bytes <= CommPattern::kMaxBytes);
      total += bytes;
    }
  }
  Expect(total == pattern.total_bytes());
}

void CheckMapping(const std::shared_ptr<const CommPattern>& pattern) {
  Grid grid;
  grid.dims = {3, 2};
  grid.wrap = {false, false};
  const auto mesh = MakeMesh(grid).value();
  std::vector<NodeId> nodes(6);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  const auto problem = MakeMappingProblem(pattern, nodes, 4);
  if (!problem.ok()) return;
  constexpr std::uint64_t kWork = 5000;
  Budget budget(kWork);
  const RankToNode mapped =
      MakeMapper("rcb").value()->Map(*mesh, *problem, budget);
  Expect(mapped.size() == pattern->ranks());
  Expect(std::isfinite(MappingCost(*mesh, *pattern, mapped)));
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  const std::string path = coolspan::PathOf(data, size);
  const auto pattern = coolspan::ReadPatternFile(path);
  if (!pattern.ok()) {
    coolspan::ExpectOneLine(pattern.status(), path);
    return 0;
  }
  coolspan::CheckPattern(**pattern);
  coolspan::CheckMapping(*pattern);
  constexpr std::uint32_t kFew = 1000;
  if ((*pattern)->ranks() > kFew) return 0;
  std::ostringstream text;
  coolspan::WritePattern(**pattern, "again", text);
  const std::string written = text.str();
  const std::string other = coolspan::PathOf(
      reinterpret_cast<const std::uint8_t*>(written.data()), written.size());
  const auto again = coolspan::ReadPatternFile(other);
  Expect(again.ok() && (*again)->pairs() == (*pattern)->pairs() &&
         (*again)->total_bytes() == (*pattern)->total_bytes());
  return 0;
}
