// SPDX-License-Identifier: GPL-3.0-or-later
// Distances of random networks, most of them written to a file and read back,
// against all shortest paths computed from the generated links.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/machine/machine_file.h"
#include "scratch_file.h"
#include "topology/dragonfly.h"

namespace coolspan {
namespace {

using Links = std::vector<std::pair<std::size_t, std::size_t>>;

// Floyd-Warshall.
std::vector<std::vector<Hops>> ShortestPaths(std::size_t places,
                                             const Links& links) {
  constexpr Hops kFar = 1U << 20;
  std::vector<std::vector<Hops>> hops(places, std::vector<Hops>(places, kFar));
  for (std::size_t v = 0; v < places; ++v) hops[v][v] = 0;
  for (const auto& [a, b] : links) {
    if (a != b) hops[a][b] = hops[b][a] = 1;
  }
  for (std::size_t via = 0; via < places; ++via) {
    for (std::size_t a = 0; a < places; ++a) {
      for (std::size_t b = 0; b < places; ++b) {
        hops[a][b] = std::min(hops[a][b], hops[a][via] + hops[via][b]);
      }
    }
  }
  return hops;
}

std::size_t Below(std::size_t bound) {
  return *rc::gen::inRange<std::size_t>(0, bound);
}

template <typename T>
void Shuffle(std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[Below(i)]);
  }
}

std::string Joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : between) + parts[i];
  }
  return text;
}

// Parses the machine file; FILE in it stands for a file with these lines.
std::shared_ptr<const Machine> MachineOf(std::string text,
                                         const std::vector<std::string>& lines,
                                         std::vector<std::string>* warnings) {
  const ScratchFile file(Joined(lines, "\n") + "\n");
  text.replace(text.find("FILE"), 4, file.path());
  auto machine = ParseMachineFile("name: x\n" + text, "m.yaml", warnings);
  if (!machine.ok()) RC_FAIL(std::string(machine.status().message()));
  return *std::move(machine);
}

// at: name and place of each node; hops: between places.
void CheckDistances(const Machine& machine,
                    const std::vector<std::pair<std::string, std::size_t>>& at,
                    const std::vector<std::vector<Hops>>& hops) {
  RC_ASSERT(machine.node_count() == at.size());
  std::uint64_t total = 0;
  std::vector<NodeId> chosen;
  std::vector<std::size_t> chosen_at;
  for (const auto& [name, place] : at) {
    const auto node = machine.FindNode(name);
    RC_ASSERT(node.has_value());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Hops there = machine.topology().Distance(chosen[i], *node);
      RC_ASSERT(there == hops[chosen_at[i]][place]);
      total += there;
    }
    chosen.push_back(*node);
    chosen_at.push_back(place);
  }
  RC_ASSERT(machine.topology().PairwiseTotal(chosen) == total);
}

RC_GTEST_PROP(TopologiesProperty, TopologyConfAgainstShortestPaths, ()) {
  const std::size_t switches = 1 + Below(25);
  std::vector<std::vector<std::string>> below(switches);
  Links links;
  std::vector<std::size_t> tops = {0};
  for (std::size_t s = 1; s < switches; ++s) {
    if (Below(8) == 0) {
      tops.push_back(s);
      continue;
    }
    const std::size_t above = Below(s);
    below[above].push_back("s" + std::to_string(s));
    links.emplace_back(above, s);
  }
  if (tops.size() > 1) {
    for (const std::size_t top : tops) links.emplace_back(switches, top);
  }
  std::vector<std::pair<std::string, std::size_t>> at;
  std::vector<std::string> lines;
  for (std::size_t s = 0; s < switches; ++s) {
    const std::string name = "SwitchName=s" + std::to_string(s);
    if (!below[s].empty()) {
      lines.push_back(name + " Switches=" + Joined(below[s], ","));
      continue;
    }
    std::vector<std::string> nodes;
    for (std::size_t i = 1 + Below(4); i > 0; --i) {
      nodes.push_back("n" + std::to_string(at.size()));
      at.emplace_back(nodes.back(), s);
    }
    lines.push_back(name + " Nodes=" + Joined(nodes, ","));
  }
  Shuffle(lines);
  std::vector<std::string> warnings;
  const auto machine = MachineOf(
      "topology: {kind: fat-tree, slurm_topology: FILE}\n", lines, &warnings);
  RC_ASSERT(warnings.size() == (tops.size() > 1 ? 1U : 0U));
  CheckDistances(*machine, at, ShortestPaths(switches + 1, links));
}

RC_GTEST_PROP(TopologiesProperty, EdgeListsAgainstShortestPaths, ()) {
  const std::size_t places = 1 + Below(30);
  const auto name = [](std::size_t place) {
    return "p" + std::to_string(place);
  };
  Links links;
  for (std::size_t p = 1; p < places; ++p) links.emplace_back(Below(p), p);
  for (std::size_t i = Below(places); i > 0; --i) {
    links.emplace_back(Below(places), Below(places));
  }
  links.erase(std::remove_if(links.begin(), links.end(),
                             [](const auto& l) { return l.first == l.second; }),
              links.end());
  std::vector<std::string> lines;
  for (const auto& [a, b] : links) lines.push_back(name(a) + " " + name(b));
  Shuffle(lines);
  std::vector<std::pair<std::string, std::size_t>> at;
  for (std::size_t p = 0; p < places; ++p) {
    if (p == 0 || Below(2) == 0) at.emplace_back(name(p), p);
  }
  Shuffle(at);
  std::vector<std::string> names;
  for (const auto& node : at) names.push_back(node.first);
  const auto machine =
      MachineOf("topology: {kind: graph, edges: FILE}\nnodes: \"" +
                    Joined(names, ",") + "\"\n",
                lines, nullptr);
  CheckDistances(*machine, at, ShortestPaths(places, links));
}

RC_GTEST_PROP(TopologiesProperty, CrayTablesAgainstShortestPaths, ()) {
  const std::vector<std::size_t> dims = {1 + Below(4), 1 + Below(4),
                                         1 + Below(4)};
  std::vector<std::string> wrap;
  for (std::size_t d = 0; d < 3; ++d) {
    wrap.emplace_back(Below(2) == 0 ? "true" : "false");
  }
  const std::size_t places = dims[0] * dims[1] * dims[2];
  Links links;
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, std::size_t>> at;
  for (std::size_t p = 0; p < places; ++p) {
    const std::size_t x[] = {p % dims[0], p / dims[0] % dims[1],
                             p / dims[0] / dims[1]};
    std::size_t stride = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      if (x[d] + 1 < dims[d]) {
        links.emplace_back(p, p + stride);
      } else if (wrap[d] == "true") {
        links.emplace_back(p, p - x[d] * stride);
      }
      stride *= dims[d];
    }
    for (std::size_t i = p == 0 ? 1 : Below(4); i > 0; --i) {
      const std::string id = std::to_string(10000 + at.size());
      at.emplace_back("nid" + id, p);
      lines.push_back("cpu=0,x_coord=" + std::to_string(x[0]) +
                      ",y_coord=" + std::to_string(x[1]) +
                      ",z_coord=" + std::to_string(x[2]) +
                      ",processor_type='compute',processor_id=" + id);
    }
  }
  Shuffle(lines);
  const auto machine = MachineOf(
      "topology: {kind: mesh, dims: [" + std::to_string(dims[0]) + ", " +
          std::to_string(dims[1]) + ", " + std::to_string(dims[2]) +
          "], wrap: [" + Joined(wrap, ", ") + "]}\ncoordinates: FILE\n",
      lines, nullptr);
  CheckDistances(*machine, at, ShortestPaths(places, links));
}

RC_GTEST_PROP(TopologiesProperty, DragonfliesAgainstShortestPaths, ()) {
  const std::size_t groups = 1 + Below(9);
  const std::size_t routers = 1 + Below(5);
  Links links;
  const auto router_of = [&](std::size_t group, std::size_t other) {
    const std::size_t link = (other + groups - group - 1) % groups;
    return group * routers + link * routers / (groups - 1);
  };
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t a = 0; a < routers; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        links.emplace_back(g * routers + a, g * routers + b);
      }
    }
    for (std::size_t h = 0; h < g; ++h) {
      links.emplace_back(router_of(g, h), router_of(h, g));
    }
  }
  const auto hops = ShortestPaths(groups * routers, links);
  const auto fly = MakeDragonfly({groups, routers, 2}).value();
  std::uint64_t total = 0;
  std::vector<NodeId> chosen;
  for (NodeId node = 0; node < fly->node_count(); ++node) {
    if (Below(3) == 0) continue;
    for (const NodeId other : chosen) {
      RC_ASSERT(fly->Distance(node, other) == hops[node / 2][other / 2]);
      total += hops[node / 2][other / 2];
    }
    chosen.push_back(node);
  }
  RC_ASSERT(fly->PairwiseTotal(chosen) == total);
}

}  // namespace
}  // namespace coolspan
