// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/topology_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "config/options/option_value.h"
#include "config/options/yaml_text.h"
#include "formats/text_file.h"

namespace coolspan {
namespace {

constexpr std::string_view kExpected = "a list of topologies";

// A key of topology.yaml and that of topology.conf with the same meaning.
struct Key {
  std::string_view yaml;
  std::string_view conf;
};
constexpr Key kBlockKeys[] = {{"block", "blockname"}, {"nodes", "nodes"}};
constexpr Key kSwitchKeys[] = {{"switch", "switchname"},
                               {"children", "switches"},
                               {"nodes", "nodes"},
                               {"link_speed", "linkspeed"}};

// Reads the document. Lets yaml-cpp's exceptions pass: see CatchYamlErrors.
class TopologyYamlReader {
 public:
  explicit TopologyYamlReader(const std::string& path) : path_(path) {}

  absl::StatusOr<std::vector<YamlTopology>> Read(const YAML::Node& document) {
    if (!document.IsSequence()) {
      return Unexpected(document, "document", kExpected);
    }
    for (const YAML::Node& entry : document) {
      auto topology = ReadTopology(entry);
      if (!topology.ok()) return topology.status();
      for (const YamlTopology& other : topologies_) {
        if (other.name == topology->name) {
          return Error(entry,
                       fmt::format("topology {}: specified more than once, "
                                   "first in line {}",
                                   Quoted(other.name), other.place.line));
        }
      }
      topologies_.push_back(*std::move(topology));
    }
    return std::move(topologies_);
  }

 private:
  absl::Status Error(const YAML::Node& node, std::string_view message) const {
    return ErrorAt(path_, PlaceOf(node.Mark()), message);
  }
  absl::Status Unexpected(const YAML::Node& node, std::string_view what,
                          std::string_view expected) const {
    return Error(node, fmt::format("{} (expected {})",
                                   DescribeFound(node, what), expected));
  }

  absl::StatusOr<YamlTopology> ReadTopology(const YAML::Node& entry) {
    if (!entry.IsMap()) return Unexpected(entry, "entry", "a topology");
    YamlTopology topology;
    topology.place = PlaceOf(entry.Mark());
    for (const auto& item : entry) {
      const std::string key = item.first.as<std::string>();
      if (key == "topology") {
        topology.name = item.second.as<std::string>();
      } else if (key == "cluster_default") {
        topology.is_cluster_default = item.second.as<bool>();
      } else if (!topology.plugin.empty()) {
        return Error(item.first,
                     fmt::format("{} after {} (expected one kind of topology)",
                                 Quoted(key), topology.plugin));
      } else {
        topology.plugin = key;
        auto lines = LinesOf(key, item.second);
        if (!lines.ok()) return lines.status();
        topology.lines = *std::move(lines);
      }
    }
    if (topology.name.empty()) {
      return Error(entry, "topology: missing (expected a name)");
    }
    if (topology.plugin.empty()) {
      return Error(entry, fmt::format("topology {}: no kind (expected block, "
                                      "tree or flat)",
                                      Quoted(topology.name)));
    }
    return topology;
  }

  absl::StatusOr<std::vector<SlurmLine>> LinesOf(const std::string& plugin,
                                                 const YAML::Node& part) const {
    std::vector<SlurmLine> lines;
    if (plugin != "block" && plugin != "tree") return lines;
    const bool in_blocks = plugin == "block";
    if (!part.IsMap()) {
      return Unexpected(part, plugin, in_blocks ? "blocks" : "switches");
    }
    for (const auto& item : part) {
      const std::string key = item.first.as<std::string>();
      if (in_blocks && key == "block_sizes") {
        auto sizes = SettingOf(item.first, item.second, "blocksizes");
        if (!sizes.ok()) return sizes.status();
        lines.push_back({*std::move(sizes)});
      } else if (key == (in_blocks ? "blocks" : "switches")) {
        absl::Status status =
            AddEntries(item.second, key,
                       in_blocks ? std::span<const Key>(kBlockKeys)
                                 : std::span<const Key>(kSwitchKeys),
                       lines);
        if (!status.ok()) return status;
      } else {
        return Error(
            item.first,
            fmt::format("unknown key {} (expected {})", Quoted(key),
                        in_blocks ? "block_sizes or blocks" : "switches"));
      }
    }
    return lines;
  }

  absl::Status AddEntries(const YAML::Node& entries, std::string_view what,
                          std::span<const Key> keys,
                          std::vector<SlurmLine>& lines) const {
    if (!entries.IsSequence()) return Unexpected(entries, what, "a list");
    for (const YAML::Node& entry : entries) {
      if (!entry.IsMap() || entry.size() == 0) {
        return Unexpected(entry, "entry", "a map");
      }
      SlurmLine line;
      for (const auto& item : entry) {
        const std::string key = item.first.as<std::string>();
        const auto known =
            std::find_if(keys.begin(), keys.end(),
                         [&key](const Key& k) { return k.yaml == key; });
        if (known == keys.end()) {
          std::vector<std::string_view> names;
          names.reserve(keys.size());
          for (const Key& k : keys) names.push_back(k.yaml);
          return Error(item.first,
                       fmt::format("unknown key {} (expected {})", Quoted(key),
                                   fmt::join(names, ", ")));
        }
        auto setting = SettingOf(item.first, item.second, known->conf);
        if (!setting.ok()) return setting.status();
        line.push_back(*std::move(setting));
      }
      lines.push_back(std::move(line));
    }
    return absl::OkStatus();
  }

  // A text, or a list of them.
  absl::StatusOr<SlurmSetting> SettingOf(const YAML::Node& key,
                                         const YAML::Node& value,
                                         std::string_view conf_key) const {
    SlurmSetting setting;
    setting.key = conf_key;
    setting.written_key = key.as<std::string>();
    setting.key_place = PlaceOf(key.Mark());
    setting.value_place = PlaceOf(value.Mark());
    if (value.IsScalar()) {
      setting.value = value.as<std::string>();
    } else if (value.IsSequence()) {
      setting.value = fmt::format(
          "{}", fmt::join(value.as<std::vector<std::string>>(), ","));
    } else {
      return Unexpected(value, setting.written_key, "a text");
    }
    return setting;
  }

  std::string path_;
  std::vector<YamlTopology> topologies_;
};

std::string Names(const std::vector<YamlTopology>& topologies) {
  std::vector<std::string> names;
  names.reserve(topologies.size());
  for (const YamlTopology& topology : topologies) {
    names.push_back(fmt::format("{} ({})", topology.name, topology.plugin));
  }
  return Printable(fmt::format("{}", fmt::join(names, ", ")));
}

absl::Status NoTopology(std::string_view problem,
                        const std::vector<YamlTopology>& topologies) {
  return absl::InvalidArgumentError(
      fmt::format("{}; the file has {}", problem, Names(topologies)));
}

}  // namespace

bool IsTopologyYaml(const std::string& path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

absl::StatusOr<std::vector<YamlTopology>> ReadTopologyYaml(
    const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  using Topologies = std::vector<YamlTopology>;
  return CatchYamlErrors<Topologies>(path, [&]() -> absl::StatusOr<Topologies> {
    const auto document = ParseYaml(*text, path, kExpected);
    if (!document.ok()) return document.status();
    return TopologyYamlReader(path).Read(*document);
  });
}

absl::StatusOr<YamlTopology> ChooseTopology(
    const std::vector<YamlTopology>& topologies, std::string_view plugin,
    std::string_view name) {
  std::vector<const YamlTopology*> fitting;
  for (const YamlTopology& topology : topologies) {
    if (!name.empty() && topology.name == name) {
      if (topology.plugin == plugin) return topology;
      return NoTopology(
          fmt::format("topology {} is no {} topology", Quoted(name), plugin),
          topologies);
    }
    if (topology.plugin == plugin) fitting.push_back(&topology);
  }
  if (!name.empty()) {
    return NoTopology(fmt::format("no topology {}", Quoted(name)), topologies);
  }
  for (const YamlTopology* topology : fitting) {
    if (topology->is_cluster_default) return *topology;
  }
  if (fitting.empty()) {
    return NoTopology(fmt::format("no {} topology", plugin), topologies);
  }
  if (fitting.size() > 1) {
    return NoTopology(
        fmt::format("several {} topologies, none of them the default (expected "
                    "topology.slurm_topology_name)",
                    plugin),
        topologies);
  }
  return *fitting.front();
}

}  // namespace coolspan
