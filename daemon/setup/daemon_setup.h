// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_DAEMON_SETUP_H_
#define COOLSPAN_SETUP_DAEMON_SETUP_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/daemon_file.h"
#include "config/job_condition.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "policy/table.h"

namespace coolspan {

// A rule with what it names made.
struct DaemonRule {
  std::string label;  // "rule 2 \"gpu\", line 14"
  JobCondition jobs;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
};

// What a daemon serves, made from its file.
struct DaemonSetup {
  DaemonFile file;
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
  std::vector<std::string> warnings;  // LoadMachineFile's
  std::vector<DaemonRule> rules;      // as in the file
  std::shared_ptr<const LatencyMatrix> latencies = nullptr;

  // What a policy of the daemon's is made with.
  PolicyOptions OptionsWith(std::shared_ptr<const Ordering> on,
                            SpanKind span) const {
    return {.ordering = std::move(on), .span = span, .latencies = latencies};
  }
};

// Reads the file and makes what it names: machine, orderings, policies.
absl::StatusOr<DaemonSetup> LoadDaemonFile(const std::string& path);
absl::StatusOr<DaemonSetup> MakeDaemonSetup(DaemonFile file,
                                            const std::string& path);

// What it serves and where, in one line, and one for each rule.
std::string Summary(const DaemonSetup& setup);
std::vector<std::string> RuleSummaries(const DaemonSetup& setup);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_DAEMON_SETUP_H_
