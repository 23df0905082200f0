// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_SERVING_TEST_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_SERVING_TEST_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "coolspan/v1/allocator.grpc.pb.h"
#include "service/daemon.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {

// A whole daemon in this process, spoken to over its Unix socket.
class ServingTest : public ::testing::Test {
 protected:
  using Stub = v1::Allocator::Stub;

  // more: SmallSetup's.
  explicit ServingTest(std::string more = "") : more_(std::move(more)) {
    Restart();
  }

  void Restart() { Serve(SmallSetup(folder_.File(""), more_)); }
  // Ends the daemon and starts another.
  void Serve(const DaemonSetup& setup) {
    stub_.reset();
    daemon_.reset();
    auto daemon = Daemon::Start(setup);
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = *std::move(daemon);
    stub_ = v1::Allocator::NewStub(grpc::CreateChannel(
        daemon_->endpoints()[0], grpc::InsecureChannelCredentials()));
  }

  // Any unary call, with a deadline.
  template <typename Request, typename Reply>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                 const Request&, Reply*),
                    const Request& request, Reply& reply,
                    int deadline_ms = 5000) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(deadline_ms));
    return ((*stub_).*method)(&context, request, &reply);
  }
  // The same where it has to go well.
  template <typename Request, typename Reply>
  Reply Good(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                          Reply*),
             const Request& request) {
    Reply reply;
    const grpc::Status status = Call(method, request, reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return reply;
  }
  template <typename Request, typename Reply>
  grpc::StatusCode CodeOf(grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                       const Request&, Reply*),
                          const Request& request, int deadline_ms = 5000) {
    Reply reply;
    const grpc::Status status = Call(method, request, reply, deadline_ms);
    EXPECT_TRUE(status.ok() || !status.error_message().empty());
    return status.error_code();
  }

  v1::SyncReply Sync(const v1::SyncRequest& request = SmallSync()) {
    const v1::SyncReply reply = Good(&Stub::Sync, request);
    epoch_ = reply.epoch();
    return reply;
  }
  v1::AllocateReply Allocate(const v1::AllocateRequest& request) {
    return Good(&Stub::Allocate, request);
  }
  v1::EventReply Commit(const v1::Event& event) {
    return Good(&Stub::Commit, event);
  }
  // "1 committed n[1-3]; 2 tentative n4"
  std::string Ledger() {
    const v1::JobsReply reply = Good(&Stub::Jobs, v1::JobsRequest());
    std::string text;
    for (const v1::JobRecord& job : reply.jobs()) {
      if (!text.empty()) text += "; ";
      text += std::to_string(job.job().job_id()) + " " + job.state() + " " +
              job.hostlist();
    }
    return text;
  }
  v1::DecisionRecord Explain(std::uint32_t job_id) {
    v1::ExplainRequest request;
    request.set_job_id(job_id);
    const v1::ExplainReply reply = Good(&Stub::Explain, request);
    return reply.decisions().empty() ? v1::DecisionRecord()
                                     : reply.decisions(0);
  }

  const std::string more_;
  ScratchFolder folder_;
  std::unique_ptr<Daemon> daemon_;
  std::unique_ptr<Stub> stub_;
  std::string epoch_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_SERVING_TEST_H_
