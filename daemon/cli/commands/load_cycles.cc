// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/load_cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

constexpr std::chrono::milliseconds kRetryAfter{50};
// How long a test goes on without an answer: a daemon may be restarted.
constexpr std::chrono::seconds kMaxSilence{10};
constexpr std::chrono::milliseconds kPollTime{100};
constexpr std::uint64_t kMaxAttempts = 1000;

std::int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

float MicrosecondsOf(AsyncCalls::Clock::duration took) {
  return std::chrono::duration<float, std::micro>(took).count();
}

}  // namespace

LoadCycles::LoadCycles(const LoadPlan& plan, std::string cluster,
                       std::string epoch, AsyncCalls& calls,
                       std::atomic<std::uint64_t>& done,
                       std::function<bool()> is_interrupted)
    : plan_(plan),
      cluster_(std::move(cluster)),
      epoch_(std::move(epoch)),
      calls_(calls),
      done_(done),
      is_interrupted_(std::move(is_interrupted)),
      busy_target_(static_cast<std::uint64_t>(
          (1 - plan.free) * plan.machine->node_count() *
          (plan.shared ? kUnitsOfSharedNode : 1))),
      random_(plan.seed),
      book_(plan.machine->node_count(), plan.shared ? kUnitsOfSharedNode : 1),
      lanes_(plan.concurrency),
      last_answer_(Clock::now()),
      end_(Clock::now() + plan.max_time) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].index = i;
    lanes_[i].client_id = fmt::format("{}/{}", cluster_, i);
  }
  result_.cluster = cluster_;
}

absl::Status LoadCycles::Fill() { return RunPhase(Phase::kFill); }

absl::Status LoadCycles::Run() {
  const Clock::time_point start = Clock::now();
  result_.times = {};
  result_.refused_by.clear();
  absl::Status status = RunPhase(Phase::kRun);
  result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return status;
}

absl::Status LoadCycles::ReleaseAll() {
  LoadTimes times = std::move(result_.times);
  absl::Status status = RunPhase(Phase::kReleaseAll);
  result_.times = std::move(times);
  return status;
}

absl::Status LoadCycles::RunPhase(Phase phase) {
  phase_ = phase;
  NoteAnswer();
  for (Lane& lane : lanes_) Next(lane);
  while (calls_.in_flight() > 0 || !later_.empty()) {
    Poll();
    if (Clock::now() - last_answer_ < kMaxSilence) continue;
    const auto code = last_failure_.ok() ? absl::StatusCode::kUnavailable
                                         : last_failure_.code();
    return {code,
            fmt::format("no successful call for {} s: {}", kMaxSilence.count(),
                        last_failure_.ok()
                            ? std::string("coolspand does not respond")
                            : std::string(last_failure_.message()))};
  }
  return absl::OkStatus();
}

void LoadCycles::Poll() {
  const Clock::time_point now = Clock::now();
  while (!later_.empty() && later_.begin()->first <= now) {
    const std::function<void()> due = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    due();
  }
  const Clock::time_point until = now + kPollTime;
  calls_.Poll(later_.empty() ? until : std::min(until, later_.begin()->first));
}

bool LoadCycles::MayBegin() const {
  if (phase_ == Phase::kFill) {
    return !is_full_ && book_.busy() < busy_target_;
  }
  return begun_ < plan_.jobs && !result_.is_interrupted &&
         !result_.is_out_of_time;
}

// The lane has no request in flight and may send the next one.
void LoadCycles::Next(Lane& lane) {
  if (is_interrupted_()) result_.is_interrupted = true;
  if (Clock::now() >= end_) result_.is_out_of_time = true;
  if (result_.is_interrupted) return;
  const bool is_over = phase_ == Phase::kReleaseAll ||
                       (phase_ == Phase::kRun && book_.busy() > busy_target_);
  if (is_over) {
    if (const auto job = AnyCommitted()) {
      return Release(lane, *job, &LoadCycles::Next);
    }
  }
  if (phase_ != Phase::kReleaseAll && MayBegin()) BeginJob(lane);
}

void LoadCycles::BeginJob(Lane& lane) {
  if (phase_ == Phase::kRun) ++begun_;
  lane.job_id = ++last_job_;
  lane.attempt = 1;
  lane.nodes = plan_.sizes.Draw(random_);
  Ask(lane);
}

void LoadCycles::Ask(Lane& lane) {
  v1::AllocateRequest request;
  request.set_cluster(cluster_);
  request.set_epoch(epoch_);
  request.set_client_id(lane.client_id);
  request.set_after_sequence(lane.sequence);
  request.mutable_job()->set_job_id(lane.job_id);
  request.set_attempt(lane.attempt);
  request.set_now_ms(WallMs());
  request.set_min_nodes(lane.nodes);
  request.set_whole(!plan_.shared);
  if (plan_.shared) request.set_units(lane.nodes);
  calls_.Allocate(lane.index, request,
                  [this, &lane](absl::StatusOr<v1::AllocateReply> reply,
                                Clock::duration took) {
                    if (!reply.ok()) {
                      // Its nodes expired while the daemon did not answer.
                      if (absl::IsAborted(reply.status())) ++lane.attempt;
                      return Fail("allocate", reply.status(),
                                  [this, &lane] { Ask(lane); });
                    }
                    NoteAnswer();
                    result_.times.allocate_us.push_back(MicrosecondsOf(took));
                    if (reply->placed()) return TakeAnswer(lane, *reply);
                    TakeRefusal(lane, reply->reason());
                  });
}

void LoadCycles::TakeAnswer(Lane& lane, const v1::AllocateReply& reply) {
  std::vector<NodeId> nodes = NodesOfBitmap(reply.nodes());
  const std::size_t count = nodes.size();
  if (count != lane.nodes || nodes.back() >= plan_.machine->node_count()) {
    ++result_.wrong;
    NoteProblem(fmt::format("job {} asked for {} nodes and got {}", lane.job_id,
                            lane.nodes, count));
    return Next(lane);
  }
  if (!book_.Take(lane.job_id, std::move(nodes))) {
    ++result_.held_twice;
    NoteProblem(
        fmt::format("decision {} gave job {} a node that other jobs hold",
                    reply.decision_id(), lane.job_id));
  }
  Commit(lane, reply.nodes(), count);
}

void LoadCycles::TakeRefusal(Lane& lane, const std::string& reason) {
  ++result_.refused_by[WithoutNumbers(reason)];
  if (phase_ == Phase::kFill) {
    is_full_ = true;
    return;
  }
  if (++lane.attempt > kMaxAttempts || result_.is_interrupted) {
    ++result_.not_placed;
    NoteProblem(fmt::format("job {} was not placed: {}", lane.job_id, reason));
    return Next(lane);
  }
  if (const auto job = AnyCommitted()) {
    return Release(lane, *job, &LoadCycles::Ask);
  }
  // The other lanes hold all nodes.
  later_.emplace(Clock::now() + kRetryAfter, [this, &lane] { Ask(lane); });
}

v1::Event LoadCycles::NextEvent(Lane& lane, std::uint32_t job_id) const {
  v1::Event event;
  event.set_cluster(cluster_);
  event.set_epoch(epoch_);
  event.set_client_id(lane.client_id);
  event.set_sequence(++lane.sequence);
  event.set_now_ms(WallMs());
  event.mutable_job()->set_job_id(job_id);
  return event;
}

void LoadCycles::Commit(Lane& lane, const std::string& bitmap,
                        std::size_t nodes) {
  v1::Event event = NextEvent(lane, lane.job_id);
  v1::Holding& holding = *event.mutable_holding();
  *holding.mutable_job() = event.job();
  holding.set_nodes(bitmap);
  holding.set_whole(!plan_.shared);
  if (plan_.shared) {
    holding.mutable_units()->Resize(static_cast<int>(nodes), 1);
  }
  SendCommit(lane, event);
}

void LoadCycles::SendCommit(Lane& lane, const v1::Event& event) {
  calls_.Commit(
      lane.index, event,
      [this, &lane, event](const absl::StatusOr<v1::EventReply>& reply,
                           Clock::duration took) {
        if (!reply.ok()) {
          return Fail("commit", reply.status(),
                      [this, &lane, event] { SendCommit(lane, event); });
        }
        NoteAnswer();
        result_.times.commit_us.push_back(MicrosecondsOf(took));
        committed_.push_back(lane.job_id);
        ++(phase_ == Phase::kFill ? result_.filled : result_.placed);
        done_.store(result_.placed, std::memory_order_relaxed);
        Next(lane);
      });
}

std::optional<std::uint32_t> LoadCycles::AnyCommitted() {
  if (committed_.empty()) return std::nullopt;
  std::uniform_int_distribution<std::size_t> index(0, committed_.size() - 1);
  std::swap(committed_[index(random_)], committed_.back());
  const std::uint32_t job = committed_.back();
  committed_.pop_back();
  return job;
}

void LoadCycles::Release(Lane& lane, std::uint32_t job_id,
                         void (LoadCycles::*then)(Lane&)) {
  book_.Give(job_id);
  SendRelease(lane, NextEvent(lane, job_id), then);
}

void LoadCycles::SendRelease(Lane& lane, const v1::Event& event,
                             void (LoadCycles::*then)(Lane&)) {
  calls_.Release(
      lane.index, event,
      [this, &lane, event, then](const absl::StatusOr<v1::EventReply>& reply,
                                 Clock::duration took) {
        if (!reply.ok()) {
          return Fail("release", reply.status(), [this, &lane, event, then] {
            SendRelease(lane, event, then);
          });
        }
        NoteAnswer();
        result_.times.release_us.push_back(MicrosecondsOf(took));
        ++result_.released;
        (this->*then)(lane);
      });
}

void LoadCycles::Fail(const char* call, const absl::Status& why,
                      std::function<void()> again) {
  const std::string message(why.message());
  last_failure_ = why;
  ++result_.failed_by[fmt::format("{}: {}", call, WithoutNumbers(message))];
  NoteProblem(fmt::format("{}: {}", call, message));
  if (is_interrupted_()) result_.is_interrupted = true;
  if (result_.is_interrupted) return;
  later_.emplace(Clock::now() + kRetryAfter, std::move(again));
}

void LoadCycles::NoteProblem(std::string problem) {
  if (result_.first_problem.empty()) result_.first_problem = std::move(problem);
}

}  // namespace coolspan
