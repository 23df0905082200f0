// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/state_files.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "etcd/etcd_ledger.h"
#include "state/set_aside.h"
#include "state/sqlite_archive.h"
#include "state/sqlite_ledger.h"

namespace coolspan {
namespace {

constexpr std::string_view kLedgerOption = "state.sqlite";
constexpr std::string_view kArchiveOption = "state.archive";

// Opens a file; if it is corrupt, sets it aside and opens a new one.
template <typename Open>
auto OpenOrReplace(const std::string& path, std::string_view option,
                   std::string_view lost, const Open& open,
                   std::vector<std::string>& warnings) -> decltype(open()) {
  auto opened = open();
  if (!absl::IsDataLoss(opened.status())) return opened;
  const auto name = SetAside(path, option);
  if (!name.ok()) return name.status();
  warnings.push_back(fmt::format("{}; it was renamed to {}; {}",
                                 std::string(opened.status().message()), *name,
                                 lost));
  return open();
}

constexpr std::string_view kLedgerLost =
    "the ledger starts empty, and each cluster is served again after its next "
    "sync";
constexpr std::string_view kArchiveLost = "the history starts empty";

struct OpenLedger {
  std::unique_ptr<LedgerStore> store;
  std::uint64_t term = 0;
  std::vector<StoredCluster> clusters;
};

absl::StatusOr<OpenLedger> OpenLedgerOf(const DaemonFile& file) {
  OpenLedger open;
  auto store = OpenSqliteLedger(file.sqlite.value, file.archive.value);
  if (!store.ok()) return store.status();
  open.store = *std::move(store);
  auto term = open.store->BeginTerm();
  if (!term.ok()) return term.status();
  open.term = *term;
  auto clusters = open.store->Load();
  if (!clusters.ok()) return clusters.status();
  open.clusters = *std::move(clusters);
  return open;
}

}  // namespace

absl::StatusOr<StateFiles> OpenStateFiles(const DaemonFile& file) {
  StateFiles files;
  auto archive = OpenOrReplace(
      file.archive.value, kArchiveOption, kArchiveLost,
      [&file] {
        constexpr int kBytesPerMbExponent = 20;
        return OpenSqliteArchive(file.archive.value,
                                 static_cast<std::uint64_t>(file.archive_max_mb)
                                     << kBytesPerMbExponent);
      },
      files.warnings);
  if (!archive.ok()) return archive.status();
  files.archive = *std::move(archive);
  if (file.etcd.is_used()) {
    files.etcd = std::make_unique<EtcdClient>(EtcdAddress{
        file.etcd.endpoints.value,
        {file.etcd.cert.value, file.etcd.key.value, file.etcd.ca.value}});
    files.ledger = MakeEtcdLedger(*files.etcd, EtcdKeys(file.etcd.prefix.value),
                                  file.etcd.advertise.value);
    return files;
  }
  auto ledger = OpenOrReplace(
      file.sqlite.value, kLedgerOption, kLedgerLost,
      [&file] { return OpenLedgerOf(file); }, files.warnings);
  if (!ledger.ok()) return ledger.status();
  files.ledger = std::move(ledger->store);
  files.term = ledger->term;
  files.clusters = std::move(ledger->clusters);
  if (std::string missing = files.ledger->MissingChanges(); !missing.empty()) {
    files.warnings.push_back(
        missing + "; no decisions for a cluster before its next sync");
  }
  return files;
}

absl::StatusOr<std::string> SetLedgerAside(const DaemonFile& file,
                                           const absl::Status& why) {
  const auto name = SetAside(file.sqlite.value, kLedgerOption);
  if (!name.ok()) return name.status();
  return fmt::format(
      "{}: the state file is corrupt ({}); it was renamed to "
      "{}; {}",
      file.sqlite.value, std::string(why.message()), *name, kLedgerLost);
}

}  // namespace coolspan
