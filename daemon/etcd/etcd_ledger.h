// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_ETCD_LEDGER_H_
#define COOLSPAN_ETCD_ETCD_LEDGER_H_

#include <memory>
#include <string>

#include "etcd/etcd_client.h"
#include "etcd/etcd_keys.h"
#include "state/ledger_store.h"

namespace coolspan {

// The ledger in etcd below a prefix. Each write of a cluster is a transaction
// that compares the create revision of the cluster's leader key with the term,
// and the revision of the cluster's fence: a request that etcd applies late
// changes nothing. A change that is too large for one transaction is first
// written whole, as a redo record, and then applied; a later writer and readers
// complete one that was interrupted. What was learned is the daemon's own:
// endpoint is the one that it tells the others. client must outlive the ledger.
std::unique_ptr<LedgerStore> MakeEtcdLedger(EtcdClient& client, EtcdKeys keys,
                                            std::string endpoint);

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_ETCD_LEDGER_H_
