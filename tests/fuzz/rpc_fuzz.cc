// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as calls of all services: every call gives an answer or an
// error message, and leaves a consistent ledger. A call is one byte that
// selects it, one with the length of its message, and the message. A bit of the
// first byte sets the valid epoch, which random bytes would not hit.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/machine/machine_file.h"
#include "fuzz/expect.h"
#include "ordering/ordering.h"
#include "policy/table.h"
#include "room_machine.h"
#include "service/clusters/live_clusters.h"
#include "service/clusters/policy_cache.h"
#include "service/clusters/virtual_cluster.h"
#include "service/monitor/reports.h"
#include "service/monitor/thermal_monitor.h"
#include "unit/service/fake_stores.h"

namespace coolspan {
namespace {

void ExpectMessage(const absl::Status& status) {
  Expect(status.ok() || !status.message().empty());
}

DaemonSetup MakeSetup() {
  DaemonSetup setup;
  setup.file.policy.value = "best-fit";
  setup.machine = *ParseMachineFile(
      "name: m\ntopology: {kind: mesh, dims: [4, 5]}\nnodes: \"n[1-20]\"\n",
      "m.yaml");
  setup.ordering = *MakeOrdering(*setup.machine, "");
  setup.machine =
      InRoom(*setup.machine, RoomDescription(20, 10, RandomHeat(10, 1e-3, 1)));
  setup.policy = *MakePolicy("best-fit", setup.machine, {setup.ordering});
  return setup;
}

// A daemon without sockets, for one input.
class Target {
 public:
  explicit Target(const DaemonSetup& setup)
      : machine_(setup.machine),
        log_(*EventLog::Open({"error", "/dev/null", "json"})),
        journal_(
            setup.machine, Stores{ledger_store_, 1, archive_}, *log_, watchers_,
            [] { return 0; }, 0),
        policies_(setup),
        rules_(setup),
        clusters_({setup.machine, &rules_, &journal_, &times_}),
        room_(setup, clusters_, *log_, [this] { return now_ms_; }),
        reports_(setup, clusters_, &room_, archive_, journal_, times_, {"", 0}),
        session_(setup.machine, policies_) {
    v1::SyncRequest sync;
    sync.set_cluster("c");
    sync.set_client_id("q");
    sync.add_hostlist("x1,n[1-12],x2,n[13-20]");
    epoch_ = clusters_.Sync(sync)->epoch();
    v1::SessionRequest first;
    *first.mutable_sync() = sync;
    first.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
    Expect(session_.Answer(first)->has_sync());
  }

  void Call(std::uint8_t choice, std::string_view message) {
    const bool valid_epoch = (choice & 0x80) != 0;
    const Pause pause = [] { return absl::OkStatus(); };
    const std::chrono::milliseconds limit(5);
    const TimeLimits limits{std::chrono::steady_clock::now() + limit, limit};
    switch (choice & 0x0f) {
      case 0:
        ExpectMessage(clusters_.Sync(Parse<v1::SyncRequest>(message)).status());
        break;
      case 1: {
        auto request = Parse<v1::AllocateRequest>(message);
        if (valid_epoch) request.set_epoch(epoch_);
        const auto cluster = clusters_.Find("c");
        ExpectMessage((*cluster)->Allocate(request, limits).status());
        break;
      }
      case 2:
      case 3:
      case 4:
      case 5: {
        auto event = Parse<v1::Event>(message);
        if (valid_epoch) {
          event.set_epoch(epoch_);
          event.set_client_id("q");
          event.set_sequence(++sequence_);
        }
        const auto kind = static_cast<EventKind>((choice & 0x0f) - 2);
        const auto reply = (*clusters_.Find("c"))->Apply(kind, event);
        if (valid_epoch && !reply.ok()) --sequence_;
        ExpectMessage(reply.status());
        break;
      }
      case 6: {
        auto request = Parse<v1::PreviewRequest>(message);
        if (valid_epoch) request.mutable_request()->set_epoch(epoch_);
        const auto ordering = policies_.OrderingOf(request.ordering());
        ExpectMessage(ordering.status());
        if (!ordering.ok()) break;
        const auto policy =
            policies_.Make(request.policy(), machine_, *ordering, "");
        ExpectMessage(policy.status());
        if (!policy.ok()) break;
        ExpectMessage((*clusters_.Find("c"))
                          ->Preview(request.request(), **policy, limits)
                          .status());
        break;
      }
      case 7:
        ExpectMessage(
            reports_.Explain(Parse<v1::ExplainRequest>(message), pause)
                .status());
        break;
      case 8:
        Expect(reports_.Status(0).clusters_size() >= 1);
        break;
      case 9:
        ExpectMessage(
            reports_.Jobs(Parse<v1::JobsRequest>(message), pause).status());
        break;
      case 10: {
        const auto watcher =
            watchers_.Add(Parse<v1::WatchRequest>(message).cluster());
        if (watcher.ok()) watchers_.Remove(*watcher);
        break;
      }
      case 11: {
        v1::ReportReply reply;
        now_ms_ += choice;
        room_.Take(Parse<v1::Readings>(message), reply);
        room_.Tick();
        break;
      }
      case 12: {
        const auto request = Parse<v1::SetModeRequest>(message);
        const auto cluster = clusters_.FindNamed(request.cluster());
        ExpectMessage(cluster.status());
        if (!cluster.ok()) break;
        ExpectMessage(
            (*cluster)->SetMode(ParsePlacementMode(request.mode())).status());
        break;
      }
      case 13: {
        auto request = Parse<v1::KeepAliveRequest>(message);
        if (valid_epoch) request.set_epoch(epoch_);
        ExpectMessage((*clusters_.Find("c"))->KeepAlive(request).status());
        break;
      }
      default:
        session_.Answer(
            Patched(Parse<v1::SessionRequest>(message), valid_epoch));
    }
    CheckLedger();
  }

 private:
  template <typename Message>
  static Message Parse(std::string_view bytes) {
    Message message;
    message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
    return message;
  }

  v1::SessionRequest Patched(v1::SessionRequest request,
                             bool valid_epoch) const {
    if (!valid_epoch) return request;
    if (request.has_allocate()) request.mutable_allocate()->set_epoch(epoch_);
    if (request.has_commit()) request.mutable_commit()->set_epoch(epoch_);
    if (request.has_release()) request.mutable_release()->set_epoch(epoch_);
    if (request.has_resize()) request.mutable_resize()->set_epoch(epoch_);
    if (request.has_suspend()) request.mutable_suspend()->set_epoch(epoch_);
    return request;
  }

  // A node with a whole holding has no other holding.
  void CheckLedger() const {
    for (const auto& cluster : clusters_.All()) {
      std::map<NodeId, bool> whole_by_node;
      for (const auto& holding : cluster->Holdings()) {
        if (holding->suspended) continue;
        for (const NodeId node : holding->nodes) {
          const auto [other, is_first] =
              whole_by_node.emplace(node, holding->whole);
          Expect(is_first || (!other->second && !holding->whole));
        }
      }
    }
  }

  const std::shared_ptr<const Machine> machine_;
  FakeLedgerStore ledger_store_;
  FakeArchive archive_;
  std::unique_ptr<EventLog> log_;
  WatchHub watchers_;
  DecisionTimes times_;
  Journal journal_;
  PolicyCache policies_;
  PolicyRules rules_;
  LiveClusters clusters_;
  TimeMs now_ms_ = 1;
  ThermalMonitor room_;
  Reports reports_;
  VirtualCluster session_;
  std::string epoch_;
  std::uint64_t sequence_ = 0;
};

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const coolspan::DaemonSetup setup = coolspan::MakeSetup();
  coolspan::Target target(setup);
  std::size_t at = 0;
  for (int calls = 0; calls < 32 && at + 2 <= size; ++calls) {
    const std::size_t length =
        std::min<std::size_t>(data[at + 1], size - at - 2);
    target.Call(data[at],
                {reinterpret_cast<const char*>(data) + at + 2, length});
    at += 2 + length;
  }
  return 0;
}
