// SPDX-License-Identifier: GPL-3.0-or-later
// Watches that a member cancels, as one does if the daemon lacks a permission.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "etcd/etcd_client.h"
#include "etcd/etcd_mirror.h"

namespace coolspan {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A member of an etcd without keys.
class FakeMember {
 public:
  FakeMember() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port_);
    builder.RegisterService(&keys_);
    builder.RegisterService(&watches_);
    server_ = builder.BuildAndStart();
  }
  ~FakeMember() { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string endpoint() const { return "127.0.0.1:" + std::to_string(port_); }
  int watches() const { return watches_.created; }
  void SetCancels(bool cancels) { watches_.cancels = cancels; }

 private:
  static void Fill(etcdserverpb::ResponseHeader& header) {
    header.set_cluster_id(1);
    header.set_revision(5);
  }

  class Keys final : public etcdserverpb::KV::Service {
    grpc::Status Range(grpc::ServerContext*, const etcdserverpb::RangeRequest*,
                       etcdserverpb::RangeResponse* response) override {
      Fill(*response->mutable_header());
      return grpc::Status::OK;
    }
  };
  class Watches final : public etcdserverpb::Watch::Service {
   public:
    std::atomic<bool> cancels = true;
    std::atomic<int> created = 0;

   private:
    grpc::Status Watch(
        grpc::ServerContext*,
        grpc::ServerReaderWriter<etcdserverpb::WatchResponse,
                                 etcdserverpb::WatchRequest>* stream) override {
      etcdserverpb::WatchRequest request;
      while (stream->Read(&request)) {
        etcdserverpb::WatchResponse response;
        Fill(*response.mutable_header());
        if (request.has_create_request()) {
          ++created;
          response.set_created(true);
          if (cancels) {
            response.set_canceled(true);
            response.set_cancel_reason("permission denied");
          }
        }
        stream->Write(response);
      }
      return grpc::Status::OK;
    }
  };

  Keys keys_;
  Watches watches_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

bool Eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

class EtcdWatchTest : public ::testing::Test {
 protected:
  FakeMember first_;
  FakeMember second_;
  EtcdClient client_{{{first_.endpoint(), second_.endpoint()}, {}}};
};

TEST_F(EtcdWatchTest, ACancelledWatchIsAnErrorAndTheNextMemberIsAsked) {
  int responses = 0;
  const auto count = [&](const etcdserverpb::WatchResponse&) {
    ++responses;
    return false;
  };
  const absl::Status status = client_.Watch("a/", "b", 1, count);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr(first_.endpoint() + ": watch cancelled: permission denied"));
  EXPECT_EQ(responses, 0);
  second_.SetCancels(false);
  EXPECT_TRUE(client_.Watch("a/", "b", 1, count).ok());
  EXPECT_EQ(responses, 1);
  EXPECT_EQ(first_.watches(), 1);
  EXPECT_EQ(second_.watches(), 1);
}

TEST_F(EtcdWatchTest, TheMirrorTellsTheReasonOnce) {
  std::atomic<int> failures = 0;
  const EtcdMirror mirror(
      client_, EtcdKeys("/p/"), [] {},
      [&](const std::string& why) {
        ++failures;
        EXPECT_THAT(why, HasSubstr("permission denied"));
      });
  // Ends before the mirror.
  const std::unique_ptr<EtcdClient, std::function<void(EtcdClient*)>> stop(
      &client_, [](EtcdClient* client) { client->Stop(); });
  ASSERT_TRUE(Eventually(
      [&] { return first_.watches() > 2 && second_.watches() > 2; }));
  EXPECT_EQ(failures, 1);
  EXPECT_THAT(std::string(mirror.status().message()),
              HasSubstr("permission denied"));
  second_.SetCancels(false);
  EXPECT_TRUE(Eventually([&] { return mirror.status().ok(); }));
  EXPECT_EQ(failures, 1);
}

}  // namespace
}  // namespace coolspan
