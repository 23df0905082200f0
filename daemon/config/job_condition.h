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

// The properties of a job that rules match on.
struct JobTraits {
  std::string partition;
  std::string qos;
  std::string comment;
  NodeCount nodes = 1;
};

// The jobs a rule applies to: those that satisfy every part.
struct JobCondition {
  static constexpr NodeCount kNoLimit = std::numeric_limits<NodeCount>::max();

  std::vector<std::string> partitions;  // empty: any
  std::vector<std::string> qos;         // empty: any
  NodeCount min_nodes = 1;
  NodeCount max_nodes = kNoLimit;
  // A shell pattern (glob(7)) for the whole comment; unset: any.
  std::optional<std::string> comment;

  bool Holds(const JobTraits& job) const;
  bool HoldsForAll() const;
  // "partition gpu or debug, 64 to 512 nodes"
  std::string Describe() const;
};

// Parses "64-512", "64-", "-512" or "64" into min_nodes and max_nodes; false if
// the text is none of these.
bool ParseNodeRange(std::string_view text, JobCondition& condition);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_JOB_CONDITION_H_
