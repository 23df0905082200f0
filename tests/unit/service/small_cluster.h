// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_SMALL_CLUSTER_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_SMALL_CLUSTER_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "config/daemon_file.h"
#include "config/machine/machine_file.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "setup/daemon_rules.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Calls about a cluster of eight nodes n[1-8] in a row, four units each.

inline std::shared_ptr<const Machine> SmallMachine() {
  return *ParseMachineFile(
      "name: small\ntopology: {kind: mesh, dims: [8]}\nnodes: \"n[1-8]\"\n",
      "small.yaml");
}

// First-fit on row-major; where it listens and what it keeps is in folder.
// more: lines of the daemon file from line 7 on.
inline DaemonSetup SmallSetup(const std::string& folder,
                              const std::string& more = "") {
  DaemonSetup setup;
  setup.file = *ParseDaemonFile(
      "machine: m.yaml\npolicy: first-fit\n"
      "listen: unix:///s.sock\ndeadline_ms: 50\n"
      "state: {sqlite: state.db}\n"
      "log: {file: log.txt}\n" +
          more,
      folder + "/d.yaml");
  setup.file.listen.value = {"unix://" + folder + "/s.sock"};
  setup.machine = SmallMachine();
  setup.ordering = *MakeOrdering(*setup.machine, "row-major");
  setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
  EXPECT_TRUE(MakeRules(setup, "d.yaml").ok());
  setup.access = *MakeAccessRules(setup.file, "d.yaml");
  return setup;
}

// The bitmap of nodes "n1", "n2", ... given by number.
inline std::string Bitmap(const std::vector<int>& numbers) {
  unsigned char byte = 0;
  for (const int number : numbers) {
    byte = static_cast<unsigned char>(byte | 1U << (number - 1));
  }
  return std::string(1, static_cast<char>(byte));
}

inline v1::Holding WholeHolding(std::uint32_t job_id,
                                const std::vector<int>& numbers) {
  v1::Holding holding;
  holding.mutable_job()->set_job_id(job_id);
  holding.set_nodes(Bitmap(numbers));
  holding.set_whole(true);
  return holding;
}

inline v1::SyncRequest SmallSync(
    const std::vector<v1::Holding>& holdings = {}) {
  v1::SyncRequest request;
  request.set_cluster("c");
  request.set_now_ms(1000);
  request.add_hostlist("n[1-8]");
  v1::UnitsRun& run = *request.add_capacity();
  run.set_nodes(8);
  run.set_units(4);
  for (const v1::Holding& holding : holdings) {
    *request.add_holdings() = holding;
  }
  request.set_client_id("q");
  return request;
}

inline v1::AllocateRequest AskFor(const std::string& epoch,
                                  std::uint32_t job_id, std::uint32_t nodes,
                                  std::uint64_t attempt = 1,
                                  std::int64_t now_ms = 1000) {
  v1::AllocateRequest request;
  request.set_cluster("c");
  request.set_epoch(epoch);
  request.mutable_job()->set_job_id(job_id);
  request.set_attempt(attempt);
  request.set_now_ms(now_ms);
  request.set_min_nodes(nodes);
  request.set_whole(true);
  request.set_client_id("q");
  return request;
}

inline v1::Event EventOf(const std::string& epoch, std::uint64_t sequence,
                         std::uint32_t job_id, std::int64_t now_ms = 1000) {
  v1::Event event;
  event.set_cluster("c");
  event.set_epoch(epoch);
  event.set_client_id("q");
  event.set_sequence(sequence);
  event.set_now_ms(now_ms);
  event.mutable_job()->set_job_id(job_id);
  return event;
}

inline v1::Event CommitOf(const std::string& epoch, std::uint64_t sequence,
                          std::uint32_t job_id, const std::vector<int>& nodes,
                          std::int64_t now_ms = 1000) {
  v1::Event event = EventOf(epoch, sequence, job_id, now_ms);
  *event.mutable_holding() = WholeHolding(job_id, nodes);
  return event;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_SMALL_CLUSTER_H_
