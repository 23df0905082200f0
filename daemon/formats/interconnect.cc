// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/interconnect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

using RouterName = std::array<std::uint32_t, 3>;  // group, chassis, slot

// The router of "c0-0c0s6a0l10(0:0:6)".
std::optional<RouterName> RouterOf(std::string_view port) {
  const std::size_t open = port.find('(');
  if (open == 0 || open == std::string_view::npos || !port.ends_with(')')) {
    return std::nullopt;
  }
  port = port.substr(open + 1, port.size() - open - 2);
  RouterName name{};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool last = i + 1 == name.size();
    const std::size_t colon = port.find(':');
    if (last != (colon == std::string_view::npos)) return std::nullopt;
    const auto number = ParseNumber(port.substr(0, colon));
    if (!number) return std::nullopt;
    name[i] = *number;
    port.remove_prefix(last ? port.size() : colon + 1);
  }
  return name;
}

class InterconnectReader {
 public:
  explicit InterconnectReader(DataLines lines) : lines_(std::move(lines)) {}

  absl::StatusOr<Interconnect> Read(std::optional<NodeCount> nodes_at_router) {
    while (true) {
      const absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (absl::Status status = AddLine(); !status.ok()) return status;
    }
    if (names_.empty()) {
      return lines_.Error({},
                          "no port (expected lines \"PORT(G:C:S) COLOUR -> "
                          "END\")");
    }
    return Number(nodes_at_router);
  }

 private:
  absl::Status AddLine();
  absl::StatusOr<VertexId> Router(std::string_view port);
  Interconnect Number(std::optional<NodeCount> nodes_at_router) const;

  DataLines lines_;
  absl::flat_hash_map<RouterName, VertexId> known_;
  // In order of appearance.
  std::vector<RouterName> names_;
  std::vector<NodeCount> processor_ports_;
  std::vector<std::pair<VertexId, VertexId>> links_;
};

absl::StatusOr<VertexId> InterconnectReader::Router(std::string_view port) {
  const auto name = RouterOf(port);
  if (!name) {
    return lines_.Error(port, fmt::format("{} is not a router port (expected "
                                          "NAME(GROUP:CHASSIS:SLOT))",
                                          Quoted(port)));
  }
  const auto [known, is_new] =
      known_.try_emplace(*name, static_cast<VertexId>(names_.size()));
  if (is_new) {
    if (names_.size() == kMaxVertices) {
      return lines_.Error(port, fmt::format("more than {} routers (expected at "
                                            "most {})",
                                            kMaxVertices, kMaxVertices));
    }
    names_.push_back(*name);
    processor_ports_.push_back(0);
  }
  return known->second;
}

absl::Status InterconnectReader::AddLine() {
  const std::vector<std::string_view> words = Words(lines_.line());
  if (words.size() != 4 || words[2] != "->") {
    return lines_.Error(lines_.line(),
                        fmt::format("{} is not a port (expected \"PORT(G:C:S) "
                                    "COLOUR -> END\")",
                                    Quoted(lines_.line())));
  }
  const auto router = Router(words[0]);
  if (!router.ok()) return router.status();
  const std::string_view colour = words[1];
  const std::string_view end = words[3];
  if (colour == "ptile") {
    if (end == "processor") {
      ++processor_ports_[*router];
    } else if (end != "unused") {
      return lines_.Error(end, fmt::format("invalid end {} of a ptile port "
                                           "(expected processor or unused)",
                                           Quoted(end)));
    }
    return absl::OkStatus();
  }
  const bool local = colour == "green" || colour == "black";
  if (!local && colour != "blue") {
    return lines_.Error(colour,
                        fmt::format("{} is not a port colour (expected green, "
                                    "black, blue or ptile)",
                                    Quoted(colour)));
  }
  if (end == "unused") return absl::OkStatus();
  const auto other = Router(end);
  if (!other.ok()) return other.status();
  const bool same_group = names_[*router][0] == names_[*other][0];
  if (local != same_group) {
    return lines_.Error(
        end, fmt::format("{} link {} (expected {})", colour,
                         local ? "to another group" : "within a group",
                         local ? "a router of the same group"
                               : "a router of another group"));
  }
  links_.emplace_back(*router, *other);
  return absl::OkStatus();
}

Interconnect InterconnectReader::Number(
    std::optional<NodeCount> nodes_at_router) const {
  std::vector<VertexId> order(names_.size());
  for (VertexId i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [this](VertexId a, VertexId b) { return names_[a] < names_[b]; });
  Interconnect result;
  result.plan.kind = "dragonfly";
  std::vector<VertexId> vertex(order.size());
  for (VertexId i = 0; i < order.size(); ++i) {
    vertex[order[i]] = i;
    result.plan.nodes_at.push_back(
        nodes_at_router.value_or((processor_ports_[order[i]] + 1) / 2));
    result.routers.push_back(
        fmt::format("({})", fmt::join(names_[order[i]], ":")));
  }
  result.plan.links.reserve(links_.size());
  for (const auto& [a, b] : links_) {
    result.plan.links.emplace_back(vertex[a], vertex[b]);
  }
  return result;
}

}  // namespace

absl::StatusOr<Interconnect> ReadInterconnect(
    const std::string& path, std::optional<NodeCount> nodes_at_router) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  return InterconnectReader(*std::move(lines)).Read(nodes_at_router);
}

}  // namespace coolspan
