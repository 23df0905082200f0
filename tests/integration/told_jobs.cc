// SPDX-License-Identifier: GPL-3.0-or-later
#include "integration/told_jobs.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>

namespace coolspan {
namespace {

constexpr std::uint32_t kJobsOfAClient = 1'000'000;
constexpr std::size_t kMaxCommitted = 3;
// Answers expire after 10 s.
constexpr std::int64_t kCertainMs = 8'000;

void SetDeadline(grpc::ClientContext& context,
                 std::chrono::milliseconds timeout) {
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}

std::set<std::uint32_t> NodesOf(const std::string& bitmap) {
  std::set<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < bitmap.size() * 8; ++i) {
    if ((static_cast<unsigned char>(bitmap[i / 8]) >> i % 8 & 1) != 0) {
      nodes.insert(i);
    }
  }
  return nodes;
}

}  // namespace

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void ToldJobs::Set(std::uint32_t job_id, State state) {
  const std::lock_guard lock(mutex_);
  Job& job = jobs_[job_id];
  job.state = state;
  if (state == State::kCommitted || state == State::kReleased) ++acknowledged_;
  // The daemon may give the nodes away before its reply arrives.
  if (state != State::kReleaseSent) return;
  for (const std::uint32_t node : job.nodes) holder_of_.erase(node);
}

void ToldJobs::Tell(std::uint32_t job_id, const std::string& bitmap) {
  const std::lock_guard lock(mutex_);
  Job& job = jobs_[job_id];
  job = {State::kTold, NodesOf(bitmap), NowMs()};
  for (const std::uint32_t node : job.nodes) {
    const auto [held, is_free] = holder_of_.emplace(node, job_id);
    EXPECT_TRUE(is_free || held->second == job_id)
        << "node " << node << " was told to job " << job_id << " and to job "
        << held->second;
  }
  ++answers_;
}

void ToldJobs::Forget(std::uint32_t job_id) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(job_id);
}

void ToldJobs::CheckJob(std::uint32_t job_id, const Job& job,
                        const v1::JobRecord* listed) const {
  const bool is_young = NowMs() - job.told_ms < kCertainMs;
  const bool must_be_listed =
      job.state == State::kCommitted ||
      ((job.state == State::kTold || job.state == State::kCommitSent) &&
       is_young);
  if (listed == nullptr) {
    EXPECT_FALSE(must_be_listed) << "job " << job_id << " is lost, state "
                                 << static_cast<int>(job.state);
    return;
  }
  EXPECT_NE(job.state, State::kReleased) << "job " << job_id << " is back";
  if (job.state == State::kAsked) return;
  const bool was_committed =
      job.state == State::kCommitted || job.state == State::kReleaseSent;
  if (was_committed) {
    EXPECT_EQ(listed->state(), "committed") << "job " << job_id;
  }
  if (job.state == State::kTold) {
    EXPECT_EQ(listed->state(), "tentative") << "job " << job_id;
  }
  EXPECT_EQ(job.nodes, std::set<std::uint32_t>(listed->node_ids().begin(),
                                               listed->node_ids().end()))
      << "job " << job_id;
}

void ToldJobs::CheckLedger(v1::Allocator::Stub& stub) const {
  grpc::ClientContext context;
  SetDeadline(context, std::chrono::seconds(10));
  v1::JobsReply reply;
  const grpc::Status status = stub.Jobs(&context, {}, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::map<std::uint32_t, const v1::JobRecord*> listed;
  std::map<std::uint32_t, std::uint32_t> holders;
  for (const v1::JobRecord& job : reply.jobs()) {
    listed[job.job().job_id()] = &job;
    for (const std::uint32_t node : job.node_ids()) {
      const auto [other, is_free] = holders.emplace(node, job.job().job_id());
      EXPECT_TRUE(is_free) << "node " << node << " of job " << other->second
                           << " and job " << job.job().job_id();
    }
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [job_id, job] : jobs_) {
    const auto found = listed.find(job_id);
    CheckJob(job_id, job, found == listed.end() ? nullptr : found->second);
    listed.erase(job_id);
  }
  EXPECT_TRUE(listed.empty()) << "job " << listed.begin()->first
                              << " is listed, and nobody asked for it";
}

std::uint64_t ToldJobs::answers() const {
  const std::lock_guard lock(mutex_);
  return answers_;
}

std::uint64_t ToldJobs::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

ToldClient::ToldClient(std::uint32_t index, ToldJobs& told)
    : index_(index),
      client_id_("client" + std::to_string(index)),
      told_(told),
      random_(index) {}

v1::Event ToldClient::NextEvent(std::uint32_t job_id) {
  v1::Event event;
  event.set_sequence(++sequence_);
  event.mutable_job()->set_job_id(job_id);
  event.set_now_ms(NowMs());
  return event;
}

void ToldClient::BeginAllocate() {
  const std::uint32_t job_id = index_ * kJobsOfAClient + ++jobs_;
  Request request{Call::kAllocate, {}, {}};
  request.allocate.mutable_job()->set_job_id(job_id);
  request.allocate.set_attempt(1);
  request.allocate.set_whole(true);
  request.allocate.set_min_nodes(
      std::uniform_int_distribution<std::uint32_t>(1, 3)(random_));
  if (attached_.has_value()) {
    *request.allocate.add_events()->mutable_release() = *attached_;
  }
  request.allocate.set_after_sequence(sequence_);
  told_.Set(job_id, ToldJobs::State::kAsked);
  request_ = std::move(request);
}

void ToldClient::BeginCommit(std::uint32_t job_id) {
  Request request{Call::kCommit, {}, NextEvent(job_id)};
  v1::Holding& holding = *request.event.mutable_holding();
  *holding.mutable_job() = request.event.job();
  holding.set_nodes(tentative_.at(job_id));
  holding.set_whole(true);
  told_.Set(job_id, ToldJobs::State::kCommitSent);
  request_ = std::move(request);
}

void ToldClient::BeginRelease(bool attach_only) {
  const std::uint32_t job_id = committed_.front();
  committed_.pop_front();
  v1::Event event = NextEvent(job_id);
  told_.Set(job_id, ToldJobs::State::kReleaseSent);
  if (attach_only) {
    attached_ = std::move(event);
    BeginAllocate();
  } else {
    request_ = Request{Call::kRelease, {}, std::move(event)};
  }
}

// Some answers stay tentative for a while.
void ToldClient::Choose() {
  if (attached_.has_value()) {
    request_ = Request{Call::kRelease, {}, *std::exchange(attached_, {})};
    return;
  }
  const auto choice =
      std::uniform_int_distribution<std::uint32_t>(0, 3)(random_);
  if (!tentative_.empty() && (choice > 0 || tentative_.size() > 1)) {
    BeginCommit(tentative_.begin()->first);
  } else if (committed_.size() >= kMaxCommitted ||
             (is_full_ && !committed_.empty())) {
    is_full_ = false;
    BeginRelease(choice == 1);
  } else {
    BeginAllocate();
  }
}

void ToldClient::NoteReply(const v1::AllocateReply& reply) {
  const std::uint32_t job_id = request_->allocate.job().job_id();
  is_full_ = !reply.placed();
  if (is_full_) return told_.Forget(job_id);
  // What is stored with an answer includes the events before it.
  if (attached_.has_value()) {
    told_.Set(attached_->job().job_id(), ToldJobs::State::kReleased);
  }
  told_.Tell(job_id, reply.nodes());
  tentative_[job_id] = reply.nodes();
}

grpc::Status ToldClient::Send(v1::Allocator::Stub& stub,
                              const std::string& epoch) {
  grpc::ClientContext context;
  SetDeadline(context, timeout_);
  if (request_->call == Call::kAllocate) {
    request_->allocate.set_cluster("c");
    request_->allocate.set_epoch(epoch);
    request_->allocate.set_client_id(client_id_);
    request_->allocate.set_now_ms(NowMs());
    v1::AllocateReply reply;
    grpc::Status status = stub.Allocate(&context, request_->allocate, &reply);
    if (status.ok()) NoteReply(reply);
    // The answer, which has not arrived, has expired meanwhile.
    if (status.error_code() == grpc::StatusCode::ABORTED) {
      told_.Forget(request_->allocate.job().job_id());
      return grpc::Status::OK;
    }
    return status;
  }
  v1::Event& event = request_->event;
  event.set_cluster("c");
  event.set_epoch(epoch);
  event.set_client_id(client_id_);
  const std::uint32_t job_id = event.job().job_id();
  v1::EventReply reply;
  if (request_->call == Call::kRelease) {
    grpc::Status status = stub.Release(&context, event, &reply);
    if (status.ok()) told_.Set(job_id, ToldJobs::State::kReleased);
    return status;
  }
  grpc::Status status = stub.Commit(&context, event, &reply);
  if (!status.ok()) return status;
  told_.Set(job_id, ToldJobs::State::kCommitted);
  tentative_.erase(job_id);
  committed_.push_back(job_id);
  return status;
}

grpc::Status ToldClient::RunUntilFailure(v1::Allocator::Stub& stub,
                                         const std::string& epoch) {
  for (;;) {
    grpc::Status status = MakeCall(stub, epoch);
    if (!status.ok()) return status;
  }
}

grpc::Status ToldClient::MakeCall(v1::Allocator::Stub& stub,
                                  const std::string& epoch) {
  if (!request_.has_value()) Choose();
  grpc::Status status = Send(stub, epoch);
  if (status.ok()) request_.reset();
  return status;
}

void ToldClient::Finish(v1::Allocator::Stub& stub, const std::string& epoch) {
  while (request_.has_value() || attached_.has_value() || !tentative_.empty() ||
         !committed_.empty()) {
    if (!request_.has_value()) {
      if (attached_.has_value()) {
        Choose();
      } else if (!tentative_.empty()) {
        BeginCommit(tentative_.begin()->first);
      } else {
        BeginRelease(false);
      }
    }
    const grpc::Status status = Send(stub, epoch);
    ASSERT_TRUE(status.ok()) << status.error_message();
    request_.reset();
  }
}

}  // namespace coolspan
