// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_DAEMON_SETUP_H_
#define COOLSPAN_SETUP_DAEMON_SETUP_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/daemon_file.h"
#include "config/job_condition.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "policy/table.h"
#include "setup/access_rules.h"

namespace coolspan {

// A rule of the daemon file with its policy and ordering.
struct DaemonRule {
  std::string label;  // "rule 2 \"gpu\", line 14"
  JobCondition jobs;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
  PlacementMode mode = PlacementMode::kEnforce;  // at most
};

// A daemon file with the objects it names.
struct DaemonSetup {
  DaemonFile file;
  std::string path = {};          // of the daemon file
  std::string machine_text = {};  // of the machine file
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
  std::vector<std::string> warnings;         // as LoadMachineFile
  std::vector<std::string> room_notes = {};  // RoomRemarks::notes
  std::vector<DaemonRule> rules;             // in file order
  // Those that the comment of a job may name, by spec.
  std::map<std::string, std::shared_ptr<const Policy>, std::less<>>
      comment_policies = {};
  // Default comment policies that are too slow on this machine, by spec;
  // TryPolicies moves them here.
  std::set<std::string, std::less<>> slow_comment_policies = {};
  std::shared_ptr<const LatencyMatrix> latencies = nullptr;
  AccessRules access = {};

  // The options for making a policy with this ordering and span.
  PolicyOptions OptionsWith(std::shared_ptr<const Ordering> with_ordering,
                            SpanKind span) const {
    return {.ordering = std::move(with_ordering),
            .span = span,
            .latencies = latencies};
  }
};

// Reads a daemon file and makes the machine, orderings and policies it names.
// path: of the daemon file, for errors.
// Errors: INVALID_ARGUMENT, "file:line:column: what is wrong (expected ...)".
absl::StatusOr<DaemonSetup> LoadDaemonFile(const std::string& path);
absl::StatusOr<DaemonSetup> MakeDaemonSetup(DaemonFile file,
                                            const std::string& path);

// The daemon file of a running daemon, read again.
struct ReloadedSetup {
  DaemonSetup setup;  // with the machine of the running daemon
  std::vector<OptionDifference> changes;
};
// running: what the daemon runs with. Errors: as LoadDaemonFile;
// FAILED_PRECONDITION, in the same form: a change that needs a restart, in the
// daemon file, the machine file or a file named there.
absl::StatusOr<ReloadedSetup> ReloadDaemonFile(const DaemonSetup& running);

// One line on what is served and where, and one line per rule.
std::string Summary(const DaemonSetup& setup);
std::vector<std::string> RuleSummaries(const DaemonSetup& setup);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_DAEMON_SETUP_H_
