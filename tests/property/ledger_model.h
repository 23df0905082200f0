// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_LEDGER_MODEL_H_
#define COOLSPAN_TESTS_PROPERTY_LEDGER_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/allocator.h"

namespace coolspan {

// What the Allocator is to do, written as plainly as can be: nothing is kept
// but the list of holdings, everything else is counted anew for each question.
class LedgerModel {
 public:
  LedgerModel(std::shared_ptr<const Machine> machine,
              std::shared_ptr<const Policy> policy, std::vector<Units> capacity)
      : machine_(std::move(machine)),
        policy_(std::move(policy)),
        capacity_(std::move(capacity)) {}

  struct Held {
    Holding holding;
    std::uint64_t since = 0;  // older ones first
  };
  struct Answer {
    std::uint32_t restart = 0;
    std::uint64_t attempt = 0;
    bool over = false;
    bool placed = false;
    std::vector<NodeId> nodes;
    TimeMs forget_ms = 0;
  };
  struct Outcome {
    absl::StatusCode code = absl::StatusCode::kOk;
    bool placed = false;
    std::vector<NodeId> nodes;
  };

  const std::map<std::uint32_t, Held>& held() const { return held_; }
  const std::map<std::uint32_t, Answer>& answers() const { return answers_; }
  TimeMs now_ms() const { return now_ms_; }

  bool IsFreeWhole(NodeId node) const { return JobsOn(node).empty(); }
  Units FreeUnits(NodeId node) const {
    Units used = 0;
    for (const Held* held : JobsOn(node)) used += UnitsOn(*held, node);
    return capacity_[node] - used;
  }
  Units capacity(NodeId node) const { return capacity_[node]; }

  std::vector<JobKey> AdvanceTo(TimeMs now_ms) {
    now_ms_ = std::max(now_ms_, now_ms);
    std::erase_if(answers_, [this](const auto& entry) {
      return entry.second.forget_ms <= now_ms_;
    });
    std::vector<std::pair<TimeMs, JobKey>> expired;
    for (const auto& [job_id, held] : held_) {
      if (!held.holding.committed && held.holding.expires_ms <= now_ms_) {
        expired.emplace_back(held.holding.expires_ms, held.holding.job);
      }
    }
    std::stable_sort(
        expired.begin(), expired.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<JobKey> jobs;
    for (const auto& [expires_ms, job] : expired) {
      held_.erase(job.job_id);
      jobs.push_back(job);
    }
    return jobs;
  }

  // REQUIRES a call that passes the Allocator's argument checks.
  Outcome Allocate(const AllocateCall& call) {
    AdvanceTo(call.now_ms);
    const auto asked = std::pair(call.job.restart, call.attempt);
    const auto answer = answers_.find(call.job.job_id);
    const auto held = held_.find(call.job.job_id);
    if (answer != answers_.end() &&
        asked < std::pair(answer->second.restart, answer->second.attempt)) {
      return {absl::StatusCode::kAborted, false, {}};
    }
    if (held != held_.end() &&
        asked < std::pair(held->second.holding.job.restart,
                          held->second.holding.attempt)) {
      return {absl::StatusCode::kAborted, false, {}};
    }
    if (answer != answers_.end() &&
        asked == std::pair(answer->second.restart, answer->second.attempt)) {
      return Repeat(call, answer->second);
    }
    if (held != held_.end()) {
      const Holding& holding = held->second.holding;
      if (holding.job == call.job && holding.attempt == call.attempt &&
          !holding.decision_id.empty() && !holding.disputed) {
        return {absl::StatusCode::kOk, true, holding.nodes};
      }
      if (holding.job == call.job && holding.committed) {
        return {absl::StatusCode::kFailedPrecondition, false, {}};
      }
      held_.erase(held);
    }
    const std::optional<std::vector<NodeId>> nodes = Choose(call);
    if (nodes.has_value()) Hold(*Tentative(call, *nodes));
    answers_[call.job.job_id] = {call.job.restart,
                                 call.attempt,
                                 false,
                                 nodes.has_value(),
                                 nodes.value_or(std::vector<NodeId>{}),
                                 now_ms_ + Allocator::kRememberMs};
    return {absl::StatusCode::kOk, nodes.has_value(),
            nodes.value_or(std::vector<NodeId>{})};
  }

  // What a new attempt would get.
  std::optional<std::vector<NodeId>> Preview(const AllocateCall& call) const {
    LedgerModel then = *this;
    then.AdvanceTo(call.now_ms);
    const auto held = then.held_.find(call.job.job_id);
    if (held != then.held_.end() &&
        (!held->second.holding.committed ||
         held->second.holding.job.restart < call.job.restart)) {
      then.held_.erase(held);
    }
    return then.Choose(call);
  }

  Allocator::CommitResult Commit(const Allocator::Fact& fact, TimeMs now_ms) {
    AdvanceTo(now_ms);
    if (SeenLaterRun(fact.job)) return {};
    Holding holding = CommitFact(fact, held_);
    Allocator::CommitResult result;
    result.as_decided = !holding.decision_id.empty();
    result.disputed = State(std::move(holding));
    return result;
  }

  std::vector<JobKey> Suspend(JobKey job, bool suspended, TimeMs now_ms) {
    AdvanceTo(now_ms);
    const auto held = held_.find(job.job_id);
    if (held == held_.end() || held->second.holding.job != job ||
        !held->second.holding.committed ||
        held->second.holding.suspended == suspended) {
      return {};
    }
    Holding holding = held->second.holding;
    held_.erase(held);
    holding.suspended = suspended;
    std::vector<JobKey> disputed = PushAside(holding);
    Hold(std::move(holding));
    return disputed;
  }

  bool Release(JobKey job, TimeMs now_ms) {
    AdvanceTo(now_ms);
    if (SeenLaterRun(job)) return false;
    const auto held = held_.find(job.job_id);
    const auto answer = answers_.find(job.job_id);
    if (answer != answers_.end()) {
      answer->second.over = true;
    } else if (held != held_.end()) {
      EndRun(held->second.holding);
    }
    return held_.erase(job.job_id) > 0;
  }

  std::vector<JobKey> Sync(std::vector<Units> capacity,
                           const std::vector<Allocator::Fact>& facts,
                           TimeMs now_ms) {
    AdvanceTo(now_ms);
    const std::map<std::uint32_t, Held> before = std::exchange(held_, {});
    capacity_ = std::move(capacity);
    for (const Allocator::Fact& fact : facts) {
      const auto answer = answers_.find(fact.job.job_id);
      if (answer != answers_.end() &&
          answer->second.restart > fact.job.restart) {
        answers_.erase(answer);
      }
      State(CommitFact(fact, before));
    }
    std::vector<JobKey> disagreed;
    for (const auto& [job_id, old] : before) {
      const auto now = held_.find(job_id);
      if (!old.holding.committed) {
        if (now == held_.end() && Fits(old.holding)) Hold(old.holding);
        continue;
      }
      if (now == held_.end()) EndRun(old.holding);
      if (now == held_.end() || now->second.holding.job != old.holding.job ||
          now->second.holding.nodes != old.holding.nodes) {
        disagreed.push_back(old.holding.job);
      }
    }
    return disagreed;
  }

 private:
  static bool Has(const std::vector<NodeId>& nodes, NodeId node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  }

  std::vector<const Held*> JobsOn(NodeId node) const {
    std::vector<const Held*> jobs;
    for (const auto& [job_id, held] : held_) {
      if (!held.holding.suspended && Has(held.holding.nodes, node)) {
        jobs.push_back(&held);
      }
    }
    return jobs;
  }

  Units UnitsOn(const Held& held, NodeId node) const {
    if (held.holding.whole) return capacity_[node];
    for (std::size_t i = 0; i < held.holding.nodes.size(); ++i) {
      if (held.holding.nodes[i] == node) return held.holding.units[i];
    }
    return 0;
  }

  bool FitsOn(NodeId node, bool whole, Units units) const {
    return whole ? IsFreeWhole(node) : FreeUnits(node) >= units;
  }

  bool Fits(const Holding& holding) const {
    for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
      const Units units = holding.whole ? 0 : holding.units[i];
      if (!FitsOn(holding.nodes[i], holding.whole, units)) return false;
    }
    return true;
  }

  void Hold(Holding holding) {
    const std::uint32_t job_id = holding.job.job_id;
    held_[job_id] = {std::move(holding), ++clock_};
  }

  void EndRun(const Holding& holding) {
    answers_[holding.job.job_id] = {holding.job.restart,
                                    holding.attempt,
                                    true,
                                    false,
                                    {},
                                    now_ms_ + Allocator::kRememberMs};
  }

  bool SeenLaterRun(JobKey job) const {
    const auto answer = answers_.find(job.job_id);
    const auto held = held_.find(job.job_id);
    return (answer != answers_.end() && answer->second.restart > job.restart) ||
           (held != held_.end() &&
            held->second.holding.job.restart > job.restart);
  }

  std::optional<std::vector<NodeId>> Choose(const AllocateCall& call) const {
    NodeSet available(machine_->node_count());
    std::vector<Units> free_units;
    for (NodeId node = 0; node < machine_->node_count(); ++node) {
      free_units.push_back(FreeUnits(node));
      const bool is_free =
          call.request.whole ? IsFreeWhole(node) : free_units[node] > 0;
      const bool offered =
          call.candidates.size() == 0 || call.candidates.Contains(node);
      const bool excluded =
          call.excluded.size() != 0 && call.excluded.Contains(node);
      if (is_free && offered && !excluded) available.Insert(node);
    }
    if (call.request.required.size() != 0 &&
        !call.request.required.IsSubsetOf(available)) {
      return std::nullopt;
    }
    const UnitsByNode units_by_node(free_units);
    Budget budget;
    Trace trace;
    auto allocation =
        policy_->Place(MachineView(*machine_, available, &units_by_node, 0),
                       call.request, budget, trace);
    if (!allocation.has_value()) return std::nullopt;
    return allocation->nodes;
  }

  std::optional<Holding> Tentative(const AllocateCall& call,
                                   const std::vector<NodeId>& nodes) const {
    Holding holding;
    holding.job = call.job;
    holding.attempt = call.attempt;
    holding.whole = call.request.whole;
    holding.nodes = nodes;
    holding.expires_ms = now_ms_ + Allocator::kTentativeMs;
    holding.decision_id = std::to_string(call.job.job_id) + "." +
                          std::to_string(call.job.restart) + "." +
                          std::to_string(call.attempt);
    if (!holding.whole) {
      holding.units.assign(nodes.size(), 1);
      std::uint32_t met = static_cast<std::uint32_t>(nodes.size());
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        while (met < call.request.demand.units &&
               holding.units[i] < FreeUnits(nodes[i])) {
          ++holding.units[i];
          ++met;
        }
      }
      if (met < call.request.demand.units) return std::nullopt;
    }
    if (!Fits(holding)) return std::nullopt;
    return holding;
  }

  Outcome Repeat(const AllocateCall& call, Answer& answer) {
    if (answer.over) return {absl::StatusCode::kAborted, false, {}};
    if (answer.placed && !held_.contains(call.job.job_id)) {
      std::optional<Holding> holding = Tentative(call, answer.nodes);
      if (!holding.has_value()) return {absl::StatusCode::kAborted, false, {}};
      Hold(*std::move(holding));
      answer.forget_ms = now_ms_ + Allocator::kRememberMs;
    }
    return {absl::StatusCode::kOk, answer.placed, answer.nodes};
  }

  Holding CommitFact(const Allocator::Fact& fact,
                     const std::map<std::uint32_t, Held>& before) const {
    Holding holding;
    holding.job = fact.job;
    holding.committed = true;
    holding.whole = fact.whole;
    holding.suspended = fact.suspended;
    holding.nodes = fact.nodes;
    if (!fact.whole) {
      for (std::size_t i = 0; i < fact.nodes.size(); ++i) {
        const Units units = i < fact.units.size() ? fact.units[i] : 1;
        holding.units.push_back(std::max<Units>(
            1, std::min<Units>(units, capacity_[fact.nodes[i]])));
      }
    }
    const auto answer = answers_.find(fact.job.job_id);
    const auto held = before.find(fact.job.job_id);
    if (answer != answers_.end() &&
        answer->second.restart == fact.job.restart) {
      holding.attempt = answer->second.attempt;
      if (!answer->second.over && answer->second.placed &&
          answer->second.nodes == fact.nodes) {
        holding.decision_id = std::to_string(fact.job.job_id) + "." +
                              std::to_string(fact.job.restart) + "." +
                              std::to_string(holding.attempt);
      }
    } else if (held != before.end() && held->second.holding.job == fact.job) {
      holding.attempt = held->second.holding.attempt;
    }
    if (held != before.end() && held->second.holding.job == fact.job) {
      const Holding& old = held->second.holding;
      const std::set<NodeId> was(old.nodes.begin(), old.nodes.end());
      const std::set<NodeId> is(fact.nodes.begin(), fact.nodes.end());
      std::set<NodeId> both = was;
      both.insert(is.begin(), is.end());
      // Shrunk or grown since it was committed.
      const bool resized = both == was || both == is;
      if (was == is || (old.committed && resized)) {
        holding.decision_id = old.decision_id;
      }
    }
    return holding;
  }

  std::vector<JobKey> State(Holding holding) {
    const std::uint32_t job_id = holding.job.job_id;
    if (const auto old = held_.find(job_id); old != held_.end()) {
      const Holding& was = old->second.holding;
      if (was.nodes == holding.nodes && was.units == holding.units &&
          was.whole == holding.whole && was.suspended == holding.suspended) {
        old->second.holding = std::move(holding);
        return {};
      }
      held_.erase(old);
    }
    std::vector<JobKey> disputed = PushAside(holding);
    Hold(std::move(holding));
    return disputed;
  }

  std::vector<JobKey> PushAside(const Holding& newcomer) {
    if (newcomer.suspended) return {};
    std::set<std::uint32_t> losers;
    for (std::size_t i = 0; i < newcomer.nodes.size(); ++i) {
      const NodeId node = newcomer.nodes[i];
      const Units units = newcomer.whole ? 0 : newcomer.units[i];
      while (!FitsOn(node, newcomer.whole, units)) {
        std::vector<const Held*> jobs = JobsOn(node);
        const Held* victim = *std::min_element(
            jobs.begin(), jobs.end(), [](const Held* a, const Held* b) {
              return std::pair(a->holding.committed, a->since) <
                     std::pair(b->holding.committed, b->since);
            });
        const std::uint32_t job_id = victim->holding.job.job_id;
        if (victim->holding.committed) {
          LoseNode(held_[job_id].holding, node);
          losers.insert(job_id);
        } else {
          held_.erase(job_id);
        }
      }
    }
    std::vector<JobKey> disputed;
    for (const std::uint32_t job_id : losers) {
      disputed.push_back(held_[job_id].holding.job);
    }
    return disputed;
  }

  static void LoseNode(Holding& holding, NodeId node) {
    const auto at = std::find(holding.nodes.begin(), holding.nodes.end(), node);
    if (!holding.whole) {
      holding.units.erase(holding.units.begin() + (at - holding.nodes.begin()));
    }
    holding.nodes.erase(at);
    holding.contested.push_back(node);
    std::sort(holding.contested.begin(), holding.contested.end());
    holding.disputed = true;
  }

  std::shared_ptr<const Machine> machine_;
  std::shared_ptr<const Policy> policy_;
  std::vector<Units> capacity_;
  std::map<std::uint32_t, Held> held_;
  std::map<std::uint32_t, Answer> answers_;
  std::uint64_t clock_ = 0;
  TimeMs now_ms_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_LEDGER_MODEL_H_
