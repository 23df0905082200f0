// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_JOB_PATTERNS_H_
#define COOLSPAN_REPLAY_JOB_PATTERNS_H_

#include <map>
#include <memory>
#include <utility>

#include "core/comm_pattern.h"
#include "core/types.h"
#include "formats/pattern_choice.h"

namespace coolspan {

// The communication patterns of the jobs of a replay, which are made once for
// each number of nodes. Not thread-safe.
class JobPatterns {
 public:
  // choice: nullptr: of no job.
  explicit JobPatterns(std::shared_ptr<const PatternChoice> choice)
      : choice_(std::move(choice)) {}

  // nullptr: none, or it does not come out even on that many nodes, or has too
  // many ranks.
  std::shared_ptr<const CommPattern> ForJob(NodeCount nodes) {
    if (choice_ == nullptr || !choice_->Suits(nodes)) return nullptr;
    const auto [known, is_new] = by_nodes_.try_emplace(nodes);
    if (is_new) {
      auto pattern = choice_->ForRanks(nodes);
      if (pattern.ok()) known->second = *std::move(pattern);
    }
    return known->second;
  }

 private:
  std::shared_ptr<const PatternChoice> choice_;
  std::map<NodeCount, std::shared_ptr<const CommPattern>> by_nodes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_JOB_PATTERNS_H_
