// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_METHOD_ROLES_H_
#define COOLSPAN_SERVICE_RPC_METHOD_ROLES_H_

#include <string_view>

#include "config/role.h"

namespace coolspan {

struct MethodRole {
  std::string_view path;  // of a call: "/coolspan.v1.Allocator/Sync"
  Role role;              // needed for it
};

// All methods of the services.
inline constexpr MethodRole kMethodRoles[] = {
    {"/coolspan.v1.Allocator/Sync", Role::kResourceManager},
    {"/coolspan.v1.Allocator/Allocate", Role::kResourceManager},
    {"/coolspan.v1.Allocator/Commit", Role::kResourceManager},
    {"/coolspan.v1.Allocator/Release", Role::kResourceManager},
    {"/coolspan.v1.Allocator/Resize", Role::kResourceManager},
    {"/coolspan.v1.Allocator/Suspend", Role::kResourceManager},
    {"/coolspan.v1.Allocator/KeepAlive", Role::kResourceManager},
    {"/coolspan.v1.Allocator/SetMode", Role::kOperator},
    {"/coolspan.v1.Allocator/Reload", Role::kOperator},
    {"/coolspan.v1.Allocator/Drain", Role::kOperator},
    {"/coolspan.v1.Allocator/RemoveCluster", Role::kOperator},
    {"/coolspan.v1.Allocator/Preview", Role::kReader},
    {"/coolspan.v1.Allocator/Map", Role::kReader},
    {"/coolspan.v1.Allocator/Explain", Role::kReader},
    {"/coolspan.v1.Allocator/Status", Role::kReader},
    {"/coolspan.v1.Allocator/Jobs", Role::kReader},
    {"/coolspan.v1.Allocator/History", Role::kReader},
    {"/coolspan.v1.Allocator/Watch", Role::kReader},
    {"/coolspan.v1.Allocator/Session", Role::kReader},
    {"/coolspan.v1.Telemetry/Report", Role::kSensor},
};

// nullptr: not a method of the services.
constexpr const MethodRole* FindMethodRole(std::string_view path) {
  for (const MethodRole& method : kMethodRoles) {
    if (method.path == path) return &method;
  }
  return nullptr;
}

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_METHOD_ROLES_H_
