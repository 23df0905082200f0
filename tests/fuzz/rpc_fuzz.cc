// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as calls of all services: every call gives an answer or an
// error message, and leaves a consistent ledger. A call is one byte that
// selects it, one with the length of its message, and the message. A bit of the
// first byte sets the valid epoch, which random bytes would not hit.
// COOLSPAN_FUZZ_RPC: the call with which every input begins, by name.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
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
#include "service/clusters/virtual_cluster.h"
#include "service/codec/text_limits.h"
#include "service/monitor/reports.h"
#include "service/monitor/thermal_monitor.h"
#include "service/reloader.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/drain_switch.h"
#include "unit/service/clusters/answer_of.h"
#include "unit/service/fake_stores.h"

namespace coolspan {
namespace {

constexpr std::chrono::milliseconds kTimeLimit(5);

DaemonSetup MakeSetup() {
  DaemonSetup setup;
  setup.file.policy.value = "best-fit";
  setup.file.deadline_ms = kTimeLimit.count();
  setup.machine = *ParseMachineFile(
      "name: m\ntopology: {kind: mesh, dims: [4, 5]}\nnodes: \"n[1-20]\"\n",
      "m.yaml");
  setup.ordering = *MakeOrdering(*setup.machine, "");
  setup.machine =
      InRoom(*setup.machine, RoomDescription(20, 10, RandomHeat(10, 1e-3, 1)));
  setup.policy = *MakePolicy("best-fit", setup.machine, {setup.ordering});
  return setup;
}

void ExpectMessage(const absl::Status& status) {
  Expect(status.ok() || !status.message().empty());
}

class Target;

struct RpcEntry {
  std::string_view name;
  void (Target::*call)(std::string_view message, bool valid_epoch);
};

// A daemon without sockets, for one input.
class Target {
 public:
  explicit Target(const DaemonSetup& setup)
      : machine_(setup.machine),
        log_(*EventLog::Open({"error", "/dev/null", "json"})),
        journal_(
            setup.machine, Stores{ledger_store_, 1, archive_}, *log_, watchers_,
            [] { return 0; }, 0),
        config_(std::make_shared<const DecisionConfig>(setup)),
        clusters_({setup.machine, &config_, &journal_, &times_}),
        room_(setup, clusters_, *log_, [this] { return now_ms_; }),
        reloader_(setup, {.config = config_,
                          .clusters = clusters_,
                          .log = *log_,
                          .journal = journal_,
                          .monitor = &room_,
                          .wall_clock_ms = [] { return TimeMs{1}; },
                          .on_begin = nullptr,
                          .on_end = nullptr}),
        reports_(setup, config_, clusters_, &room_, archive_, journal_, times_,
                 {"", 0, &warnings_}),
        drain_(
            clusters_, *log_, [] { return TimeMs{1}; }, [] {}),
        service_({.machine = setup.machine,
                  .clusters = clusters_,
                  .config = config_,
                  .reports = reports_,
                  .turns = turns_,
                  .watchers = watchers_,
                  .reloader = reloader_,
                  .drain = drain_,
                  .max_wait = kTimeLimit}),
        session_(setup.machine, config_.Get()) {
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

  void Call(const RpcEntry& rpc, std::string_view message, bool valid_epoch) {
    (this->*rpc.call)(message, valid_epoch);
    CheckLedger();
  }

  void Sync(std::string_view message, bool) {
    Unary(&AllocatorService::Sync, Parse<v1::SyncRequest>(message));
  }
  // What the handlers of this call and of events call: they need a connection
  // for their replies.
  void Allocate(std::string_view message, bool valid_epoch) {
    auto request = Parse<v1::AllocateRequest>(message);
    if (valid_epoch) request.set_epoch(epoch_);
    if (const auto texts = CheckTexts(request); !texts.ok()) {
      return ExpectMessage(texts);
    }
    const auto cluster = clusters_.Find(request.cluster());
    if (!cluster.ok()) return ExpectMessage(cluster.status());
    const TimeLimits limits = {std::chrono::steady_clock::now() + kTimeLimit,
                               kTimeLimit};
    ExpectMessage(AnswerOf(**cluster, request, limits).status());
  }
  template <EventKind kKind>
  void Event(std::string_view message, bool valid_epoch) {
    auto event = Parse<v1::Event>(message);
    if (valid_epoch) {
      event.set_epoch(epoch_);
      event.set_client_id("q");
      event.set_sequence(sequence_ + 1);
    }
    const auto cluster = clusters_.Find(event.cluster());
    if (!cluster.ok()) return ExpectMessage(cluster.status());
    const auto reply = (*cluster)->Apply(kKind, event);
    ExpectMessage(reply.status());
    if (valid_epoch && reply.ok()) ++sequence_;
  }
  void Preview(std::string_view message, bool valid_epoch) {
    auto request = Parse<v1::PreviewRequest>(message);
    if (valid_epoch) request.mutable_request()->set_epoch(epoch_);
    Unary(&AllocatorService::Preview, request);
  }
  void Explain(std::string_view message, bool) {
    Unary(&AllocatorService::Explain, Parse<v1::ExplainRequest>(message));
  }
  void Map(std::string_view message, bool) {
    Unary(&AllocatorService::Map, Parse<v1::MapRequest>(message));
  }
  void Status(std::string_view message, bool) {
    Unary(&AllocatorService::Status, Parse<v1::StatusRequest>(message));
  }
  void Jobs(std::string_view message, bool) {
    Unary(&AllocatorService::Jobs, Parse<v1::JobsRequest>(message));
  }
  void History(std::string_view message, bool) {
    Unary(&AllocatorService::History, Parse<v1::HistoryRequest>(message));
  }
  void SetMode(std::string_view message, bool) {
    Unary(&AllocatorService::SetMode, Parse<v1::SetModeRequest>(message));
  }
  // Refused, as there is no daemon file.
  void Reload(std::string_view message, bool) {
    Unary(&AllocatorService::Reload, Parse<v1::ReloadRequest>(message));
  }
  void Drain(std::string_view message, bool) {
    Unary(&AllocatorService::Drain, Parse<v1::DrainRequest>(message));
  }
  void KeepAlive(std::string_view message, bool valid_epoch) {
    auto request = Parse<v1::KeepAliveRequest>(message);
    if (valid_epoch) request.set_epoch(epoch_);
    Unary(&AllocatorService::KeepAlive, request);
  }
  void RemoveCluster(std::string_view message, bool) {
    const auto request = Parse<v1::RemoveClusterRequest>(message);
    // The other calls are about this one.
    if (request.cluster() == "c") return;
    Unary(&AllocatorService::RemoveCluster, request);
  }
  // Streams need a connection: what their handlers call for each message.
  void Watch(std::string_view message, bool) {
    const auto watcher =
        watchers_.Add(Parse<v1::WatchRequest>(message).cluster());
    if (watcher.ok()) watchers_.Remove(*watcher);
  }
  void Report(std::string_view message, bool) {
    v1::ReportReply reply;
    now_ms_ += static_cast<TimeMs>(message.size());
    room_.Take(Parse<v1::Readings>(message), reply);
    room_.Tick();
  }
  void Session(std::string_view message, bool valid_epoch) {
    session_.Answer(Patched(Parse<v1::SessionRequest>(message), valid_epoch));
  }

 private:
  template <typename Request, typename Reply>
  void Unary(grpc::Status (AllocatorService::*method)(grpc::ServerContext*,
                                                      const Request*, Reply*),
             const Request& request) {
    grpc::ServerContext context;
    Reply reply;
    const grpc::Status status = (service_.*method)(&context, &request, &reply);
    Expect(status.ok() || !status.error_message().empty());
  }

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
  const std::vector<std::string> warnings_;
  Journal journal_;
  CurrentConfig config_;
  LiveClusters clusters_;
  TimeMs now_ms_ = 1;
  ThermalMonitor room_;
  Reloader reloader_;
  Reports reports_;
  ReportTurns turns_;
  DrainSwitch drain_;
  AllocatorService service_;
  VirtualCluster session_;
  std::string epoch_;
  std::uint64_t sequence_ = 0;
};

// Every RPC of every service (tests/unit/fuzzers_test.cc). The corpus has
// indexes of this table.
constexpr RpcEntry kRpcs[] = {
    {"Sync", &Target::Sync},
    {"Allocate", &Target::Allocate},
    {"Commit", &Target::Event<EventKind::kCommit>},
    {"Release", &Target::Event<EventKind::kRelease>},
    {"Resize", &Target::Event<EventKind::kResize>},
    {"Suspend", &Target::Event<EventKind::kSuspend>},
    {"Preview", &Target::Preview},
    {"Explain", &Target::Explain},
    {"Status", &Target::Status},
    {"Jobs", &Target::Jobs},
    {"Watch", &Target::Watch},
    {"Report", &Target::Report},
    {"SetMode", &Target::SetMode},
    {"KeepAlive", &Target::KeepAlive},
    {"Session", &Target::Session},
    {"History", &Target::History},
    {"Reload", &Target::Reload},
    {"Drain", &Target::Drain},
    {"RemoveCluster", &Target::RemoveCluster},
    {"Map", &Target::Map},
};

const RpcEntry* FirstCall() {
  const char* const name = std::getenv("COOLSPAN_FUZZ_RPC");
  if (name == nullptr) return nullptr;
  const auto* const found = std::ranges::find(kRpcs, name, &RpcEntry::name);
  Expect(found != std::end(kRpcs));
  return found;
}

void CallAll(Target& target, std::string_view input) {
  static const RpcEntry* const first = FirstCall();
  constexpr int kMaxCalls = 32;
  for (int calls = 0; calls < kMaxCalls && input.size() >= 2; ++calls) {
    const auto choice = static_cast<std::uint8_t>(input[0]);
    const auto length = static_cast<std::uint8_t>(input[1]);
    input.remove_prefix(2);
    const RpcEntry& chosen = kRpcs[(choice & 0x1f) % std::size(kRpcs)];
    target.Call(calls == 0 && first != nullptr ? *first : chosen,
                input.substr(0, length), (choice & 0x80) != 0);
    input.remove_prefix(std::min<std::size_t>(length, input.size()));
  }
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const coolspan::DaemonSetup setup = coolspan::MakeSetup();
  coolspan::Target target(setup);
  coolspan::CallAll(target, {reinterpret_cast<const char*>(data), size});
  return 0;
}
