// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_CONNECTION_TABLE_H_
#define COOLSPAN_SERVICE_RPC_CONNECTION_TABLE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>

namespace coolspan {

// Counts the open connections of each owner. gRPC closes connections without
// telling, so the table looks whether a descriptor is still that socket. Not
// thread-safe.
class ConnectionTable {
 public:
  using Owner = std::uint64_t;

  struct Limits {
    std::size_t all = 0;
    std::size_t reserved = 0;  // of all, for those without a limit of their own
    std::size_t per_owner = 0;
  };
  explicit ConnectionTable(Limits limits) : limits_(limits) {}

  enum class Verdict { kAccepted, kTooMany, kTooManyOfOwner };
  // Adds an open socket. is_limited: it counts for the limit of its owner, and
  // leaves the reserved ones to others. It stays open and unknown unless
  // accepted.
  Verdict Add(int descriptor, Owner owner, bool is_limited);
  // Removes those that are closed.
  void Sweep();
  std::size_t size() const { return connections_.size(); }
  std::size_t CountOf(Owner owner) const;

 private:
  struct Connection {
    ino_t socket = 0;
    Owner owner = 0;
  };

  Verdict Judge(Owner owner, bool is_limited) const;
  void Remove(std::map<int, Connection>::iterator connection);

  const Limits limits_;
  std::map<int, Connection> connections_;  // by descriptor
  std::map<Owner, std::size_t> counts_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_CONNECTION_TABLE_H_
