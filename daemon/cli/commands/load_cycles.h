// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_LOAD_CYCLES_H_
#define COOLSPAN_CLI_COMMANDS_LOAD_CYCLES_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/commands/load_book.h"
#include "cli/commands/load_run.h"
#include "client/async_calls.h"

namespace coolspan {

// The calls of a load test, after its Sync. Each lane has one request in flight
// and an event queue of its own. Not thread-safe.
class LoadCycles {
 public:
  static constexpr std::uint32_t kUnitsOfSharedNode = 4;

  LoadCycles(const LoadPlan& plan, std::string cluster, std::string epoch,
             AsyncCalls& calls, std::atomic<std::uint64_t>& done,
             std::function<bool()> is_interrupted);

  // The phases, in this order. Each ends when no request is in flight. Error:
  // UNAVAILABLE (no answer for a while).
  absl::Status Fill();
  absl::Status Run();
  absl::Status ReleaseAll();

  const LoadBook& book() const { return book_; }
  LoadResult& result() { return result_; }

 private:
  using Clock = AsyncCalls::Clock;
  enum class Phase { kFill, kRun, kReleaseAll };
  struct Lane {
    std::size_t index = 0;
    std::string client_id;
    std::uint64_t sequence = 0;  // of the last event
    std::uint32_t job_id = 0;
    std::uint64_t attempt = 0;
    NodeCount nodes = 0;
  };

  absl::Status RunPhase(Phase phase);
  void Poll();
  void Next(Lane& lane);
  bool MayBegin() const;
  void BeginJob(Lane& lane);
  void Ask(Lane& lane);
  void TakeAnswer(Lane& lane, const v1::AllocateReply& reply);
  void TakeRefusal(Lane& lane, const std::string& reason);
  void Commit(Lane& lane, const std::string& bitmap, std::size_t nodes);
  void Release(Lane& lane, std::uint32_t job_id,
               void (LoadCycles::*then)(Lane&));
  std::optional<std::uint32_t> AnyCommitted();
  v1::Event NextEvent(Lane& lane, std::uint32_t job_id) const;  // of its queue
  void SendCommit(Lane& lane, const v1::Event& event);
  void SendRelease(Lane& lane, const v1::Event& event,
                   void (LoadCycles::*then)(Lane&));
  // Counts a failed call and calls again later.
  void Fail(const char* call, const absl::Status& why,
            std::function<void()> again);
  void NoteAnswer() { last_answer_ = Clock::now(); }
  void NoteProblem(std::string problem);

  const LoadPlan& plan_;
  const std::string cluster_;
  const std::string epoch_;
  AsyncCalls& calls_;
  std::atomic<std::uint64_t>& done_;
  const std::function<bool()> is_interrupted_;
  const std::uint64_t busy_target_;
  std::mt19937_64 random_;
  LoadBook book_;
  std::vector<std::uint32_t> committed_;  // jobs, for a random choice
  std::vector<Lane> lanes_;
  Phase phase_ = Phase::kFill;
  bool is_full_ = false;  // a job did not fit while the machine was filled
  std::uint32_t last_job_ = 0;
  std::uint64_t begun_ = 0;
  std::multimap<Clock::time_point, std::function<void()>> later_;
  Clock::time_point last_answer_;
  absl::Status last_failure_;
  Clock::time_point end_;
  LoadResult result_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_CYCLES_H_
