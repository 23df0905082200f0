// SPDX-License-Identifier: GPL-3.0-or-later
// A daemon is killed repeatedly during a stream of events. After each restart
// the ledger must be the result of all acknowledged events, and at most of the
// next one; the client continues with the first event that was not
// acknowledged.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "integration/running_daemon.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kNodes = 16;

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(5));
}

std::string Sync(v1::Allocator::Stub& stub) {
  v1::SyncRequest request;
  request.set_cluster("c");
  request.set_now_ms(1);
  request.add_hostlist("n[01-16]");
  request.set_client_id("q");
  grpc::ClientContext context;
  SetDeadline(context);
  v1::SyncReply reply;
  EXPECT_TRUE(stub.Sync(&context, request, &reply).ok());
  return reply.epoch();
}

// Odd events commit the next job on one node; even events release the job that
// is kNodes / 2 jobs older.
grpc::Status Send(v1::Allocator::Stub& stub, const std::string& epoch,
                  std::uint64_t sequence) {
  const auto number = static_cast<std::uint32_t>((sequence + 1) / 2);
  v1::Event event;
  event.set_cluster("c");
  event.set_epoch(epoch);
  event.set_client_id("q");
  event.set_sequence(sequence);
  event.set_now_ms(static_cast<std::int64_t>(sequence));
  grpc::ClientContext context;
  SetDeadline(context);
  v1::EventReply reply;
  if (sequence % 2 == 0) {
    event.mutable_job()->set_job_id(number < kNodes / 2 ? 1'000'000
                                                        : number - kNodes / 2);
    return stub.Release(&context, event, &reply);
  }
  event.mutable_job()->set_job_id(number);
  const std::uint32_t node = number % kNodes;
  std::string bitmap(kNodes / 8, '\0');
  bitmap[node / 8] = static_cast<char>(1 << node % 8);
  event.mutable_holding()->set_nodes(bitmap);
  event.mutable_holding()->set_whole(true);
  return stub.Commit(&context, event, &reply);
}

std::set<std::uint32_t> JobsAfter(std::uint64_t events) {
  std::set<std::uint32_t> jobs;
  for (std::uint64_t sequence = 1; sequence <= events; ++sequence) {
    const auto number = static_cast<std::uint32_t>((sequence + 1) / 2);
    if (sequence % 2 == 1) {
      jobs.insert(number);
    } else if (number >= kNodes / 2) {
      jobs.erase(number - kNodes / 2);
    }
  }
  return jobs;
}

std::set<std::uint32_t> Ledger(v1::Allocator::Stub& stub) {
  grpc::ClientContext context;
  SetDeadline(context);
  v1::JobsReply reply;
  EXPECT_TRUE(stub.Jobs(&context, {}, &reply).ok());
  std::set<std::uint32_t> jobs;
  for (const v1::JobRecord& job : reply.jobs()) {
    EXPECT_EQ(job.state(), "committed");
    jobs.insert(job.job().job_id());
  }
  return jobs;
}

TEST(KillUnderFireTest, LedgerHasAllAcknowledgedEvents) {
  RunningDaemon daemon;
  auto stub = daemon.Connect();
  const std::string epoch = Sync(*stub);
  std::uint64_t acknowledged = 0;
  std::mt19937 random(7);
  for (int round = 0; round < 10; ++round) {
    std::thread killer([&daemon, pause_us = 2000 + random() % 100'000] {
      std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
      daemon.Signal(SIGKILL);
    });
    grpc::Status status;
    while ((status = Send(*stub, epoch, acknowledged + 1)).ok()) ++acknowledged;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE)
        << status.error_message();
    killer.join();
    daemon.Start();
    stub = daemon.Connect();
    const std::set<std::uint32_t> jobs = Ledger(*stub);
    EXPECT_TRUE(jobs == JobsAfter(acknowledged) ||
                jobs == JobsAfter(acknowledged + 1))
        << "after " << acknowledged << " acknowledged events";
  }
  EXPECT_GT(acknowledged, 20u) << "too few events";
}

}  // namespace
}  // namespace coolspan
