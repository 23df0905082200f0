// SPDX-License-Identifier: GPL-3.0-or-later
// Previews over a real connection.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "mesh_machine.h"
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
TEST_F(PreviewTest, ACallerThatHasLeftEndsItsSearch) {
  StartSearches();
  EndSearches();
  const auto begin = steady_clock::now();
  daemon_.reset();
  EXPECT_LT(steady_clock::now() - begin, seconds(30));
}

}  // namespace
}  // namespace coolspan
