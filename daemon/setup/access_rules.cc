// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/access_rules.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "formats/file_error.h"

namespace coolspan {
namespace {

// Of the entries of a user or a group, as getpwnam_r(3) needs it.
using EntryBuffer = std::array<char, 65'536>;

std::optional<std::uint32_t> NumberOf(const std::string& text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<uid_t> UserOf(const std::string& name) {
  if (const auto number = NumberOf(name)) return *number;
  passwd entry{};
  passwd* found = nullptr;
  EntryBuffer buffer;
  getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return std::nullopt;
  return found->pw_uid;
}

std::optional<gid_t> GroupOf(const std::string& name) {
  if (const auto number = NumberOf(name)) return *number;
  group entry{};
  group* found = nullptr;
  EntryBuffer buffer;
  getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

RoleSet WithImplied(RoleSet roles) {
  if (roles.Has(Role::kResourceManager)) {
    roles.Add(Role::kReader);
    roles.Add(Role::kSensor);
  }
  if (roles.Has(Role::kOperator)) roles.Add(Role::kReader);
  return roles;
}

}  // namespace

RoleSet AccessRules::OfUser(uid_t user, std::span<const gid_t> groups) const {
  if (user == 0 || user == owner_) return RoleSet::All();
  RoleSet roles = everyone_;
  const auto found = users_.find(user);
  if (found != users_.end()) roles.Add(found->second);
  for (const gid_t group : groups) {
    const auto of_group = groups_.find(group);
    if (of_group != groups_.end()) roles.Add(of_group->second);
  }
  return WithImplied(roles);
}

std::string AccessRules::NameOf(uid_t user) const {
  const auto found = names_.find(user);
  return found == names_.end() ? std::to_string(user) : found->second;
}

RoleSet AccessRules::OfCertificate(std::span<const std::string> names) const {
  RoleSet roles = everyone_;
  for (const std::string& name : names) {
    const auto found = certificates_.find(name);
    if (found != certificates_.end()) roles.Add(found->second);
  }
  return WithImplied(roles);
}

absl::Status AccessRules::Add(Role role, const std::string& client) {
  constexpr std::string_view kGroup = "group:";
  constexpr std::string_view kCert = "cert:";
  if (client == "*") {
    everyone_.Add(role);
  } else if (client.compare(0, kCert.size(), kCert) == 0) {
    certificates_[client.substr(kCert.size())].Add(role);
  } else if (client.compare(0, kGroup.size(), kGroup) == 0) {
    const auto group = GroupOf(client.substr(kGroup.size()));
    if (!group.has_value()) {
      return absl::NotFoundError(
          fmt::format("group {} does not exist on this host (expected one of "
                      "getent group)",
                      Quoted(client.substr(kGroup.size()))));
    }
    groups_[*group].Add(role);
  } else {
    const auto user = UserOf(client);
    if (!user.has_value()) {
      return absl::NotFoundError(
          fmt::format("user {} does not exist on this host (expected one of "
                      "getent passwd)",
                      Quoted(client)));
    }
    users_[*user].Add(role);
    names_.emplace(*user, client);
  }
  return absl::OkStatus();
}

absl::StatusOr<AccessRules> MakeAccessRules(const DaemonFile& file,
                                            const std::string& path) {
  AccessRules rules;
  for (const auto& [role, clients] : file.access.roles) {
    for (const std::string& client : clients.value) {
      const absl::Status status = rules.Add(role, client);
      if (status.ok()) continue;
      return ErrorAt(
          path, clients.place,
          fmt::format("access.{}: {}", TextOf(role), MessageOf(status)));
    }
  }
  if (file.access.roles.count(Role::kResourceManager) == 0) {
    // The usual SlurmUser; a host without it runs Slurm as another user.
    if (const auto slurm = UserOf("slurm")) {
      rules.users_[*slurm].Add(Role::kResourceManager);
      rules.names_.emplace(*slurm, "slurm");
    }
  }
  if (const auto& group = file.access.socket_group; !group.value.empty()) {
    rules.socket_group_ = GroupOf(group.value);
    if (!rules.socket_group_.has_value()) {
      return ErrorAt(path, group.place,
                     fmt::format("access.socket_group: group {} does not exist "
                                 "on this host (expected one of getent group)",
                                 Quoted(group.value)));
    }
  }
  return rules;
}

}  // namespace coolspan
