// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/write_chain.h"

#include <fmt/format.h>

#include <utility>

#include "etcd/stored_values.h"

namespace coolspan {
namespace {

using etcdserverpb::Compare;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

namespace keys = cluster_keys;

// etcd's limits are 128 operations and 1.5 MiB; a transaction has one more
// operation, for the fence.
constexpr std::size_t kMaxOps = 120;
constexpr std::size_t kMaxBytes = 1'000'000;
// Of one that a transaction has for itself.
constexpr std::size_t kMaxValueBytes = 1'400'000;
// Of an operation besides key and value.
constexpr std::size_t kOpBytes = 32;

void CompareNumber(TxnRequest& request, const std::string& key,
                   Compare::CompareTarget target, std::int64_t number) {
  Compare& compare = *request.add_compare();
  compare.set_result(Compare::EQUAL);
  compare.set_target(target);
  compare.set_key(key);
  if (target == Compare::CREATE) {
    compare.set_create_revision(number);
  } else {
    compare.set_mod_revision(number);
  }
}

void AddRead(google::protobuf::RepeatedPtrField<etcdserverpb::RequestOp>& ops,
             const std::string& key, const std::string& range_end = "") {
  auto& range = *ops.Add()->mutable_request_range();
  range.set_key(key);
  range.set_range_end(range_end);
}

const mvccpb::KeyValue* OnlyKey(const TxnResponse& response, int index) {
  if (index >= response.responses_size()) return nullptr;
  const auto& range = response.responses(index).response_range();
  return range.kvs_size() == 0 ? nullptr : &range.kvs(0);
}

std::size_t BytesOf(const std::string& root, const std::string& key,
                    const std::optional<std::string>& value) {
  return root.size() + key.size() + (value.has_value() ? value->size() : 0) +
         kOpBytes;
}

}  // namespace

WriteChain::WriteChain(EtcdKeys keys, std::string cluster, std::uint64_t term)
    : keys_(std::move(keys)),
      cluster_(std::move(cluster)),
      root_(keys_.Cluster(cluster_)),
      term_(term),
      last_revision_(static_cast<std::int64_t>(term)) {}

WriteChain::Step& WriteChain::Last() {
  if (steps_.empty() || steps_.back().is_removal) steps_.emplace_back();
  return steps_.back();
}

void WriteChain::Put(Step& step, const std::string& key,
                     std::optional<std::string> value) {
  if (value.has_value() && value->size() > kMaxValueBytes) {
    status_ = absl::InvalidArgumentError(
        fmt::format("etcd: {}{} takes {} bytes (expected at most {})", root_,
                    key, value->size(), kMaxValueBytes));
  }
  step.bytes += BytesOf(root_, key, value);
  step.pairs.insert_or_assign(key, std::move(value));
}

void WriteChain::Begin(std::span<const LedgerChange> changes) {
  steps_.clear();
  recovery_.clear();
  if (!status_.ok()) is_read_ = false;
  status_ = absl::OkStatus();
  replaces_all_ = !changes.empty() && (changes.front().is_removed ||
                                       changes.front().synced.has_value());
  for (const LedgerChange& change : changes) {
    if (change.is_removed) {
      steps_.emplace_back();
      steps_.back().is_removal = true;
    }
    if (change.synced.has_value()) {
      AddLarge(change);
      continue;
    }
    auto pairs = PairsOf(change);
    if (pairs.empty()) continue;
    std::size_t bytes = 0;
    for (const auto& [key, value] : pairs) bytes += BytesOf(root_, key, value);
    if (pairs.size() > kMaxOps || bytes > kMaxBytes) {
      AddLarge(change);
    } else {
      AddSmall(std::move(pairs), bytes);
    }
  }
}

void WriteChain::AddSmall(
    std::map<std::string, std::optional<std::string>>&& pairs,
    std::size_t bytes) {
  const Step& last = Last();
  if (last.ops() + pairs.size() > kMaxOps || last.bytes + bytes > kMaxBytes) {
    steps_.emplace_back();
  }
  Step& step = Last();
  for (auto& [key, value] : pairs) Put(step, key, std::move(value));
}

void WriteChain::AddLarge(const LedgerChange& change) {
  const std::vector<std::string> parts = RedoPartsOf(change);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    steps_.emplace_back();
    Put(steps_.back(), keys::Part(keys::kRedo, i), parts[i]);
  }
  Put(steps_.back(), std::string(keys::kRedoEnd), std::to_string(parts.size()));
  // As it will be read.
  ClusterPairs pairs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    pairs[keys::Part(keys::kRedo, i)] = parts[i];
  }
  pairs[std::string(keys::kRedoEnd)] = std::to_string(parts.size());
  const auto redo = ReadRedo(cluster_, pairs);
  if (!redo.ok()) {
    // It would count, and could never be applied.
    steps_.clear();
    status_ = redo.status();
    return;
  }
  if (redo->has_value()) AddRedone(**redo);
}

void WriteChain::AddRedone(const LedgerChange& change) {
  std::vector<std::pair<std::string, std::optional<std::string>>> pairs;
  if (change.synced.has_value()) {
    Step& step = steps_.emplace_back();
    for (const auto folder : {keys::kTable, keys::kJobs, keys::kQueues}) {
      step.deleted_folders.emplace_back(folder);
    }
    Put(step, std::string(keys::kSync), std::nullopt);
    Put(step, std::string(keys::kIncomplete), std::nullopt);
    for (const auto& [key, value] : PairsOfSync(*change.synced)) {
      pairs.emplace_back(key, value);
    }
  }
  for (const auto& [key, value] : PairsOf(change)) {
    pairs.emplace_back(key, value);
  }
  AddPairs(std::move(pairs));
  steps_.emplace_back().deleted_folders.emplace_back(keys::kRedo);
}

void WriteChain::AddPairs(
    std::vector<std::pair<std::string, std::optional<std::string>>>&& pairs) {
  Step* step = &steps_.emplace_back();
  for (auto& [key, value] : pairs) {
    if (step->ops() + 1 > kMaxOps ||
        step->bytes + BytesOf(root_, key, value) > kMaxBytes) {
      if (step->ops() > 0) step = &steps_.emplace_back();
    }
    Put(*step, key, std::move(value));
  }
}

std::string WriteChain::Token() const {
  return fmt::format("{}.{}", term_, transactions_);
}

TxnRequest WriteChain::RecoveryRead() const {
  TxnRequest request;
  CompareNumber(request, keys_.LeaderOf(cluster_), Compare::CREATE,
                static_cast<std::int64_t>(term_));
  AddRead(*request.mutable_success(), root_ + std::string(keys::kFence));
  const std::string redo = root_ + std::string(keys::kRedo);
  AddRead(*request.mutable_success(), redo, RangeEndOf(redo));
  return request;
}

std::optional<TxnRequest> WriteChain::Next() {
  if (!status_.ok() || (steps_.empty() && recovery_.empty())) {
    return std::nullopt;
  }
  is_reading_ = !is_read_;
  if (is_reading_) return RecoveryRead();
  ++transactions_;
  const Step& step = recovery_.empty() ? steps_.front() : recovery_.front();
  TxnRequest request;
  const std::string leader = keys_.LeaderOf(cluster_);
  const std::string fence = root_ + std::string(keys::kFence);
  CompareNumber(request, leader, Compare::CREATE,
                static_cast<std::int64_t>(term_));
  CompareNumber(request, fence, Compare::MOD, fence_revision_);
  const auto add_deletion = [&request](const std::string& key,
                                       const std::string& range_end) {
    auto& deletion = *request.add_success()->mutable_request_delete_range();
    deletion.set_key(key);
    deletion.set_range_end(range_end);
  };
  if (step.is_removal) {
    add_deletion(root_, RangeEndOf(root_));
  } else {
    for (const std::string& folder : step.deleted_folders) {
      add_deletion(root_ + folder, RangeEndOf(root_ + folder));
    }
    for (const auto& [key, value] : step.pairs) {
      if (!value.has_value()) {
        add_deletion(root_ + key, "");
        continue;
      }
      auto& put = *request.add_success()->mutable_request_put();
      put.set_key(root_ + key);
      put.set_value(*value);
    }
    auto& put = *request.add_success()->mutable_request_put();
    put.set_key(fence);
    put.set_value(Token());
  }
  AddRead(*request.mutable_failure(), leader);
  AddRead(*request.mutable_failure(), fence);
  return request;
}

void WriteChain::Note(const absl::StatusOr<TxnResponse>& response) {
  if (!response.ok()) {
    status_ = response.status();
    return;
  }
  const std::int64_t revision = response->header().revision();
  if (revision < std::exchange(last_revision_, revision)) {
    status_ = absl::AbortedError(
        fmt::format("etcd: set up anew or restored from a backup (cluster {}, "
                    "term {}, revision {})",
                    cluster_, term_, revision));
    return;
  }
  if (is_reading_) return NoteRecovery(*response);
  if (!response->succeeded()) {
    NoteRefusal(*response);
    if (!status_.ok()) return;
  } else {
    fence_revision_ = response->header().revision();
  }
  std::deque<Step>& steps = recovery_.empty() ? steps_ : recovery_;
  if (steps.front().is_removal) fence_revision_ = 0;
  steps.pop_front();
}

// An earlier attempt of this request may have been applied, without an answer.
void WriteChain::NoteRefusal(const TxnResponse& response) {
  const mvccpb::KeyValue* const leader = OnlyKey(response, 0);
  if (leader == nullptr ||
      leader->create_revision() != static_cast<std::int64_t>(term_)) {
    status_ = absl::AbortedError(fmt::format(
        "etcd: not leader of cluster {} in term {}", cluster_, term_));
    return;
  }
  const Step& step = recovery_.empty() ? steps_.front() : recovery_.front();
  const mvccpb::KeyValue* const fence = OnlyKey(response, 1);
  const bool is_applied = step.is_removal
                              ? fence == nullptr
                              : fence != nullptr && fence->value() == Token();
  if (!is_applied) {
    status_ = absl::UnavailableError(fmt::format(
        "etcd: a request for cluster {} was applied late", cluster_));
    return;
  }
  fence_revision_ = fence == nullptr ? 0 : fence->mod_revision();
}

void WriteChain::NoteRecovery(const TxnResponse& response) {
  if (!response.succeeded()) {
    status_ = absl::AbortedError(fmt::format(
        "etcd: not leader of cluster {} in term {}", cluster_, term_));
    return;
  }
  const mvccpb::KeyValue* const fence = OnlyKey(response, 0);
  const std::int64_t known = std::exchange(
      fence_revision_, fence == nullptr ? 0 : fence->mod_revision());
  if (fence != nullptr && fence_revision_ < known) {
    status_ = absl::AbortedError(fmt::format(
        "etcd: restored from a backup (cluster {}, term {}, revision {})",
        cluster_, term_, fence_revision_));
    return;
  }
  is_read_ = true;
  if (response.responses_size() < 2) return;
  const auto& redo = response.responses(1).response_range();
  if (redo.kvs_size() == 0) return;
  ClusterPairs pairs;
  for (const mvccpb::KeyValue& pair : redo.kvs()) {
    pairs[pair.key().substr(root_.size())] = pair.value();
  }
  const auto change = ReadRedo(cluster_, pairs);
  // What replaces everything does not need it.
  if (!change.ok() && !replaces_all_) {
    status_ = change.status();
    return;
  }
  std::deque<Step> later = std::exchange(steps_, {});
  if (change.ok() && change->has_value()) {
    AddRedone(**change);
  } else {
    steps_.emplace_back().deleted_folders.emplace_back(keys::kRedo);
  }
  recovery_ = std::exchange(steps_, std::move(later));
}

void RunChains(EtcdClient& client, std::span<WriteChain* const> chains) {
  for (;;) {
    std::vector<TxnRequest> requests;
    std::vector<WriteChain*> running;
    for (WriteChain* const chain : chains) {
      auto request = chain->Next();
      if (!request.has_value()) continue;
      requests.push_back(*std::move(request));
      running.push_back(chain);
    }
    if (running.empty()) return;
    const auto responses = client.Txns(requests);
    for (std::size_t i = 0; i < running.size(); ++i) {
      running[i]->Note(responses[i]);
    }
  }
}

}  // namespace coolspan
