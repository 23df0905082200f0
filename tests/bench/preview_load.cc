// SPDX-License-Identifier: GPL-3.0-or-later
// How long Slurm's decisions take while others preview: a stream of decisions
// of a daemon, each released at once, alone and beside so many previews at a
// time of a slow policy. Target: p99 beside them at most 1.2 times alone.
// Results: docs/performance.md.
//   preview_load ENDPOINT HOSTLIST PREVIEWS POLICY [SECONDS]
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::sort(times_us.begin(), times_us.end());
    return times_us;
  }

 private:
  double DecideOne() {
    v1::AllocateRequest request;
    request.set_cluster("load");
    request.set_client_id(client_id_);
    request.set_epoch(epoch_);
    request.mutable_job()->set_job_id(++job_);
    request.set_attempt(1);
    request.set_whole(true);
    request.set_min_nodes(32);
    request.set_now_ms(NowMs());
    request.set_after_sequence(sequence_);
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

struct PreviewCounts {
  std::atomic<int> answers = 0;
  std::atomic<int> refused = 0;
};

void Preview(const std::string& endpoint, const std::string& policy,
             const std::atomic<bool>& stopped, PreviewCounts& counts) {
  const auto stub = Connect(endpoint);
  while (!stopped) {
    v1::PreviewRequest request;
    request.set_policy(policy);
    request.mutable_request()->set_cluster("load");
    request.mutable_request()->set_whole(true);
    request.mutable_request()->set_min_nodes(200);
    request.mutable_request()->set_now_ms(NowMs());
    request.mutable_request()->mutable_job()->set_job_id(1'000'000);
    grpc::ClientContext context;
    v1::AllocateReply reply;
    const auto status = stub->Preview(&context, request, &reply);
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
      ++counts.refused;
      continue;
    }
    if (!status.ok()) Fail("Preview", status);
    if (!reply.placed()) {
      std::fprintf(stderr, "Preview: %s\n", reply.reason().c_str());
      std::exit(1);
    }
    ++counts.answers;
  }
}

double At(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(
      share * static_cast<double>(sorted.size() - 1))];
}

void Print(const char* name, const std::vector<double>& us) {
  std::printf("%s: %zu decisions, p50 %.0f us, p99 %.0f us, max %.0f us\n",
              name, us.size(), At(us, 0.5), At(us, 0.99), us.back());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr,
                 "usage: preview_load ENDPOINT HOSTLIST PREVIEWS POLICY "
                 "[SECONDS]\n");
    return 2;
  }
  const std::string endpoint = argv[1];
  const int previews = std::atoi(argv[3]);
  const auto span = std::chrono::seconds(argc > 5 ? std::atoi(argv[5]) : 10);
  Decisions decisions(endpoint, argv[2]);
  decisions.Run(Clock::now() + std::chrono::seconds(1));
  const auto alone = decisions.Run(Clock::now() + span);
  std::atomic<bool> stopped = false;
  PreviewCounts counts;
  std::vector<std::thread> threads;
  for (int i = 0; i < previews; ++i) {
    threads.emplace_back([&] { Preview(endpoint, argv[4], stopped, counts); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto beside = decisions.Run(Clock::now() + span);
  stopped = true;
  for (std::thread& thread : threads) thread.join();
  Print("alone", alone);
  Print("beside previews", beside);
  std::printf("previews answered: %d, refused: %d; p99 ratio %.2f\n",
              counts.answers.load(), counts.refused.load(),
              At(beside, 0.99) / At(alone, 0.99));
  return 0;
}
