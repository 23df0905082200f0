// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/connection_table.h"

#include <sys/stat.h>

namespace coolspan {
namespace {

// The number of the socket; 0: the descriptor is not open, or no socket.
ino_t SocketNumber(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode)) return 0;
  return status.st_ino;
}

}  // namespace

ConnectionTable::Verdict ConnectionTable::Judge(Owner owner,
                                                bool is_limited) const {
  const std::size_t all =
      limits_.all - (is_limited ? limits_.reserved : std::size_t{0});
  if (size() >= all) return Verdict::kTooMany;
  if (is_limited && CountOf(owner) >= limits_.per_owner)
    return Verdict::kTooManyOfOwner;
  return Verdict::kAccepted;
}

ConnectionTable::Verdict ConnectionTable::Add(int descriptor, Owner owner,
                                              bool is_limited) {
  // A closed connection's descriptor is used again.
  const auto previous = connections_.find(descriptor);
  if (previous != connections_.end()) Remove(previous);
  Verdict verdict = Judge(owner, is_limited);
  if (verdict != Verdict::kAccepted) {
    Sweep();
    verdict = Judge(owner, is_limited);
  }
  if (verdict != Verdict::kAccepted) return verdict;
  connections_[descriptor] = {SocketNumber(descriptor), owner};
  ++counts_[owner];
  return verdict;
}

void ConnectionTable::Sweep() {
  for (auto connection = connections_.begin();
       connection != connections_.end();) {
    const auto next = std::next(connection);
    if (SocketNumber(connection->first) != connection->second.socket)
      Remove(connection);
    connection = next;
  }
}

std::size_t ConnectionTable::CountOf(Owner owner) const {
  const auto found = counts_.find(owner);
  return found == counts_.end() ? 0 : found->second;
}

void ConnectionTable::Remove(std::map<int, Connection>::iterator connection) {
  const auto count = counts_.find(connection->second.owner);
  if (--count->second == 0) counts_.erase(count);
  connections_.erase(connection);
}

}  // namespace coolspan
