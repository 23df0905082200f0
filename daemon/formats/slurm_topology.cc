// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/slurm_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/hostlist.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr VertexId kNone = std::numeric_limits<VertexId>::max();
constexpr std::size_t kMaxNamedRoots = 4;

// A line of the file.
struct Switch {
  std::string name;
  Place place;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;  // names in Switches=
  Place switches_place;
  VertexId parent = kNone;
  std::vector<VertexId> children;
};

class SlurmTopologyReader {
 public:
  explicit SlurmTopologyReader(const std::string& path) : path_(path) {}

  absl::StatusOr<SlurmTopology> Read(const std::vector<SlurmLine>& lines) {
    for (const SlurmLine& line : lines) {
      if (absl::Status status = AddLine(line); !status.ok()) return status;
    }
    if (switches_.empty()) {
      return ErrorAt(path_, {1, 1},
                     "no switch (expected lines SwitchName=NAME Nodes=LIST or "
                     "Switches=LIST)");
    }
    switch_of_node_ = {};  // free it early: half of the memory in use
    if (absl::Status status = Connect(); !status.ok()) return status;
    if (absl::Status status = CheckNoCycle(); !status.ok()) return status;
    return Number();
  }

 private:
  absl::Status AddLine(const SlurmLine& settings);
  absl::StatusOr<std::vector<std::string>> Expand(
      const SlurmSetting& setting) const;
  void KeepAtFirstSwitch(Switch& added, Place place);
  absl::Status Connect();
  absl::Status CheckNoCycle() const;
  std::vector<VertexId> Roots() const;
  void WarnOfRoots(const std::vector<VertexId>& roots);
  SlurmTopology Number();

  std::string path_;
  std::vector<Switch> switches_;
  absl::flat_hash_map<std::string, VertexId> switch_named_;
  absl::flat_hash_map<std::string, VertexId> switch_of_node_;
  std::vector<std::string> warnings_;
};

absl::StatusOr<std::vector<std::string>> SlurmTopologyReader::Expand(
    const SlurmSetting& setting) const {
  auto names = ExpandHostlist(setting.value, kMaxVertices);
  if (!names.ok()) {
    return ErrorAt(
        path_, setting.value_place,
        fmt::format("{}: {}", setting.written_key, MessageOf(names.status())));
  }
  if (names->empty()) {
    return ErrorAt(
        path_, setting.value_place,
        fmt::format("{}: no value (expected a hostlist)", setting.written_key));
  }
  return names;
}

absl::Status SlurmTopologyReader::AddLine(const SlurmLine& settings) {
  Switch added;
  added.place = settings.front().key_place;
  Place nodes_place;
  for (const SlurmSetting& setting : settings) {
    const bool is_name = setting.key == "switchname";
    if (setting.key == "linkspeed") continue;
    if (!is_name && setting.key != "nodes" && setting.key != "switches") {
      return ErrorAt(
          path_, setting.key_place,
          fmt::format("unknown key {} (expected SwitchName, Nodes, Switches or "
                      "LinkSpeed)",
                      Quoted(setting.written_key)));
    }
    if (is_name ? !added.name.empty()
                : !(setting.key == "nodes" ? added.nodes : added.switches)
                       .empty()) {
      return ErrorAt(
          path_, setting.key_place,
          fmt::format("{}: specified more than once", setting.written_key));
    }
    auto names = Expand(setting);
    if (!names.ok()) return names.status();
    if (is_name) {
      if (names->size() != 1) {
        return ErrorAt(path_, setting.value_place,
                       "SwitchName: value is a list (expected one name)");
      }
      added.name = std::move(names->front());
      added.place = setting.value_place;
    } else if (setting.key == "nodes") {
      added.nodes = *std::move(names);
      nodes_place = setting.value_place;
    } else {
      added.switches = *std::move(names);
      added.switches_place = setting.value_place;
    }
  }
  if (added.name.empty()) {
    return ErrorAt(path_, added.place,
                   "SwitchName: missing (expected SwitchName=NAME)");
  }
  if (added.nodes.empty() == added.switches.empty()) {
    return ErrorAt(path_, added.place,
                   fmt::format("switch {}: {} Nodes {} Switches specified "
                               "(expected one of the two)",
                               Quoted(added.name),
                               added.nodes.empty() ? "neither" : "both",
                               added.nodes.empty() ? "nor" : "and"));
  }
  const auto number = static_cast<VertexId>(switches_.size());
  const auto [known, is_new] = switch_named_.try_emplace(added.name, number);
  if (!is_new) {
    return ErrorAt(
        path_, added.place,
        fmt::format("switch {}: specified more than once, first in line {}",
                    Quoted(added.name), switches_[known->second].place.line));
  }
  KeepAtFirstSwitch(added, nodes_place);
  switches_.push_back(std::move(added));
  if (switches_.size() + switch_of_node_.size() > kMaxVertices) {
    return ErrorAt(path_, switches_.back().place,
                   fmt::format("more than {} switches and nodes (expected at "
                               "most {})",
                               kMaxVertices, kMaxVertices));
  }
  return absl::OkStatus();
}

// Removes the nodes that already are at another switch, with a warning.
void SlurmTopologyReader::KeepAtFirstSwitch(Switch& added, Place place) {
  const auto number = static_cast<VertexId>(switches_.size());
  std::vector<std::string> own;
  std::vector<std::string_view> elsewhere;
  VertexId other = number;
  for (std::string& node : added.nodes) {
    const auto [known, is_new] = switch_of_node_.try_emplace(node, number);
    if (is_new) {
      own.push_back(std::move(node));
      continue;
    }
    if (elsewhere.empty()) other = known->second;
    elsewhere.push_back(node);
  }
  if (!elsewhere.empty()) {
    warnings_.push_back(fmt::format(
        "{}:{}: {}: at more than one switch, {} also at {}; the first switch "
        "applies",
        path_, place.line, Printable(CompressHostlist(elsewhere)),
        Printable(elsewhere.front()),
        Printable(other == number ? added.name : switches_[other].name)));
  }
  added.nodes = std::move(own);
}

absl::Status SlurmTopologyReader::Connect() {
  for (VertexId above = 0; above < switches_.size(); ++above) {
    for (const std::string& name : switches_[above].switches) {
      const Place place = switches_[above].switches_place;
      const auto found = switch_named_.find(name);
      if (found == switch_named_.end()) {
        return ErrorAt(path_, place,
                       fmt::format("switch {}: not defined (expected a line "
                                   "SwitchName={})",
                                   Quoted(name), Printable(name)));
      }
      Switch& below = switches_[found->second];
      if (below.parent != kNone) {
        return ErrorAt(
            path_, place,
            fmt::format("switch {}: already below {} (expected one switch "
                        "above it)",
                        Quoted(name), Quoted(switches_[below.parent].name)));
      }
      below.parent = above;
      switches_[above].children.push_back(found->second);
    }
    switches_[above].switches = {};
  }
  return absl::OkStatus();
}

// Each switch has at most one parent, so an upward walk that meets a switch of
// the same walk again has found a cycle. O(switches): a walk stops at switches
// that an earlier one has visited.
absl::Status SlurmTopologyReader::CheckNoCycle() const {
  std::vector<VertexId> walk_of(switches_.size(), kNone);
  for (VertexId start = 0; start < switches_.size(); ++start) {
    VertexId at = start;
    while (at != kNone && walk_of[at] == kNone) {
      walk_of[at] = start;
      at = switches_[at].parent;
    }
    if (at == kNone || walk_of[at] != start) continue;
    return ErrorAt(
        path_, switches_[at].place,
        fmt::format(
            "switch {}: below itself{} (expected a tree)",
            Quoted(switches_[at].name),
            switches_[at].parent == at
                ? ""
                : fmt::format(" through {}",
                              Quoted(switches_[switches_[at].parent].name))));
  }
  return absl::OkStatus();
}

std::vector<VertexId> SlurmTopologyReader::Roots() const {
  std::vector<VertexId> roots;
  for (VertexId v = 0; v < switches_.size(); ++v) {
    if (switches_[v].parent == kNone) roots.push_back(v);
  }
  return roots;
}

void SlurmTopologyReader::WarnOfRoots(const std::vector<VertexId>& roots) {
  std::string names;
  for (std::size_t i = 0; i < std::min(roots.size(), kMaxNamedRoots); ++i) {
    names += (i == 0 ? "" : ", ") + Printable(switches_[roots[i]].name);
  }
  if (roots.size() > kMaxNamedRoots) names += ", ...";
  warnings_.push_back(fmt::format(
      "{}: {} top-level switches ({}); a switch above all of them is "
      "implied, but Slurm's topology/tree refuses jobs across them",
      path_, roots.size(), names));
}

// Numbers the leaf switches in depth-first order, then the others in
// postorder: each after all switches below it.
SlurmTopology SlurmTopologyReader::Number() {
  const std::vector<VertexId> roots = Roots();
  if (roots.size() > 1) {
    WarnOfRoots(roots);
    Switch implied;
    implied.children = roots;
    for (const VertexId child : roots) {
      switches_[child].parent = static_cast<VertexId>(switches_.size());
    }
    switches_.push_back(std::move(implied));
  }
  const VertexId root = roots.size() > 1
                            ? static_cast<VertexId>(switches_.size() - 1)
                            : roots.front();
  std::vector<VertexId> leaves;
  std::vector<VertexId> inner;
  struct Step {
    VertexId at;
    std::size_t next_child;
  };
  std::vector<Step> walk = {{root, 0}};
  while (!walk.empty()) {
    Step& step = walk.back();
    const std::vector<VertexId>& children = switches_[step.at].children;
    if (step.next_child < children.size()) {
      const VertexId child = children[step.next_child++];
      walk.push_back({child, 0});
      continue;
    }
    (children.empty() ? leaves : inner).push_back(step.at);
    walk.pop_back();
  }
  std::vector<VertexId> order = std::move(leaves);
  order.insert(order.end(), inner.begin(), inner.end());
  std::vector<VertexId> number(switches_.size());
  for (VertexId i = 0; i < order.size(); ++i) number[order[i]] = i;

  SlurmTopology result;
  for (const VertexId v : order) {
    Switch& item = switches_[v];
    result.tree.parent.push_back(number[v == root ? v : item.parent]);
    result.tree.nodes_at.push_back(static_cast<NodeCount>(item.nodes.size()));
    std::move(item.nodes.begin(), item.nodes.end(),
              std::back_inserter(result.names));
  }
  for (VertexId v = 0; v < switches_.size(); ++v) {
    if (roots.size() == 1 || v != root) result.tree.listed.push_back(number[v]);
  }
  result.warnings = std::move(warnings_);
  return result;
}

}  // namespace

absl::StatusOr<SlurmTopology> ReadSlurmTopology(
    const std::string& path, const std::vector<SlurmLine>& lines) {
  return SlurmTopologyReader(path).Read(lines);
}

}  // namespace coolspan
