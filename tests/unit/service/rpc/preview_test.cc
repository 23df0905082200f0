// SPDX-License-Identifier: GPL-3.0-or-later
// Previews and sessions over a real connection.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mesh_machine.h"
#include "service/rpc/allocator_service.h"
#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

// On a machine where "exact" searches for longer than any test runs.
class PreviewTest : public ServingTest {
 protected:
  static constexpr std::uint32_t kSide = 32;
  // One search more than processors.
  static std::size_t Searches() {
    return std::max(1U, std::thread::hardware_concurrency()) + 1;
  }

  PreviewTest() {
    DaemonSetup setup = SmallSetup(folder_.File(""));
    setup.file.deadline_ms = 60'000;
    setup.machine = MeshMachine(FlatGrid({kSide, kSide}));
    setup.ordering = *MakeOrdering(*setup.machine, "row-major");
    setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
    Serve(setup);
    v1::SyncRequest sync = SmallSync();
    sync.set_hostlist(0, "n[0-1023]");
    sync.mutable_capacity(0)->set_nodes(kSide * kSide);
    Sync(sync);
  }
  ~PreviewTest() override { EndSearches(); }

  v1::PreviewRequest PreviewOf(const std::string& policy, std::uint32_t nodes) {
    v1::PreviewRequest request;
    *request.mutable_request() = AskFor(epoch_, 1, nodes);
    // Two of three nodes.
    std::string candidates(kSide * kSide / 8, '\0');
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      candidates[i] = "\xb6\x6d\xdb"[(i + i / 4) % 3];
    }
    request.mutable_request()->set_candidates(candidates);
    request.set_policy(policy);
    return request;
  }
  // More long searches than the daemon runs at a time.
  void StartSearches() {
    for (std::size_t i = 0; i < Searches(); ++i) {
      grpc::ClientContext& context = contexts_.emplace_back();
      threads_.emplace_back([this, &context] {
        v1::AllocateReply reply;
        EXPECT_EQ(stub_->Preview(&context, PreviewOf("exact", 300), &reply)
                      .error_code(),
                  grpc::StatusCode::CANCELLED);
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  void EndSearches() {
    for (grpc::ClientContext& context : contexts_) context.TryCancel();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::list<grpc::ClientContext> contexts_;
  std::vector<std::thread> threads_;
};

TEST_F(PreviewTest, LongOnesLetAShortOneThrough) {
  StartSearches();
  const v1::PreviewRequest request = PreviewOf("best-fit", 4);
  v1::AllocateReply reply;
  const grpc::Status status = Call(&Stub::Preview, request, reply, 30'000);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(reply.placed());
}

// A search that went on would keep the daemon from ending for its 48 s.
TEST_F(PreviewTest, LongNamesAreRefused) {
  v1::PreviewRequest request = PreviewOf("first-fit", 1);
  request.set_ordering(std::string(5000, 'x'));
  EXPECT_EQ(CodeOf(&Stub::Preview, request),
            grpc::StatusCode::INVALID_ARGUMENT);
  request.set_ordering("");
  request.set_policy(std::string(5000, 'x'));
  EXPECT_EQ(CodeOf(&Stub::Preview, request),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(PreviewTest, ACallerThatHasLeftEndsItsSearch) {
  StartSearches();
  EndSearches();
  const auto begin = steady_clock::now();
  daemon_.reset();
  EXPECT_LT(steady_clock::now() - begin, seconds(30));
}

// Threads of this process that run or wait for a processor.
std::size_t RunnableThreads() {
  std::size_t runnable = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    const std::size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && stat.substr(name_end + 2, 1) == "R") {
      ++runnable;
    }
  }
  return runnable;
}

// Otherwise replays over the daemon take all processors from Slurm's decisions.
TEST_F(PreviewTest, SessionsTakeTurns) {
  const std::size_t at_a_time =
      std::max(1U, std::thread::hardware_concurrency() / 2);
  std::atomic<bool> ended = false;
  std::vector<std::thread> sessions;
  for (std::size_t i = 0; i < at_a_time + 6; ++i) {
    sessions.emplace_back([&] {
      grpc::ClientContext context;
      const auto stream = stub_->Session(&context);
      v1::SessionRequest request;
      v1::SyncRequest& sync = *request.mutable_sync();
      sync.set_cluster("c");
      sync.set_clock(v1::CLOCK_VIRTUAL);
      sync.set_policy("exact");
      sync.add_hostlist("n[0-1023]");
      v1::SessionReply reply;
      EXPECT_TRUE(stream->Write(request) && stream->Read(&reply));
      const std::string epoch = reply.sync().epoch();
      while (!ended) {
        *request.mutable_preview() = PreviewOf("exact", 300);
        request.mutable_preview()->mutable_request()->set_epoch(epoch);
        EXPECT_TRUE(stream->Write(request) && stream->Read(&reply));
        EXPECT_TRUE(reply.allocate().placed()) << reply.DebugString();
      }
      context.TryCancel();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::vector<std::size_t> runnable;
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    runnable.push_back(RunnableThreads() - 1);  // without this one
  }
  ended = true;
  for (std::thread& session : sessions) session.join();
  std::sort(runnable.begin(), runnable.end());
  EXPECT_LE(runnable[runnable.size() / 2], at_a_time + 2);
}

// Calls that no thread of this process waits for.
class ManyExplains {
 public:
  ManyExplains(v1::Allocator::Stub& stub, int count) {
    v1::ExplainRequest request;
    request.set_job_id(1);
    for (int i = 0; i < count; ++i) {
      Call& call = calls_.emplace_back();
      call.reader = stub.AsyncExplain(&call.context, request, &queue_);
      call.reader->Finish(&call.reply, &call.status, &call);
    }
  }
  ~ManyExplains() { Finish(); }

  // Waits for the ends. The number of calls by status code.
  std::map<grpc::StatusCode, int> Finish() {
    void* tag = nullptr;
    bool ok = false;
    queue_.Shutdown();
    while (queue_.Next(&tag, &ok)) continue;
    std::map<grpc::StatusCode, int> counts;
    for (const Call& call : calls_) ++counts[call.status.error_code()];
    return counts;
  }

 private:
  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::ExplainReply>> reader;
    v1::ExplainReply reply;
    grpc::Status status;
  };
  grpc::CompletionQueue queue_;
  std::list<Call> calls_;
};

// Otherwise reports take all processors and threads from Slurm's decisions.
TEST_F(PreviewTest, ManyReportsAreRefusedAndNothingElse) {
  for (std::uint64_t attempt = 1; attempt <= 100; ++attempt) {
    Allocate(AskFor(epoch_, 1, 200, attempt));
  }
  // A connection has 100 calls in progress, the others wait in the client.
  constexpr int kConnections = 10;
  constexpr int kCalls = 100;
  std::list<std::unique_ptr<Stub>> stubs;
  std::list<ManyExplains> floods;
  for (int i = 0; i < kConnections; ++i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stubs.push_back(v1::Allocator::NewStub(grpc::CreateCustomChannel(
        daemon_->endpoints()[0], grpc::InsecureChannelCredentials(),
        arguments)));
    floods.emplace_back(*stubs.back(), kCalls);
  }
  EXPECT_TRUE(Allocate(AskFor(epoch_, 2, 3)).placed());
  v1::SetModeRequest off;
  off.set_mode("off");
  EXPECT_EQ(CodeOf(&Stub::SetMode, off), grpc::StatusCode::OK);
  std::map<grpc::StatusCode, int> counts;
  for (ManyExplains& flood : floods) {
    for (const auto& [code, count] : flood.Finish()) counts[code] += count;
  }
  EXPECT_GE(counts[grpc::StatusCode::OK], AllocatorService::kMaxWaitingReports);
  EXPECT_GT(counts[grpc::StatusCode::RESOURCE_EXHAUSTED], 0);
  EXPECT_EQ(counts.size(), 2u);
}

TEST_F(PreviewTest, ReportsOnOneConnectionAreAllAnswered) {
  constexpr int kCalls = 400;
  Allocate(AskFor(epoch_, 1, 1, 1));
  ManyExplains flood(*stub_, kCalls);
  EXPECT_EQ(flood.Finish(),
            (std::map<grpc::StatusCode, int>{{grpc::StatusCode::OK, kCalls}}));
}

}  // namespace
}  // namespace coolspan
