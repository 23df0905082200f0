// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/start_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "service/codec/job_start.h"

namespace coolspan {
namespace {

constexpr const char* kOther = "other";

void AddReasons(const std::map<std::string, std::uint64_t>& reasons,
                google::protobuf::RepeatedPtrField<v1::ReasonCount>& out) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(reasons.begin(),
                                                            reasons.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [reason, jobs] : sorted) {
    v1::ReasonCount& count = *out.Add();
    count.set_reason(reason);
    count.set_jobs(jobs);
  }
}

void AddCost(const ChoiceCost& cost, bool is_pair, bool is_cooled,
             v1::ChoiceCost& sum) {
  sum.set_pairwise_total(sum.pairwise_total() + cost.pairwise_total);
  if (is_pair)
    sum.set_pairwise_mean(sum.pairwise_mean() + cost.pairwise_mean());
  if (is_cooled) sum.set_cooling_w(sum.cooling_w() + *cost.cooling_w);
}

}  // namespace

void StartCounts::Count(const std::string& reason, Reasons& reasons) {
  const bool is_known = reasons.count(reason) > 0;
  // One of them is "other".
  const bool fits = reasons.size() < kMaxReasons - 1;
  ++reasons[is_known || fits ? reason : kOther];
}

void StartCounts::Sum(const AdviceCost& cost, v1::AdviceTotals& totals) {
  const bool is_pair = cost.decided.nodes > 1 && cost.actual.nodes > 1;
  const bool is_cooled =
      cost.decided.cooling_w.has_value() && cost.actual.cooling_w.has_value();
  totals.set_jobs(totals.jobs() + 1);
  if (is_pair) totals.set_jobs_n2(totals.jobs_n2() + 1);
  if (is_cooled) totals.set_jobs_cooling(totals.jobs_cooling() + 1);
  AddCost(cost.decided, is_pair, is_cooled, *totals.mutable_decided());
  AddCost(cost.actual, is_pair, is_cooled, *totals.mutable_actual());
}

void StartCounts::Add(const std::string& cluster, const v1::JobStart& start,
                      const std::optional<AdviceCost>& cost) {
  const std::lock_guard lock(mutex_);
  Counts& counts = clusters_[cluster];
  if (start.verdict() == kEnforced) ++counts.enforced;
  if (start.verdict() == kAdvised) ++counts.advised;
  if (start.verdict() == kLeft) Count(start.reason_class(), counts.left);
  if (start.verdict() == kFallback) {
    Count(start.reason_class(), counts.fallback);
  }
  if (cost.has_value()) Sum(*cost, counts.advice);
}

void StartCounts::Remove(const std::string& cluster) {
  const std::lock_guard lock(mutex_);
  clusters_.erase(cluster);
}

v1::StartCounts StartCounts::Of(const std::string& cluster) const {
  v1::StartCounts out;
  const std::lock_guard lock(mutex_);
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end()) return out;
  const Counts& counts = found->second;
  out.set_enforced(counts.enforced);
  out.set_advised(counts.advised);
  AddReasons(counts.left, *out.mutable_left());
  AddReasons(counts.fallback, *out.mutable_fallback());
  *out.mutable_advice() = counts.advice;
  return out;
}

}  // namespace coolspan
