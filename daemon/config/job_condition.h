// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_JOB_CONDITION_H_
#define COOLSPAN_CONFIG_JOB_CONDITION_H_

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace coolspan {

// What rules tell jobs apart by.
struct JobTraits {
  std::string partition;
  std::string qos;
  std::string comment;
  NodeCount nodes = 1;
};

// Which jobs a rule is for: those that every part of it holds for.
struct JobCondition {
  static constexpr NodeCount kNoLimit = std::numeric_limits<NodeCount>::max();

  std::vector<std::string> partitions;  // the job's is one of them; empty: any
  std::vector<std::string> qos;         // the same
  NodeCount min_nodes = 1;
  NodeCount max_nodes = kNoLimit;
  // A pattern of shells (glob(7)) for the whole comment.
  std::optional<std::string> comment;

  bool Holds(const JobTraits& job) const;
  bool HoldsForAll() const;
  // "partition gpu or debug, 64 to 512 nodes"
  std::string Describe() const;
};

// "64-512", "64-", "-512" or "64"; false: none of these.
bool ParseNodeRange(std::string_view text, JobCondition& condition);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_JOB_CONDITION_H_
