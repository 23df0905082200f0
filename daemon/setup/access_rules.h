// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_ACCESS_RULES_H_
#define COOLSPAN_SETUP_ACCESS_RULES_H_

#include <sys/types.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "config/daemon_file.h"
#include "config/role.h"

namespace coolspan {

// The section access of a daemon file with the numbers of its users and groups.
// root and the user of this process have every role; a resource manager is also
// a reader and a sensor, an operator also a reader. Thread-safe when const.
class AccessRules {
 public:
  // groups: all groups of a process of the user.
  RoleSet OfUser(uid_t user, std::span<const gid_t> groups) const;
  // "alice", or "1005" for users that the file does not name: looking up names
  // may take seconds.
  std::string NameOf(uid_t user) const;
  // names: the subject's common name and the subject alternative names.
  RoleSet OfCertificate(std::span<const std::string> names) const;
  // Of the Unix sockets; nullopt: that of the process.
  std::optional<gid_t> socket_group() const { return socket_group_; }

 private:
  friend absl::StatusOr<AccessRules> MakeAccessRules(const DaemonFile& file,
                                                     const std::string& path);
  absl::Status Add(Role role, const std::string& client);

  uid_t owner_ = geteuid();
  RoleSet everyone_;
  std::map<uid_t, RoleSet> users_;
  std::map<uid_t, std::string> names_ = {{0, "root"}};
  std::map<gid_t, RoleSet> groups_;
  std::map<std::string, RoleSet, std::less<>> certificates_;
  std::optional<gid_t> socket_group_;
};

// Looks up the users and groups. path: of the daemon file, for errors. Error:
// INVALID_ARGUMENT, "file:line:column: ..." (a user or group does not exist).
absl::StatusOr<AccessRules> MakeAccessRules(const DaemonFile& file,
                                            const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_ACCESS_RULES_H_
