// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/leadership.h"

#include <fmt/format.h>

#include "absl/strings/cord.h"

namespace coolspan {
namespace {

constexpr const char* kLeaderUrl = "coolspan/leader";
constexpr const char* kDrainedUrl = "coolspan/drained";

}  // namespace

absl::Status NotLeaderError(const std::string& cluster,
                            const std::string& leader, std::string_view why) {
  absl::Status status = absl::UnavailableError(fmt::format(
      "not the leader of cluster {} (leader: {}{}{})", cluster,
      leader.empty() ? "not known" : leader, why.empty() ? "" : "; ", why));
  status.SetPayload(kLeaderUrl, absl::Cord(leader));
  return status;
}

std::optional<std::string> LeaderNamedIn(const absl::Status& status) {
  const auto leader = status.GetPayload(kLeaderUrl);
  if (!leader.has_value()) return std::nullopt;
  return std::string(*leader);
}

absl::Status DrainedError(const std::string& cluster) {
  absl::Status status = NotLeaderError(cluster, "", "this daemon is drained");
  status.SetPayload(kDrainedUrl, absl::Cord());
  return status;
}

bool IsDrainedError(const absl::Status& status) {
  return status.GetPayload(kDrainedUrl).has_value();
}

}  // namespace coolspan
