// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_STATE_FILES_H_
#define COOLSPAN_SERVICE_STATE_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/daemon_file.h"
#include "etcd/etcd_client.h"
#include "state/decision_archive.h"
#include "state/ledger_store.h"

namespace coolspan {

// The stores of a daemon, open, and what the ledger has.
struct StateFiles {
  std::unique_ptr<DecisionArchive> archive;
  std::unique_ptr<EtcdClient> etcd;  // nullptr: the ledger is in SQLite
  std::unique_ptr<LedgerStore> ledger;
  std::uint64_t term = 0;  // begun; 0 with etcd
  std::vector<StoredCluster> clusters;
  // What an administrator should know: files that were set aside, changes that
  // are missing.
  std::vector<std::string> warnings;
};

// Opens the files that the daemon file names, or creates them. A corrupt one is
// set aside (state/set_aside.h) and replaced by an empty one: the history is
// lost, the clusters send all their jobs in their next Sync. etcd need not
// answer; its clusters are read after elections.
// Errors, the files unchanged: INVALID_ARGUMENT (not a file of Coolspan, or of
// a later version), FAILED_PRECONDITION (in use), UNAVAILABLE (permissions,
// space).
absl::StatusOr<StateFiles> OpenStateFiles(const DaemonFile& file);

// Sets the ledger's file aside, for contents that cannot be restored; returns
// the warning. why: the error. REQUIRES that the stores are closed.
absl::StatusOr<std::string> SetLedgerAside(const DaemonFile& file,
                                           const absl::Status& why);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_STATE_FILES_H_
