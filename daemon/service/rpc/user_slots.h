// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_USER_SLOTS_H_
#define COOLSPAN_SERVICE_RPC_USER_SLOTS_H_

#include <grpcpp/server_builder.h>
#include <sys/types.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "service/rpc/call_guard.h"
#include "service/rpc/connection_table.h"
#include "setup/access_rules.h"

namespace coolspan {

// Slots for the users of Unix sockets. gRPC does not tell a call's user, but
// its credentials are a matter of the slot it came in by: each user that is
// connected has a slot (several, if processes in different groups have
// different roles).
class UserSlots {
 public:
  using GrpcAcceptor = grpc::experimental::ExternalConnectionAcceptor;

  // Users that are connected at a time: resource managers and operators, and
  // others.
  static constexpr std::size_t kMaxManagers = 16;
  static constexpr std::size_t kMaxOthers = 128;

  // Adds the slots to the servers for resource managers and for others, which
  // are being built. What records must outlive them.
  UserSlots(grpc::ServerBuilder& managers, grpc::ServerBuilder& others,
            const AccessRules& rules, double calls_per_s,
            const AccessRecords& records);

  struct Slot {
    std::shared_ptr<Peer> peer;
    ConnectionTable::Owner owner;  // the user, with these roles
    GrpcAcceptor* acceptor;        // nullptr: all slots are in use
  };
  // The slot of a user. groups: all of the connecting process. connections
  // tells which slots are in use. Not thread-safe.
  Slot SlotOf(uid_t user, std::span<const gid_t> groups,
              ConnectionTable& connections);

 private:
  // The peer of a slot, shared with the guard of its calls.
  class CurrentPeer {
   public:
    void Set(std::shared_ptr<Peer> peer) {
      const std::lock_guard lock(mutex_);
      peer_ = std::move(peer);
    }
    std::shared_ptr<Peer> Get() const {
      const std::lock_guard lock(mutex_);
      return peer_;
    }

   private:
    mutable std::mutex mutex_;
    std::shared_ptr<Peer> peer_;
  };
  struct Entry {
    std::unique_ptr<GrpcAcceptor> acceptor;
    std::shared_ptr<CurrentPeer> current;
    std::optional<ConnectionTable::Owner> owner;
  };

  using Entries = std::vector<Entry>;

  Entries MakeEntries(std::size_t count, grpc::ServerBuilder& builder,
                      const AccessRecords& records) const;
  // The entry of the owner, else one that is not in use, else nullptr.
  static Entry* Find(Entries& entries, ConnectionTable::Owner owner,
                     ConnectionTable& connections);

  const AccessRules rules_;
  const double calls_per_s_;
  Entries managers_;
  Entries others_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_USER_SLOTS_H_
