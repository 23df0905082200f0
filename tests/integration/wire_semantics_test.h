// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_INTEGRATION_WIRE_SEMANTICS_TEST_H_
#define COOLSPAN_TESTS_INTEGRATION_WIRE_SEMANTICS_TEST_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.grpc.pb.h"
#include "integration/running_daemon.h"

namespace coolspan {

inline constexpr std::int64_t kNowMs = 1'700'000'000'000;
inline constexpr std::uint32_t kNodes = 16;

// The nodes of RunningDaemon with four units each, in this order.
inline v1::SyncRequest SyncOf(const std::string& names = "n[01-16]") {
  v1::SyncRequest request;
  request.add_hostlist(names);
  v1::UnitsRun& run = *request.add_capacity();
  run.set_nodes(kNodes);
  run.set_units(4);
  return request;
}

// Bitmap of nodes [first, first + count).
inline std::string Bitmap(std::uint32_t first, std::uint32_t count) {
  std::string bitmap(kNodes / 8, '\0');
  for (std::uint32_t node = first; node < first + count; ++node) {
    bitmap[node / 8] = static_cast<char>(bitmap[node / 8] | 1 << node % 8);
  }
  return bitmap;
}

inline int CountNodes(const std::string& bitmap) {
  int count = 0;
  for (const char byte : bitmap) {
    count += std::popcount(static_cast<unsigned char>(byte));
  }
  return count;
}

inline bool Overlap(const std::string& a, const std::string& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) return true;
  }
  return false;
}

// Calls on a running coolspand.
class WireSemanticsTest : public ::testing::Test {
 protected:
  using Jobs = std::map<std::uint32_t, std::string>;

  WireSemanticsTest() : stub_(daemon_.Connect()) { Sync("queue-1"); }

  static void SetDeadline(grpc::ClientContext& context, int ms = 5000) {
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(ms));
  }

  v1::SyncReply Sync(const std::string& client_id,
                     const std::vector<v1::Holding>& holdings = {},
                     const std::string& names = "n[01-16]") {
    v1::SyncRequest request = SyncOf(names);
    request.set_cluster("real");
    request.set_now_ms(kNowMs);
    for (const v1::Holding& holding : holdings)
      *request.add_holdings() = holding;
    request.set_client_id(client_id);
    grpc::ClientContext context;
    SetDeadline(context);
    v1::SyncReply reply;
    const grpc::Status status = stub_->Sync(&context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    client_id_ = client_id;
    epoch_ = reply.epoch();
    return reply;
  }

  v1::AllocateRequest Request(std::uint32_t job, std::uint64_t attempt,
                              std::uint32_t nodes,
                              std::int64_t now_ms = kNowMs) const {
    v1::AllocateRequest request;
    request.set_cluster("real");
    request.set_epoch(epoch_);
    request.mutable_job()->set_job_id(job);
    request.set_attempt(attempt);
    request.set_now_ms(now_ms);
    request.set_min_nodes(nodes);
    request.set_whole(true);
    request.set_client_id(client_id_);
    return request;
  }

  grpc::Status Allocate(const v1::AllocateRequest& request,
                        v1::AllocateReply& reply, int deadline_ms = 5000) {
    grpc::ClientContext context;
    SetDeadline(context, deadline_ms);
    return stub_->Allocate(&context, request, &reply);
  }
  v1::AllocateReply Placed(const v1::AllocateRequest& request) {
    v1::AllocateReply reply;
    const grpc::Status status = Allocate(request, reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(reply.placed()) << reply.reason();
    return reply;
  }
  grpc::StatusCode CodeOf(const v1::AllocateRequest& request) {
    v1::AllocateReply reply;
    return Allocate(request, reply).error_code();
  }

  static v1::Holding HoldingOf(std::uint32_t job, const std::string& nodes) {
    v1::Holding holding;
    holding.mutable_job()->set_job_id(job);
    holding.set_nodes(nodes);
    holding.set_whole(true);
    return holding;
  }
  v1::Event EventOf(std::uint32_t job, std::uint64_t sequence) const {
    v1::Event event;
    event.set_cluster("real");
    event.set_epoch(epoch_);
    event.set_client_id(client_id_);
    event.set_sequence(sequence);
    event.set_now_ms(kNowMs);
    event.mutable_job()->set_job_id(job);
    return event;
  }
  v1::Event CommitOf(std::uint32_t job, const std::string& nodes,
                     std::uint64_t sequence) const {
    v1::Event event = EventOf(job, sequence);
    *event.mutable_holding() = HoldingOf(job, nodes);
    return event;
  }

  using Method = grpc::Status (v1::Allocator::Stub::*)(grpc::ClientContext*,
                                                       const v1::Event&,
                                                       v1::EventReply*);
  grpc::Status Send(Method method, const v1::Event& event,
                    v1::EventReply* reply = nullptr) {
    v1::EventReply ignored;
    grpc::ClientContext context;
    SetDeadline(context);
    return (stub_.get()->*method)(&context, event, reply ? reply : &ignored);
  }
  grpc::Status Commit(const v1::Event& event, v1::EventReply* reply = nullptr) {
    return Send(&v1::Allocator::Stub::Commit, event, reply);
  }
  grpc::Status Release(const v1::Event& event) {
    return Send(&v1::Allocator::Stub::Release, event);
  }

  // State and nodes of each job in the ledger: "committed n[01-02]".
  Jobs Ledger() {
    v1::JobsRequest request;
    request.set_cluster("real");
    v1::JobsReply reply;
    grpc::ClientContext context;
    SetDeadline(context);
    const grpc::Status status = stub_->Jobs(&context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    Jobs jobs;
    for (const v1::JobRecord& job : reply.jobs()) {
      jobs[job.job().job_id()] = job.state() + " " + job.hostlist();
    }
    return jobs;
  }

  RunningDaemon daemon_;
  std::unique_ptr<v1::Allocator::Stub> stub_;
  std::string client_id_;
  std::string epoch_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_INTEGRATION_WIRE_SEMANTICS_TEST_H_
