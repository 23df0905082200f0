// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/least_ranked.h"

#include <algorithm>
#include <utility>

namespace coolspan {

std::vector<NodeId> LeastRanked(const Choice& choice,
                                absl::FunctionRef<double(NodeId)> rank) {
  std::vector<std::pair<double, NodeId>> others;
  choice.available.ForEach([&](NodeId node) {
    if (choice.required_count == 0 || !choice.required.Contains(node)) {
      others.emplace_back(rank(node), node);
    }
  });
  const NodeCount count = choice.nodes - choice.required_count;
  std::nth_element(others.begin(),
                   others.begin() + static_cast<std::ptrdiff_t>(count),
                   others.end());
  std::vector<NodeId> nodes = choice.required.Members();
  nodes.reserve(choice.nodes);
  for (NodeCount i = 0; i < count; ++i) nodes.push_back(others[i].second);
  return nodes;
}

}  // namespace coolspan
