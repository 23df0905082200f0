// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/load_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/calls.h"
#include "client/client.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kCluster[] = "load";
constexpr std::uint32_t kJobsPerWorker = 4;  // held at a time
constexpr int kMaxAttempts = 10'000;         // to place a job
// Long: a slow answer is to be measured, not to count as a failure.
constexpr std::chrono::seconds kTimeout{30};

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

std::vector<NodeId> Members(const std::string& bitmap) {
  std::vector<NodeId> nodes;
  for (std::size_t byte = 0; byte < bitmap.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((static_cast<unsigned char>(bitmap[byte]) >> bit & 1) != 0) {
        nodes.push_back(static_cast<NodeId>(byte * 8 + bit));
      }
    }
  }
  return nodes;
}

// The holder of each node according to the answers of the daemon. Thread-safe.
class Holders {
 public:
  explicit Holders(NodeCount nodes) : holders_(nodes) {}

  // False if another job holds one of them.
  bool Take(std::span<const NodeId> nodes, std::uint32_t job) {
    bool all_free = true;
    for (const NodeId node : nodes) {
      std::uint32_t nobody = 0;
      all_free &= holders_[node].compare_exchange_strong(nobody, job);
    }
    return all_free;
  }
  void Give(std::span<const NodeId> nodes, std::uint32_t job) {
    for (const NodeId node : nodes) {
      std::uint32_t holder = job;
      holders_[node].compare_exchange_strong(holder, 0);
    }
  }

 private:
  std::vector<std::atomic<std::uint32_t>> holders_;
};

class Load {
 public:
  Load(const LoadPlan& plan, AllocatorClient& client)
      : plan_(plan), client_(client), holders_(plan.machine->node_count()) {}

  LoadResult Run() {
    const Clock::time_point start = Clock::now();
    std::vector<std::thread> workers;
    for (std::uint32_t i = 0; i < plan_.concurrency; ++i) {
      workers.emplace_back([this, i] { Work(i); });
    }
    for (std::thread& worker : workers) worker.join();
    result_.seconds = MicrosecondsSince(start) / 1e6;
    std::sort(result_.allocate_us.begin(), result_.allocate_us.end());
    return std::move(result_);
  }

 private:
  struct Kept {
    std::uint32_t job;
    std::vector<NodeId> nodes;
  };

  void Work(std::uint32_t worker) {
    std::mt19937_64 random(plan_.seed + worker);
    const NodeCount largest = std::max<NodeCount>(
        1, plan_.machine->node_count() / (plan_.concurrency * kJobsPerWorker));
    std::uniform_int_distribution<NodeCount> size(1, largest);
    std::deque<Kept> kept;
    for (std::uint32_t job = ++last_job_; job <= plan_.jobs;
         job = ++last_job_) {
      if (kept.size() >= kJobsPerWorker) Release(kept);
      PlaceOne(job, size(random), kept);
    }
    while (!kept.empty()) Release(kept);
  }

  void PlaceOne(std::uint32_t job, NodeCount nodes, std::deque<Kept>& kept) {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      const Clock::time_point start = Clock::now();
      auto reply = client_.Allocate(RequestOf(job, nodes));
      const double elapsed_us = MicrosecondsSince(start);
      if (!reply.ok()) {
        return NoteFailure(std::string{reply.status().message()});
      }
      {
        const std::lock_guard lock(mutex_);
        result_.allocate_us.push_back(elapsed_us);
      }
      if (reply->placed()) return Keep(job, nodes, *reply, kept);
      if (kept.empty()) {
        std::this_thread::yield();
      } else {
        Release(kept);
      }
    }
    const std::lock_guard lock(mutex_);
    ++result_.not_placed;
  }

  void Keep(std::uint32_t job, NodeCount asked, const v1::AllocateReply& reply,
            std::deque<Kept>& kept) {
    Kept fresh{job, Members(reply.nodes())};
    if (fresh.nodes.size() != asked ||
        fresh.nodes.back() >= plan_.machine->node_count()) {
      return NoteFailure(fmt::format("job {} asked for {} nodes and got {}",
                                     job, asked, fresh.nodes.size()));
    }
    const bool all_free = holders_.Take(fresh.nodes, job);
    v1::Holding holding;
    holding.mutable_job()->set_job_id(job);
    holding.set_nodes(reply.nodes());
    holding.set_whole(true);
    client_.Commit(std::move(holding));
    kept.push_back(std::move(fresh));
    const std::lock_guard lock(mutex_);
    ++result_.placed;
    if (all_free) return;
    ++result_.held_twice;
    if (result_.first_problem.empty()) {
      result_.first_problem =
          fmt::format("decision {} gave job {} a node that another job holds",
                      reply.decision_id(), job);
    }
  }

  void Release(std::deque<Kept>& kept) {
    const Kept& oldest = kept.front();
    holders_.Give(oldest.nodes, oldest.job);
    v1::Job job;
    job.set_job_id(oldest.job);
    client_.Release(std::move(job));
    kept.pop_front();
  }

  static v1::AllocateRequest RequestOf(std::uint32_t job, NodeCount nodes) {
    v1::AllocateRequest request;
    request.mutable_job()->set_job_id(job);
    request.set_min_nodes(nodes);
    request.set_whole(true);
    return request;
  }

  void NoteFailure(std::string why) {
    const std::lock_guard lock(mutex_);
    ++result_.failed;
    if (result_.first_problem.empty()) result_.first_problem = std::move(why);
  }

  const LoadPlan& plan_;
  AllocatorClient& client_;
  Holders holders_;
  std::atomic<std::uint32_t> last_job_{0};
  std::mutex mutex_;
  LoadResult result_;
};

v1::SyncRequest EmptyCluster(const Machine& machine) {
  v1::SyncRequest snapshot;
  for (NodeId node = 0; node < machine.node_count(); ++node) {
    snapshot.add_hostlist(machine.NodeName(node));
  }
  v1::UnitsRun& run = *snapshot.add_capacity();
  run.set_nodes(machine.node_count());
  run.set_units(1);
  return snapshot;
}

bool WaitFor(const std::function<bool()>& condition) {
  const Clock::time_point until = Clock::now() + kTimeout;
  while (!condition()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

absl::StatusOr<std::uint32_t> JobsInLedger(Calls& calls) {
  v1::JobsRequest request;
  request.set_cluster(kCluster);
  const auto jobs = calls.Jobs(request);
  if (!jobs.ok()) return jobs.status();
  return static_cast<std::uint32_t>(jobs->jobs_size());
}

}  // namespace

absl::StatusOr<LoadResult> RunLoad(const LoadPlan& plan) {
  const auto calls = Calls::Create(plan.endpoints);
  if (!calls.ok()) return calls.status();
  const auto status = (*calls)->Status();
  if (!status.ok()) return status.status();
  if (status->machine_fingerprint() != plan.machine->Fingerprint()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--machine: ", plan.machine->name(),
                     " differs in nodes or distances from ", status->machine(),
                     " (expected the machine file of the daemon)"));
  }

  ClientOptions options;
  options.endpoints = plan.endpoints;
  options.cluster = kCluster;
  options.deadline = kTimeout;
  options.breaker_period = kTimeout;
  options.queue_capacity = 4 * std::size_t{plan.jobs} + 16;
  const auto client = AllocatorClient::Create(std::move(options));
  if (!client.ok()) return client.status();
  (*client)->Sync(EmptyCluster(*plan.machine));
  if (!WaitFor([&] { return (*client)->Counters().syncs_acknowledged > 0; })) {
    return absl::UnavailableError(
        "the daemon did not acknowledge the sync of cluster 'load'");
  }

  LoadResult result = Load(plan, **client).Run();
  const bool delivered = WaitFor([&] {
    const ClientCounters counters = (*client)->Counters();
    return counters.events_acknowledged == counters.events_queued;
  });
  const auto left_over = JobsInLedger(**calls);
  if (!left_over.ok()) return left_over.status();
  result.left_over = *left_over;
  if (!delivered && result.first_problem.empty()) {
    result.first_problem = "some events were not acknowledged";
  }
  return result;
}

}  // namespace coolspan
