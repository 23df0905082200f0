// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_INTEGRATION_TOLD_JOBS_H_
#define COOLSPAN_TESTS_INTEGRATION_TOLD_JOBS_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

std::int64_t NowMs();  // the wall clock

// What clients of a daemon were told about their jobs, independent of the
// daemon: the expectations for its ledger after a restart. Thread-safe.
class ToldJobs {
 public:
  enum class State {
    kAsked,        // no answer yet
    kTold,         // an answer: nodes, held tentatively
    kCommitSent,   // not acknowledged
    kCommitted,    // acknowledged
    kReleaseSent,  // not acknowledged
    kReleased,     // acknowledged, also by an answer to a later request
  };

  // Each fails the test if it contradicts what was told before.
  void Set(std::uint32_t job_id, State state);
  void Tell(std::uint32_t job_id, const std::string& bitmap);
  void Forget(std::uint32_t job_id);  // refused
  // Compares with the daemon's list of jobs. Answers may have expired.
  void CheckLedger(v1::Allocator::Stub& stub) const;

  std::uint64_t answers() const;
  std::uint64_t acknowledged() const;

 private:
  struct Job {
    State state = State::kAsked;
    std::set<std::uint32_t> nodes;
    std::int64_t told_ms = 0;
  };

  void CheckJob(std::uint32_t job_id, const Job& job,
                const v1::JobRecord* listed) const;

  mutable std::mutex mutex_;
  std::map<std::uint32_t, Job> jobs_;
  std::map<std::uint32_t, std::uint32_t> holder_of_;  // by node
  std::uint64_t answers_ = 0;
  std::uint64_t acknowledged_ = 0;
};

// A client with one request at a time and a queue of its own. A request
// without an answer is repeated before any other. Not thread-safe.
class ToldClient {
 public:
  // index: different for each client of a test.
  ToldClient(std::uint32_t index, ToldJobs& told);

  // Makes one call: that without an answer, if there is one.
  grpc::Status MakeCall(v1::Allocator::Stub& stub, const std::string& epoch);
  // Of each call from now on; 10 s if it is not set.
  void SetTimeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  // Calls until one fails; returns its status.
  grpc::Status RunUntilFailure(v1::Allocator::Stub& stub,
                               const std::string& epoch);
  // Repeats the request without an answer, if any, and releases all jobs.
  void Finish(v1::Allocator::Stub& stub, const std::string& epoch);

 private:
  enum class Call { kAllocate, kCommit, kRelease };
  struct Request {
    Call call;
    v1::AllocateRequest allocate;
    v1::Event event;
  };

  void Choose();
  void BeginAllocate();
  void BeginCommit(std::uint32_t job_id);
  void BeginRelease(bool attach_only);
  v1::Event NextEvent(std::uint32_t job_id);
  grpc::Status Send(v1::Allocator::Stub& stub, const std::string& epoch);
  void NoteReply(const v1::AllocateReply& reply);

  const std::uint32_t index_;
  const std::string client_id_;
  ToldJobs& told_;
  std::mt19937 random_;
  std::uint32_t jobs_ = 0;
  std::uint64_t sequence_ = 0;
  std::optional<Request> request_;                  // without an answer
  std::map<std::uint32_t, std::string> tentative_;  // bitmaps of answers
  std::deque<std::uint32_t> committed_;
  bool is_full_ = false;  // the last Allocate was refused
  std::chrono::milliseconds timeout_{10'000};
  // Sent with an Allocate, to be called too.
  std::optional<v1::Event> attached_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_INTEGRATION_TOLD_JOBS_H_
