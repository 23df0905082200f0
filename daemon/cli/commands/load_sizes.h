// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_LOAD_SIZES_H_
#define COOLSPAN_CLI_COMMANDS_LOAD_SIZES_H_

#include <random>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/types.h"

namespace coolspan {

// The job sizes of a load test.
class LoadSizes {
 public:
  // "K", "A-B" (uniform) or "log:A-B" (uniform in the logarithm: mostly small,
  // as in workload logs). Error: INVALID_ARGUMENT (also for sizes over max).
  static absl::StatusOr<LoadSizes> Parse(std::string_view text, NodeCount max);
  // log:1-32, less on machines that hold fewer than four such jobs.
  static LoadSizes Default(NodeCount free_nodes);

  NodeCount Draw(std::mt19937_64& random) const;
  std::string text() const;

 private:
  LoadSizes(NodeCount min, NodeCount max, bool is_log)
      : min_(min), max_(max), is_log_(is_log) {}

  NodeCount min_;
  NodeCount max_;
  bool is_log_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_SIZES_H_
