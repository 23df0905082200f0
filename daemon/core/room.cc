// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/room.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "core/stable_hash.h"

namespace coolspan {
namespace {

absl::Status CheckPower(const Room::NodePower& power) {
  const bool finite = std::isfinite(power.idle_w) &&
                      std::isfinite(power.compute_w) &&
                      std::isfinite(power.communicate_w);
  if (!finite || power.idle_w < 0) {
    return absl::InvalidArgumentError(
        fmt::format("idle power: {} W (expected at least 0)", power.idle_w));
  }
  if (power.compute_w < power.idle_w || power.communicate_w < power.idle_w) {
    return absl::InvalidArgumentError(fmt::format(
        "computing power {} W, communicating power {} W (expected at least the "
        "idle power, {} W)",
        power.compute_w, power.communicate_w, power.idle_w));
  }
  return absl::OkStatus();
}

}  // namespace

Room::Room(Description description)
    : description_(std::move(description)),
      idle_w_(zone_count(), 0.0),
      nodes_by_zone_(node_count()),
      first_of_zone_(zone_count() + 1, 0) {
  for (NodeId node = 0; node < node_count(); ++node) {
    idle_w_[ZoneOf(node)] += PowerOf(node).idle_w;
    ++first_of_zone_[ZoneOf(node) + 1];
  }
  for (ZoneId zone = 0; zone < zone_count(); ++zone) {
    first_of_zone_[zone + 1] += first_of_zone_[zone];
  }
  std::vector<NodeCount> next(first_of_zone_.begin(), first_of_zone_.end() - 1);
  for (NodeId node = 0; node < node_count(); ++node) {
    nodes_by_zone_[next[ZoneOf(node)]++] = node;
  }
}

absl::StatusOr<std::shared_ptr<const Room>> Room::Create(
    Description description) {
  const std::size_t nodes = description.zone_of.size();
  if (description.type_of.size() != nodes) {
    return absl::InvalidArgumentError(
        fmt::format("{} nodes with a type, {} with a zone (expected the same "
                    "number)",
                    description.type_of.size(), nodes));
  }
  for (const NodePower& power : description.types) {
    if (absl::Status status = CheckPower(power); !status.ok()) return status;
  }
  const ZoneId zones = description.heat->zone_count();
  for (std::size_t node = 0; node < nodes; ++node) {
    if (description.type_of[node] >= description.types.size() ||
        description.zone_of[node] >= zones) {
      return absl::InvalidArgumentError(fmt::format(
          "node {}: type {}, zone {} (expected a type below {} and a zone "
          "below {})",
          node, description.type_of[node], description.zone_of[node],
          description.types.size(), zones));
    }
  }
  return std::shared_ptr<const Room>(new Room(std::move(description)));
}

std::uint64_t Room::Fingerprint() const {
  constexpr int kEntries = 4096;
  StableHash hash;
  const auto add = [&hash](double number) {
    hash.Add(std::bit_cast<std::uint64_t>(number));
  };
  for (NodeId node = 0; node < node_count(); ++node) {
    const NodePower& power = PowerOf(node);
    for (const double number :
         {power.idle_w, power.compute_w, power.communicate_w, power.speed}) {
      add(number);
    }
    hash.Add(std::uint64_t{ZoneOf(node)});
  }
  for (const double number : {supply_c(), redline_c()}) add(number);
  for (const double number : cop()) add(number);
  std::minstd_rand random;  // the standard fixes its sequence
  for (int i = 0; i < kEntries && zone_count() > 0; ++i) {
    const auto receiver = static_cast<ZoneId>(random() % zone_count());
    add(heat().At(receiver, static_cast<ZoneId>(random() % zone_count())));
  }
  return hash.value();
}

double Room::AddedWatts(NodeId node, double communication_share) const {
  const NodePower& power = PowerOf(node);
  return (1 - communication_share) * power.compute_w +
         communication_share * power.communicate_w - power.idle_w;
}

bool Room::CopIsSensibleAt(double supply_c) const {
  const double slope = 2 * description_.cop[0] * supply_c + description_.cop[1];
  return CopAt(supply_c) > 0 && slope > 0;
}

double Room::CoolingWatts(double it_w, double supply_c) const {
  const double cop = CopAt(supply_c);
  return cop > 0 ? it_w / cop : std::numeric_limits<double>::infinity();
}

}  // namespace coolspan
