// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/user_slots.h"

#include <fmt/format.h>
#include <grpcpp/security/server_credentials.h>

namespace coolspan {

UserSlots::UserSlots(grpc::ServerBuilder& managers, grpc::ServerBuilder& others,
                     const AccessRules& rules, double calls_per_s,
                     const AccessRecords& records)
    : rules_(rules),
      calls_per_s_(calls_per_s),
      managers_(MakeEntries(kMaxManagers, managers, records)),
      others_(MakeEntries(kMaxOthers, others, records)) {}

UserSlots::Entries UserSlots::MakeEntries(std::size_t count,
                                          grpc::ServerBuilder& builder,
                                          const AccessRecords& records) const {
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  const auto nobody =
      std::make_shared<Peer>("user unknown", RoleSet(), calls_per_s_);
  Entries entries(count);
  for (Entry& entry : entries) {
    entry.current = std::make_shared<CurrentPeer>();
    entry.current->Set(nobody);
    auto credentials = grpc::experimental::LocalServerCredentials(UDS);
    credentials->SetAuthMetadataProcessor(std::make_shared<CallGuard>(
        [current = entry.current](const grpc::AuthContext&) {
          return current->Get();
        },
        records));
    entry.acceptor = builder.experimental().AddExternalConnectionAcceptor(
        Type::FROM_FD, std::move(credentials));
  }
  return entries;
}

UserSlots::Slot UserSlots::SlotOf(uid_t user, std::span<const gid_t> groups,
                                  ConnectionTable& connections) {
  const RoleSet roles = rules_.OfUser(user, groups);
  constexpr unsigned kRoleBits = 8;
  const ConnectionTable::Owner owner =
      (ConnectionTable::Owner{user} << kRoleBits) | roles.number();
  // What operators do must not wait for others.
  const bool is_apart =
      roles.Has(Role::kResourceManager) || roles.Has(Role::kOperator);
  Entries& entries = is_apart ? managers_ : others_;
  Entry* const entry = Find(entries, owner, connections);
  if (entry != nullptr && entry->owner == owner) {
    return {entry->current->Get(), owner, entry->acceptor.get()};
  }
  auto peer = std::make_shared<Peer>(
      fmt::format("user {}", rules_.NameOf(user)), roles, calls_per_s_);
  if (entry == nullptr) return {std::move(peer), owner, nullptr};
  entry->owner = owner;
  entry->current->Set(peer);
  return {std::move(peer), owner, entry->acceptor.get()};
}

UserSlots::Entry* UserSlots::Find(Entries& entries,
                                  ConnectionTable::Owner owner,
                                  ConnectionTable& connections) {
  for (Entry& entry : entries) {
    if (entry.owner == owner) return &entry;
  }
  connections.Sweep();
  for (Entry& entry : entries) {
    if (!entry.owner.has_value() || connections.CountOf(*entry.owner) == 0)
      return &entry;
  }
  return nullptr;
}

}  // namespace coolspan
