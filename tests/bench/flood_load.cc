// SPDX-License-Identifier: GPL-3.0-or-later
// How long Slurm's decisions take while others ask the daemon: a stream of
// about 200 decisions a second, each released at once, alone and beside so many
// calls of a kind at a time. Targets: beside them at most 0.5 % more decisions
// miss 20 ms than alone; p99 beside previews at most 1.2 times alone.
// Results: docs/performance.md.
//   flood_load ENDPOINT HOSTLIST KIND CALLS [SECONDS [POLICY]]
// KIND: previews (of POLICY), explains (of a job with 100 decisions), sessions
// (of POLICY), jobs, status, history, watchers (of all events, 32 at a time;
// the others are refused) or pages (/metrics at POLICY, HOST:PORT).
#include <grpcpp/grpcpp.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace {

namespace v1 = coolspan::v1;
using Clock = std::chrono::steady_clock;

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::unique_ptr<v1::Allocator::Stub> Connect(const std::string& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::Allocator::NewStub(grpc::CreateCustomChannel(
      endpoint, grpc::InsecureChannelCredentials(), arguments));
}

[[noreturn]] void Fail(const char* call, const grpc::Status& status) {
  std::fprintf(stderr, "%s: %s\n", call, status.error_message().c_str());
  std::exit(1);
}

class Decisions {
 public:
  Decisions(const std::string& endpoint, const std::string& hostlist)
      : stub_(Connect(endpoint)) {
    v1::SyncRequest request;
    request.set_cluster("load");
    request.set_client_id(client_id_);
    request.set_sequence(1);
    request.set_now_ms(NowMs());
    request.add_hostlist(hostlist);
    grpc::ClientContext context;
    v1::SyncReply reply;
    const auto status = stub_->Sync(&context, request, &reply);
    if (!status.ok()) Fail("Sync", status);
    epoch_ = reply.epoch();
  }

  // Microseconds of each decision, ascending.
  std::vector<double> Run(Clock::time_point until) {
    std::vector<double> times_us;
    while (Clock::now() < until) {
      times_us.push_back(DecideOne());
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    std::sort(times_us.begin(), times_us.end());
    return times_us;
  }

  // Decides on one job so many times; the last decision holds nodes.
  std::uint32_t DecideAgain(std::uint64_t times) {
    ++job_;
    for (std::uint64_t attempt = 1; attempt <= times; ++attempt) {
      grpc::ClientContext context;
      v1::AllocateReply reply;
      const auto status = stub_->Allocate(&context, Request(attempt), &reply);
      if (!status.ok()) Fail("Allocate", status);
    }
    return job_;
  }

 private:
  v1::AllocateRequest Request(std::uint64_t attempt) const {
    v1::AllocateRequest request;
    request.set_cluster("load");
    request.set_client_id(client_id_);
    request.set_epoch(epoch_);
    request.mutable_job()->set_job_id(job_);
    request.set_attempt(attempt);
    request.set_whole(true);
    request.set_min_nodes(32);
    request.set_now_ms(NowMs());
    request.set_after_sequence(sequence_);
    return request;
  }

  double DecideOne() {
    ++job_;
    const v1::AllocateRequest request = Request(1);
    grpc::ClientContext context;
    v1::AllocateReply reply;
    const auto begin = Clock::now();
    auto status = stub_->Allocate(&context, request, &reply);
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    if (!status.ok()) Fail("Allocate", status);
    if (!reply.placed()) {
      std::fprintf(stderr, "Allocate: %s\n", reply.reason().c_str());
      std::exit(1);
    }
    v1::Event event;
    event.set_cluster("load");
    event.set_client_id(client_id_);
    event.set_epoch(epoch_);
    event.set_sequence(++sequence_);
    event.set_now_ms(NowMs());
    event.mutable_job()->set_job_id(job_);
    grpc::ClientContext release;
    v1::EventReply ignored;
    status = stub_->Release(&release, event, &ignored);
    if (!status.ok()) Fail("Release", status);
    return took.count();
  }

  std::unique_ptr<v1::Allocator::Stub> stub_;
  std::string epoch_;
  // Others than those of an earlier run, which the daemon remembers.
  const std::string client_id_ = "load-" + std::to_string(NowMs());
  std::uint32_t job_ = static_cast<std::uint32_t>(NowMs() % 0x4000'0000);
  std::uint64_t sequence_ = 1;
};

struct Flood {
  std::string endpoint;
  std::string hostlist;
  std::string policy;
  std::uint32_t job;  // with many decisions
  std::atomic<bool> is_stopped = false;
  std::atomic<int> answers = 0;
  std::atomic<int> refused = 0;

  // Counts an answer, or a refusal that a flood may get.
  void Count(const char* call, const grpc::Status& status) {
    if (status.ok()) {
      ++answers;
    } else if (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
               status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
      ++refused;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } else {
      Fail(call, status);
    }
  }
};

// One call after the other.
template <typename Request, typename Reply>
void Repeat(Flood& flood, const char* name, const Request& request,
            grpc::Status (v1::Allocator::Stub::*call)(grpc::ClientContext*,
                                                      const Request&, Reply*)) {
  const auto stub = Connect(flood.endpoint);
  while (!flood.is_stopped) {
    grpc::ClientContext context;
    Reply reply;
    flood.Count(name, ((*stub).*call)(&context, request, &reply));
  }
}

v1::PreviewRequest PreviewOf(const std::string& policy) {
  v1::PreviewRequest request;
  request.set_policy(policy);
  request.mutable_request()->set_cluster("load");
  request.mutable_request()->set_whole(true);
  request.mutable_request()->set_min_nodes(200);
  request.mutable_request()->set_now_ms(NowMs());
  request.mutable_request()->mutable_job()->set_job_id(1'000'000);
  return request;
}

void Previews(Flood& flood) {
  Repeat(flood, "Preview", PreviewOf(flood.policy),
         &v1::Allocator::Stub::Preview);
}

void Explains(Flood& flood) {
  v1::ExplainRequest request;
  request.set_cluster("load");
  request.set_job_id(flood.job);
  Repeat(flood, "Explain", request, &v1::Allocator::Stub::Explain);
}

void Jobs(Flood& flood) {
  v1::JobsRequest request;
  request.set_cluster("load");
  Repeat(flood, "Jobs", request, &v1::Allocator::Stub::Jobs);
}

void History(Flood& flood) {
  v1::HistoryRequest request;
  request.set_cluster("load");
  Repeat(flood, "History", request, &v1::Allocator::Stub::History);
}

void Status(Flood& flood) {
  Repeat(flood, "Status", v1::StatusRequest(), &v1::Allocator::Stub::Status);
}

void Sessions(Flood& flood) {
  const auto stub = Connect(flood.endpoint);
  while (!flood.is_stopped) {
    grpc::ClientContext context;
    const auto stream = stub->Session(&context);
    v1::SessionRequest sync;
    sync.mutable_sync()->set_cluster("virtual");
    sync.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
    sync.mutable_sync()->set_client_id("s");
    sync.mutable_sync()->add_hostlist(flood.hostlist);
    v1::SessionReply reply;
    if (stream->Write(sync) && stream->Read(&reply)) {
      v1::SessionRequest ask;
      *ask.mutable_preview() = PreviewOf(flood.policy);
      ask.mutable_preview()->mutable_request()->set_epoch(reply.sync().epoch());
      while (!flood.is_stopped && stream->Write(ask) && stream->Read(&reply)) {
        if (reply.has_error()) {
          std::fprintf(stderr, "Session: %s\n",
                       reply.error().message().c_str());
          std::exit(1);
        }
        ++flood.answers;
      }
    }
    stream->WritesDone();
    while (stream->Read(&reply)) continue;
    const grpc::Status status = stream->Finish();
    if (!status.ok()) flood.Count("Session", status);
  }
}

void Watchers(Flood& flood) {
  const auto stub = Connect(flood.endpoint);
  while (!flood.is_stopped) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(2));
    const auto stream = stub->Watch(&context, v1::WatchRequest());
    v1::Happening happening;
    while (stream->Read(&happening)) ++flood.answers;
    const grpc::Status status = stream->Finish();
    if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) {
      flood.Count("Watch", status);
    }
  }
}

void Pages(Flood& flood) {
  while (!flood.is_stopped) {
    httplib::Client client("http://" + flood.policy);
    client.set_read_timeout(std::chrono::seconds(1));
    const httplib::Result result = client.Get("/metrics");
    ++(result && result->status == 200 ? flood.answers : flood.refused);
  }
}

struct Kind {
  const char* name;
  void (*run)(Flood&);
};
constexpr Kind kKinds[] = {{"previews", Previews}, {"explains", Explains},
                           {"sessions", Sessions}, {"jobs", Jobs},
                           {"status", Status},     {"history", History},
                           {"watchers", Watchers}, {"pages", Pages}};

double At(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(
      share * static_cast<double>(sorted.size() - 1))];
}

// Share of decisions, in percent.
double MissedShare(const std::vector<double>& us) {
  const auto late = us.end() - std::upper_bound(us.begin(), us.end(), 20'000.0);
  return 100.0 * static_cast<double>(late) / static_cast<double>(us.size());
}

void Print(const char* name, const std::vector<double>& us) {
  std::printf(
      "%s: %zu decisions, p50 %.0f us, p99 %.0f us, max %.0f us, over 20 ms "
      "%.2f %%\n",
      name, us.size(), At(us, 0.5), At(us, 0.99), us.back(), MissedShare(us));
}

}  // namespace

int main(int argc, char** argv) {
  const auto is_named = [argc, argv](const Kind& each) {
    return argc >= 5 && std::string(argv[3]) == each.name;
  };
  const Kind* const kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), is_named);
  if (kind == std::end(kKinds)) {
    std::fprintf(stderr,
                 "usage: flood_load ENDPOINT HOSTLIST KIND CALLS [SECONDS "
                 "[POLICY]]\nKIND: previews, explains, sessions, jobs, status, "
                 "history, watchers or pages\n");
    return 2;
  }
  Flood flood{argv[1], argv[2], argc > 6 ? argv[6] : "", 0};
  const int calls = std::atoi(argv[4]);
  const auto span = std::chrono::seconds(argc > 5 ? std::atoi(argv[5]) : 10);
  Decisions decisions(flood.endpoint, flood.hostlist);
  flood.job = decisions.DecideAgain(100);
  decisions.Run(Clock::now() + std::chrono::seconds(1));
  const auto alone = decisions.Run(Clock::now() + span);
  std::vector<std::thread> threads;
  for (int i = 0; i < calls; ++i) {
    threads.emplace_back([&flood, kind] { kind->run(flood); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto beside = decisions.Run(Clock::now() + span);
  flood.is_stopped = true;
  for (std::thread& thread : threads) thread.join();
  Print("alone", alone);
  Print(kind->name, beside);
  std::printf(
      "%s: %d answered, %d refused; p99 ratio %.2f; over 20 ms %+.2f points\n",
      kind->name, flood.answers.load(), flood.refused.load(),
      At(beside, 0.99) / At(alone, 0.99),
      MissedShare(beside) - MissedShare(alone));
  return 0;
}
