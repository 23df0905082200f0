// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_RECORDS_H_
#define COOLSPAN_SERVICE_JOURNAL_RECORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/ledger.h"
#include "core/machine.h"
#include "core/recent_starts.h"
#include "service/journal/cluster_event.h"
#include "state/decision_archive.h"
#include "state/ledger_store.h"

namespace coolspan {

// Converts events of live clusters to messages and stored records.

// "tentative", "committed", "suspended" or "disputed".
const char* StateOf(const Holding& holding);
v1::JobRecord MakeJobRecord(const Machine& machine, const Holding& holding);

// outcome: "tentative" or "not placed". As MakeHappening and MakeArchiveChange,
// REQUIRES a decision that the journal has completed.
v1::DecisionRecord MakeDecisionRecord(const std::string& cluster,
                                      const Decided& decided);
v1::DecisionRecord FromStored(const std::string& cluster,
                              const StoredDecision& decision);
// reason_class is not stored.
v1::StartRecord FromStored(const std::string& cluster,
                           const StoredStart& start);

StoredHolding ToStored(const Machine& machine, const Holding& holding);
// Omits names that are no longer in the machine; nullopt: no node is left.
// Error: DATA_LOSS (inconsistent nodes and units).
absl::StatusOr<std::optional<Holding>> FromStored(const Machine& machine,
                                                  const StoredHolding& stored);
// The names that FromStored omits. REQUIRES a holding that it accepts.
std::vector<std::string> UnknownNodesOf(const Machine& machine,
                                        const StoredHolding& stored);
// nullopt: none of its nodes is in the machine.
std::optional<RecentStart> RecentStartOf(const Machine& machine,
                                         const StoredStart& start);

v1::Happening MakeHappening(const Machine& machine,
                            const ClusterEvent& cluster_event);
LedgerEvent LedgerPartOf(const ClusterEvent& cluster_event);
LedgerChange MakeLedgerChange(const Machine& machine, const LedgerEvent& event);
ArchiveChange MakeArchiveChange(const Machine& machine,
                                const ClusterEvent& cluster_event,
                                TimeMs recorded_ms);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_RECORDS_H_
