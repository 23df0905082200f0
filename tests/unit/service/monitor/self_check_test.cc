// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/self_check.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "unit/service/clusters/gated_cluster_test.h"

namespace coolspan {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// A decision of this cluster waits until the test lets it through.
TEST_F(GatedClusterTest, ADecisionThatDoesNotEndIsFound) {
  EXPECT_TRUE(gated_.CheckResponsive(seconds(0)).ok());
  auto first = AskAside(1, 1);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(gated_.CheckResponsive(seconds(600)).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const absl::Status hung = gated_.CheckResponsive(seconds(0));
  EXPECT_TRUE(absl::IsUnavailable(hung));
  EXPECT_THAT(std::string(hung.message()),
              HasSubstr("a decision of cluster c has not ended for 0 s"));
  policy_->LetThrough(1);
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(gated_.CheckResponsive(seconds(0)).ok());
}

// Refuses calls as gRPC does without a free thread, or answers them.
class BusyServer final : public v1::Allocator::Service {
 public:
  grpc::Status KeepAlive(grpc::ServerContext*, const v1::KeepAliveRequest*,
                         v1::KeepAliveReply*) override {
    return {code, "why"};
  }
  grpc::StatusCode code = grpc::StatusCode::OK;
};

TEST_F(LiveClusterTest, AServerThatDoesNotAnswerIsFound) {
  BusyServer service;
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  const LiveClusters clusters(setting_);
  const Health health(journal_);
  const SelfCheck check(server->InProcessChannel({}), clusters, config_,
                        health);
  EXPECT_TRUE(check.Run(seconds(60)).ok());
  service.code = grpc::StatusCode::PERMISSION_DENIED;
  EXPECT_TRUE(check.Run(seconds(60)).ok()) << "an answer all the same";
  service.code = grpc::StatusCode::RESOURCE_EXHAUSTED;
  EXPECT_THAT(std::string(check.Run(seconds(60)).message()),
              HasSubstr("a call of the daemon itself is not answered: why"));
}

}  // namespace
}  // namespace coolspan
