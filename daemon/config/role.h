// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_ROLE_H_
#define COOLSPAN_CONFIG_ROLE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace coolspan {

// What a client of the daemon may do.
enum class Role : std::uint8_t {
  kResourceManager,  // allocates, reports starts and ends of jobs, syncs
  kOperator,         // changes how the daemon works
  kReader,           // asks what it does, and what it would do
  kSensor,           // reports temperatures and power
};

inline constexpr Role kAllRoles[] = {Role::kResourceManager, Role::kOperator,
                                     Role::kReader, Role::kSensor};

// As in the daemon file: "resource_manager".
constexpr std::string_view TextOf(Role role) {
  switch (role) {
    case Role::kResourceManager:
      return "resource_manager";
    case Role::kOperator:
      return "operator";
    case Role::kReader:
      return "reader";
    case Role::kSensor:
      return "sensor";
  }
  return "";
}

class RoleSet {
 public:
  constexpr RoleSet() = default;
  static constexpr RoleSet All() {
    RoleSet all;
    for (const Role role : kAllRoles) all.Add(role);
    return all;
  }

  constexpr void Add(Role role) { bits_ |= BitOf(role); }
  constexpr void Add(RoleSet roles) { bits_ |= roles.bits_; }
  constexpr bool Has(Role role) const { return (bits_ & BitOf(role)) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  // Different for different sets, below 256.
  constexpr std::uint8_t number() const { return bits_; }
  friend constexpr bool operator==(RoleSet, RoleSet) = default;

  // "operator, reader"; "none".
  std::string Text() const {
    std::string text;
    for (const Role role : kAllRoles) {
      if (!Has(role)) continue;
      if (!text.empty()) text += ", ";
      text += TextOf(role);
    }
    return text.empty() ? "none" : text;
  }

 private:
  static constexpr std::uint8_t BitOf(Role role) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(role));
  }

  std::uint8_t bits_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_ROLE_H_
