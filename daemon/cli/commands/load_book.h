// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_LOAD_BOOK_H_
#define COOLSPAN_CLI_COMMANDS_LOAD_BOOK_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace coolspan {

// Who holds what according to the answers of the daemon, kept by the client of
// a load test and compared with what the daemon says. Each job takes one unit
// of each of its nodes. Not thread-safe.
class LoadBook {
 public:
  // units: of each node; 1 if jobs take whole nodes.
  LoadBook(NodeCount nodes, std::uint32_t units)
      : units_(units), taken_(nodes) {}

  // Records the nodes of an answer, which replaces an earlier one to the job.
  // False if a node has no unit left: the job gets its nodes all the same.
  bool Take(std::uint32_t job_id, std::vector<NodeId> nodes);
  // No effect if the job holds nothing. Call it before the release is sent: the
  // daemon may give the nodes away before its reply arrives.
  void Give(std::uint32_t job_id);

  // Number of units.
  std::uint64_t busy() const { return busy_; }
  std::uint64_t total() const { return std::uint64_t{units_} * taken_.size(); }
  // Nodes by job, ascending.
  const std::map<std::uint32_t, std::vector<NodeId>>& jobs() const {
    return jobs_;
  }

 private:
  const std::uint32_t units_;
  std::vector<std::uint32_t> taken_;  // units of each node
  std::map<std::uint32_t, std::vector<NodeId>> jobs_;
  std::uint64_t busy_ = 0;
};

// The nodes of a bitmap of the service, ascending.
std::vector<NodeId> NodesOfBitmap(std::string_view bitmap);

// A reason with N for each number, so that reasons can be counted.
std::string WithoutNumbers(std::string_view reason);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_BOOK_H_
