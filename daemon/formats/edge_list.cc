// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/edge_list.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {

absl::StatusOr<EdgeList> ReadEdgeList(const std::string& path,
                                      std::span<const std::string> nodes) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  EdgeList result;
  result.names.assign(nodes.begin(), nodes.end());
  absl::flat_hash_map<std::string, VertexId> vertex_named;
  for (VertexId v = 0; v < nodes.size(); ++v) vertex_named[nodes[v]] = v;
  while (true) {
    const absl::StatusOr<bool> more = lines->Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    const std::vector<std::string_view> words = Words(lines->line());
    if (words.size() != 2) {
      return lines->Error(
          words.empty() ? lines->line() : words.front(),
          fmt::format("{} is not a link (expected the names of its two ends)",
                      Quoted(lines->line())));
    }
    if (words[0] == words[1]) {
      return lines->Error(words[1],
                          fmt::format("link from {} to itself (expected two "
                                      "different names)",
                                      Quoted(words[0])));
    }
    std::array<VertexId, 2> ends{};
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto [known, is_new] = vertex_named.try_emplace(
          std::string(words[i]), static_cast<VertexId>(result.names.size()));
      if (is_new) {
        if (result.names.size() == kMaxVertices) {
          return lines->Error(words[i],
                              fmt::format("more than {} nodes and switches "
                                          "(expected at most {})",
                                          kMaxVertices, kMaxVertices));
        }
        result.names.emplace_back(words[i]);
      }
      ends[i] = known->second;
    }
    result.plan.links.emplace_back(ends[0], ends[1]);
  }
  result.plan.nodes_at.assign(nodes.size(), 1);
  result.plan.nodes_at.resize(result.names.size(), 0);
  return result;
}

}  // namespace coolspan
