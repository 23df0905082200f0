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
#include "formats/slurm_lines.h"

namespace coolspan {
namespace {

constexpr VertexId kNone = std::numeric_limits<VertexId>::max();
constexpr std::size_t kTopsNamed = 4;

// A line of the file.
struct Switch {
  std::string name;
  Place place;
  std::vector<std::string> nodes;
  std::vector<std::string> below;  // names of switches
  Place below_place;
  VertexId parent = kNone;
  std::vector<VertexId> children;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  absl::StatusOr<SlurmTopology> Read() {
    auto lines = SlurmLines::Open(path_);
    if (!lines.ok()) return lines.status();
    while (true) {
      const auto settings = lines->Next();
      if (!settings.ok()) return settings.status();
      if (settings->empty()) break;
      const absl::Status status = AddLine(*settings);
      if (!status.ok()) return status;
    }
    if (switches_.empty()) {
      return ErrorAt(path_, {1, 1},
                     "there is no switch; lines SwitchName=NAME Nodes=LIST or "
                     "Switches=LIST are wanted");
    }
    switch_of_node_ = {};  // as large as the rest together
    if (absl::Status status = Connect(); !status.ok()) return status;
    if (absl::Status status = CheckNoCircle(); !status.ok()) return status;
    return Number();
  }

 private:
  absl::Status AddLine(const std::vector<SlurmSetting>& settings);
  absl::StatusOr<std::vector<std::string>> Expand(const SlurmSetting& setting,
                                                  std::string_view key) const;
  void KeepAtFirstSwitch(Switch& added, Place place);
  absl::Status Connect();
  absl::Status CheckNoCircle() const;
  std::vector<VertexId> Tops() const;
  void WarnOfTops(const std::vector<VertexId>& tops);
  SlurmTopology Number();

  std::string path_;
  std::vector<Switch> switches_;
  absl::flat_hash_map<std::string, VertexId> switch_named_;
  absl::flat_hash_map<std::string, VertexId> switch_of_node_;
  std::vector<std::string> warnings_;
};

absl::StatusOr<std::vector<std::string>> Reader::Expand(
    const SlurmSetting& setting, std::string_view key) const {
  auto names = ExpandHostlist(setting.value, kMaxVertices);
  if (!names.ok()) {
    return ErrorAt(path_, setting.value_place,
                   fmt::format("{}: {}", key, MessageOf(names.status())));
  }
  if (names->empty()) {
    return ErrorAt(path_, setting.value_place,
                   fmt::format("{} is empty; a hostlist is wanted", key));
  }
  return names;
}

absl::Status Reader::AddLine(const std::vector<SlurmSetting>& settings) {
  Switch added;
  added.place = settings.front().key_place;
  Place nodes_place;
  for (const SlurmSetting& setting : settings) {
    const bool is_name = setting.key == "switchname";
    if (setting.key == "linkspeed") continue;
    if (!is_name && setting.key != "nodes" && setting.key != "switches") {
      return ErrorAt(
          path_, setting.key_place,
          fmt::format("unknown key {}; SwitchName, Nodes, Switches and "
                      "LinkSpeed are known",
                      Quoted(setting.key)));
    }
    if (is_name
            ? !added.name.empty()
            : !(setting.key == "nodes" ? added.nodes : added.below).empty()) {
      return ErrorAt(
          path_, setting.key_place,
          fmt::format("{} is given twice in a line; keep one", setting.key));
    }
    auto names = Expand(setting, setting.key);
    if (!names.ok()) return names.status();
    if (is_name) {
      if (names->size() != 1) {
        return ErrorAt(path_, setting.value_place,
                       "SwitchName is a list; one name is wanted");
      }
      added.name = std::move(names->front());
      added.place = setting.value_place;
    } else if (setting.key == "nodes") {
      added.nodes = *std::move(names);
      nodes_place = setting.value_place;
    } else {
      added.below = *std::move(names);
      added.below_place = setting.value_place;
    }
  }
  if (added.name.empty()) {
    return ErrorAt(path_, added.place,
                   "SwitchName is missing; SwitchName=NAME is wanted");
  }
  if (added.nodes.empty() == added.below.empty()) {
    return ErrorAt(path_, added.place,
                   fmt::format("switch {} has {} Nodes {} Switches; one of the "
                               "two is wanted",
                               Quoted(added.name),
                               added.nodes.empty() ? "neither" : "both",
                               added.nodes.empty() ? "nor" : "and"));
  }
  const auto number = static_cast<VertexId>(switches_.size());
  const auto [known, is_new] = switch_named_.try_emplace(added.name, number);
  if (!is_new) {
    return ErrorAt(
        path_, added.place,
        fmt::format("switch {} is described in line {} already; "
                    "once is wanted",
                    Quoted(added.name), switches_[known->second].place.line));
  }
  KeepAtFirstSwitch(added, nodes_place);
  switches_.push_back(std::move(added));
  if (switches_.size() + switch_of_node_.size() > kMaxVertices) {
    return ErrorAt(path_, switches_.back().place,
                   fmt::format("more than {} switches and nodes; fewer are "
                               "wanted",
                               kMaxVertices));
  }
  return absl::OkStatus();
}

// Takes the nodes away that are at a switch already, and warns of them.
void Reader::KeepAtFirstSwitch(Switch& added, Place place) {
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
        "{}:{}: {} named at a switch before, {} at {}; a node stays at its "
        "first switch",
        path_, place.line, Printable(CompressHostlist(elsewhere)),
        Printable(elsewhere.front()),
        Printable(other == number ? added.name : switches_[other].name)));
  }
  added.nodes = std::move(own);
}

absl::Status Reader::Connect() {
  for (VertexId above = 0; above < switches_.size(); ++above) {
    for (const std::string& name : switches_[above].below) {
      const Place place = switches_[above].below_place;
      const auto found = switch_named_.find(name);
      if (found == switch_named_.end()) {
        return ErrorAt(path_, place,
                       fmt::format("switch {} is not described; a line "
                                   "SwitchName={} is wanted",
                                   Quoted(name), Printable(name)));
      }
      Switch& below = switches_[found->second];
      if (below.parent != kNone) {
        return ErrorAt(
            path_, place,
            fmt::format("switch {} is below {} already; a switch is wanted "
                        "below one other",
                        Quoted(name), Quoted(switches_[below.parent].name)));
      }
      below.parent = above;
      switches_[above].children.push_back(found->second);
    }
    switches_[above].below = {};
  }
  return absl::OkStatus();
}

// Each switch has one above it or none, so a walk upwards from one that is in a
// circle or below one never ends. Those found good are not walked again.
absl::Status Reader::CheckNoCircle() const {
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
            "switch {} is below itself{}; a tree is wanted",
            Quoted(switches_[at].name),
            switches_[at].parent == at
                ? ""
                : fmt::format(" by way of {}",
                              Quoted(switches_[switches_[at].parent].name))));
  }
  return absl::OkStatus();
}

std::vector<VertexId> Reader::Tops() const {
  std::vector<VertexId> tops;
  for (VertexId v = 0; v < switches_.size(); ++v) {
    if (switches_[v].parent == kNone) tops.push_back(v);
  }
  return tops;
}

void Reader::WarnOfTops(const std::vector<VertexId>& tops) {
  std::string names;
  for (std::size_t i = 0; i < std::min(tops.size(), kTopsNamed); ++i) {
    names += (i == 0 ? "" : ", ") + Printable(switches_[tops[i]].name);
  }
  if (tops.size() > kTopsNamed) names += ", ...";
  warnings_.push_back(fmt::format(
      "{}: {} switches have none above them ({}); one switch above all of them "
      "is taken to be there",
      path_, tops.size(), names));
}

// Leaf switches as a walk from the top meets them, then the others as it leaves
// them, each behind all below it.
SlurmTopology Reader::Number() {
  const std::vector<VertexId> tops = Tops();
  if (tops.size() > 1) {
    WarnOfTops(tops);
    Switch implied;
    implied.children = tops;
    for (const VertexId top : tops) {
      switches_[top].parent = static_cast<VertexId>(switches_.size());
    }
    switches_.push_back(std::move(implied));
  }
  const VertexId top = tops.size() > 1
                           ? static_cast<VertexId>(switches_.size() - 1)
                           : tops.front();
  std::vector<VertexId> leaves;
  std::vector<VertexId> inner;
  struct Step {
    VertexId at;
    std::size_t next_child;
  };
  std::vector<Step> walk = {{top, 0}};
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
    Switch& one = switches_[v];
    result.tree.parent.push_back(number[v == top ? v : one.parent]);
    result.tree.nodes_at.push_back(static_cast<NodeCount>(one.nodes.size()));
    std::move(one.nodes.begin(), one.nodes.end(),
              std::back_inserter(result.names));
  }
  result.warnings = std::move(warnings_);
  return result;
}

}  // namespace

absl::StatusOr<SlurmTopology> ReadSlurmTopology(const std::string& path) {
  return Reader(path).Read();
}

}  // namespace coolspan
