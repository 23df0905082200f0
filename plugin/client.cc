// SPDX-License-Identifier: GPL-3.0-or-later
// The C interface of AllocatorClient. No exception may leave it: slurmctld,
// which is C, would terminate.
#include "client.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/utf8.h"

struct coolspan_client {
  coolspan_log_t log;
  std::unique_ptr<coolspan::AllocatorClient> allocator;
  struct SentEnd {
    std::uint32_t restart;
    std::int64_t limit_end_s;
  };
  absl::flat_hash_map<std::uint32_t, SentEnd> sent_ends;  // by job id

  void Remember(const coolspan_holding_t& holding) {
    sent_ends[holding.job.job_id] = {holding.job.restart, holding.limit_end_s};
  }
};

namespace {

namespace v1 = coolspan::v1;
using coolspan::AllocatorClient;
using coolspan::ClientOptions;
using coolspan::NodePower;

void CopyText(std::string_view text, char* to, std::size_t size) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

// Returns call(); an exception is logged and `fallback` is returned.
template <typename Result, typename Call>
Result Guarded(coolspan_log_t log, Result fallback, const Call& call) noexcept {
  try {
    return call();
  } catch (const std::exception& e) {
    char text[256];
    std::snprintf(text, sizeof(text), "internal error in the client: %s",
                  e.what());
    log(COOLSPAN_LOG_ERROR, text);
  } catch (...) {
    log(COOLSPAN_LOG_ERROR, "internal error in the client");
  }
  return fallback;
}

template <typename Call>
void GuardedVoid(coolspan_log_t log, const Call& call) noexcept {
  Guarded(log, false, [&] {
    call();
    return true;
  });
}

// On little-endian machines the 64-bit words of the C interface have the same
// layout as the bytes on the wire. The plugin checks Slurm's bitmaps for it.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

std::size_t BitmapBytes(std::uint32_t node_bits) {
  return (std::size_t{node_bits} + 7) / 8;
}

std::string ToBytes(const std::uint64_t* words, std::uint32_t node_bits) {
  if (words == nullptr) return {};
  return {reinterpret_cast<const char*>(words), BitmapBytes(node_bits)};
}

v1::Job ToJob(coolspan_job_t job) {
  v1::Job message;
  message.set_job_id(job.job_id);
  message.set_restart(job.restart);
  return message;
}

// Max length read by the daemon. Sending more would only take time under
// slurmctld's locks.
constexpr std::size_t kMaxTextBytes = 4096;

// User input is not necessarily UTF-8, and the daemon cannot parse a message
// with a string that is not.
std::string Utf8(const char* text) {
  if (text == nullptr) return {};
  return coolspan::ReplaceInvalidUtf8({text, strnlen(text, kMaxTextBytes)});
}

// Holdings leave out all other comments, since a Sync has the holdings of all
// jobs.
bool HasCoolspanSettings(const char* comment) {
  if (comment == nullptr) return false;
  const std::string_view text(comment, strnlen(comment, kMaxTextBytes));
  return text.find("coolspan:") != std::string_view::npos;
}

v1::Holding ToHolding(const coolspan_holding_t& holding) {
  v1::Holding message;
  *message.mutable_job() = ToJob(holding.job);
  message.set_nodes(ToBytes(holding.nodes, holding.node_bits));
  message.set_whole(holding.whole);
  message.set_suspended(holding.suspended);
  message.set_expected_end_ms(holding.limit_end_s == COOLSPAN_NOT_LIMITED
                                  ? -1
                                  : holding.limit_end_s * 1000);
  if (HasCoolspanSettings(holding.comment)) {
    message.set_comment(Utf8(holding.comment));
  }
  if (holding.units == nullptr) return message;
  std::size_t count = 0;
  for (std::size_t i = 0; i < coolspan_words(holding.node_bits); ++i) {
    count += static_cast<std::size_t>(__builtin_popcountll(holding.nodes[i]));
  }
  message.mutable_units()->Add(holding.units, holding.units + count);
  return message;
}

v1::JobStart ToStart(const coolspan_start_t& start) {
  v1::JobStart message;
  message.set_verdict(start.verdict);
  message.set_reason(Utf8(start.reason));
  message.set_reason_class(start.reason_class);
  message.set_decision_id(Utf8(start.decision));
  message.set_submitted_s(start.submitted_s);
  message.set_started_s(start.started_s);
  message.set_time_limit_s(start.time_limit_s);
  if (start.names.array_job_id != 0) {
    message.set_array_job_id(start.names.array_job_id);
    message.set_array_task_id(start.names.array_task_id);
  }
  if (start.names.het_job_id != 0) {
    message.set_het_job_id(start.names.het_job_id);
    message.set_het_job_offset(start.names.het_job_offset);
  }
  return message;
}

// By coolspan_mode_t.
constexpr const char* kModes[] = {"off", "advise", "enforce"};

v1::SyncRequest ToSync(const coolspan_snapshot_t& snapshot) {
  v1::SyncRequest request;
  for (std::uint32_t i = 0; i < snapshot.node_count; ++i) {
    const char* name = snapshot.names[i];
    // A deleted dynamic node leaves an unused index in the table. The name is
    // in no machine file.
    request.add_hostlist(name != nullptr ? name : absl::StrCat("deleted-", i));
    const int runs = request.capacity_size();
    if (runs == 0 ||
        request.capacity(runs - 1).units() != snapshot.capacity[i]) {
      request.add_capacity()->set_units(snapshot.capacity[i]);
    }
    v1::UnitsRun& run = *request.mutable_capacity(request.capacity_size() - 1);
    run.set_nodes(run.nodes() + 1);
  }
  for (std::size_t i = 0; i < snapshot.holding_count; ++i) {
    *request.add_holdings() = ToHolding(snapshot.holdings[i]);
  }
  request.set_unavailable(ToBytes(snapshot.unavailable, snapshot.node_count));
  request.set_mode(kModes[snapshot.mode]);
  return request;
}

void AddTiers(const coolspan_request_t& request, v1::AllocateRequest& message) {
  v1::TierRun* run = nullptr;
  for (std::uint32_t i = 0; request.tiers != nullptr && i < request.node_bits;
       ++i) {
    if (run == nullptr || run->tier() != request.tiers[i]) {
      run = message.add_tiers();
      run->set_tier(request.tiers[i]);
    }
    run->set_nodes(run->nodes() + 1);
  }
}

void AddUsable(const coolspan_request_t& request,
               v1::AllocateRequest& message) {
  v1::UsableRun* run = nullptr;
  for (std::uint32_t i = 0; request.usable != nullptr && i < request.node_bits;
       ++i) {
    const coolspan_usable_t& usable = request.usable[i];
    if (run == nullptr || run->units() != usable.cpus ||
        run->per_held() != usable.per_core) {
      run = message.add_usable();
      run->set_units(usable.cpus);
      run->set_per_held(usable.per_core);
    }
    run->set_nodes(run->nodes() + 1);
  }
}

v1::AllocateRequest ToAllocate(const coolspan_request_t& request) {
  v1::AllocateRequest message;
  *message.mutable_job() = ToJob(request.job);
  message.set_candidates(ToBytes(request.candidates, request.node_bits));
  message.set_required(ToBytes(request.required, request.node_bits));
  AddTiers(request, message);
  AddUsable(request, message);
  message.set_min_nodes(request.min_nodes);
  message.set_max_nodes(request.max_nodes);
  message.set_units(request.units);
  message.set_up_to_max_nodes(request.up_to_max_nodes);
  message.set_segment_nodes(request.segment_nodes);
  message.set_spread_segments(request.spread_segments);
  message.set_consolidate_segments(request.consolidate_segments);
  message.set_whole(request.whole);
  message.set_mode(kModes[request.mode]);
  message.set_time_limit_s(request.time_limit_s);
  message.set_waited_ms(request.waited_s * 1000);
  message.set_partition(Utf8(request.partition));
  message.set_qos(Utf8(request.qos));
  message.set_comment(Utf8(request.comment));
  message.set_user(Utf8(request.user));
  return message;
}

// The class of the reason why there was no answer.
const char* ClassOf(const absl::Status& status) {
  if (status.message() == coolspan::kCircuitBreakerOpen)
    return "circuit breaker open";
  if (status.message() == coolspan::kDaemonDrained) return "coolspand drained";
  switch (status.code()) {
    case absl::StatusCode::kDeadlineExceeded:
      return "no answer within the deadline";
    case absl::StatusCode::kUnavailable:
      return "coolspand unavailable";
    case absl::StatusCode::kFailedPrecondition:
      return "sync required";
    default:
      return "request refused by coolspand";
  }
}

// Copies the reply to `answer`.
coolspan_outcome_t ToAnswer(const v1::AllocateReply& reply,
                            std::uint32_t node_bits,
                            coolspan_answer_t& answer) {
  const std::size_t bytes = BitmapBytes(node_bits);
  for (std::size_t mode = 0; mode < std::size(kModes); ++mode) {
    if (reply.mode() == kModes[mode])
      answer.mode = static_cast<coolspan_mode_t>(mode);
  }
  if (!reply.placed()) {
    CopyText(reply.reason(), answer.reason, sizeof(answer.reason));
    return COOLSPAN_NOT_PLACED;
  }
  const bool bits_past_end =
      node_bits % 8 != 0 && reply.nodes().size() == bytes &&
      static_cast<unsigned char>(reply.nodes().back()) >> (node_bits % 8) != 0;
  if (reply.nodes().size() != bytes || bits_past_end) {
    CopyText("the bitmap in the answer does not match the node table",
             answer.reason, sizeof(answer.reason));
    answer.reason_class = "invalid answer";
    return COOLSPAN_NO_ANSWER;
  }
  std::memset(answer.nodes, 0,
              coolspan_words(node_bits) * sizeof(*answer.nodes));
  std::memcpy(answer.nodes, reply.nodes().data(), bytes);
  CopyText(reply.decision_id(), answer.decision, sizeof(answer.decision));
  return COOLSPAN_PLACED;
}

coolspan_client_t* Start(const coolspan_settings_t* settings, char* problem,
                         std::size_t problem_size) noexcept {
  return Guarded<coolspan_client_t*>(
      settings->log, nullptr, [&]() -> coolspan_client_t* {
        ClientOptions options;
        const auto given = [](const char* setting) {
          return std::string(setting != nullptr ? setting : "");
        };
        options.address = {settings->endpoints,
                           {given(settings->tls_cert), given(settings->tls_key),
                            given(settings->tls_ca)}};
        options.cluster = given(settings->cluster);
        options.deadline = std::chrono::milliseconds(settings->deadline_ms);
        options.breaker_period = std::chrono::seconds(settings->breaker_s);
        options.log = [log = settings->log](ClientOptions::Severity severity,
                                            std::string_view text) {
          log(severity == ClientOptions::Severity::kInfo ? COOLSPAN_LOG_INFO
                                                         : COOLSPAN_LOG_ERROR,
              std::string(text).c_str());
        };
        auto allocator = AllocatorClient::Create(std::move(options));
        if (!allocator.ok()) {
          CopyText(std::string(allocator.status().message()), problem,
                   problem_size);
          return nullptr;
        }
        return std::make_unique<coolspan_client_t>(
                   coolspan_client_t{settings->log, *std::move(allocator), {}})
            .release();
      });
}

void Stop(coolspan_client_t* client) noexcept {
  GuardedVoid(client->log, [client] {
    const std::unique_ptr<coolspan_client_t> deleted(client);
  });
}

bool SyncNeeded(coolspan_client_t* client) noexcept {
  return Guarded(client->log, false,
                 [&] { return client->allocator->SyncNeeded(); });
}

void Sync(coolspan_client_t* client,
          const coolspan_snapshot_t* snapshot) noexcept {
  GuardedVoid(client->log, [&] {
    client->sent_ends.clear();
    for (std::size_t i = 0; i < snapshot->holding_count; ++i) {
      client->Remember(snapshot->holdings[i]);
    }
    client->allocator->Sync(ToSync(*snapshot));
  });
}

void Commit(coolspan_client_t* client, const coolspan_holding_t* holding,
            const coolspan_start_t* start) noexcept {
  GuardedVoid(client->log, [&] {
    std::optional<v1::JobStart> reported;
    if (start != nullptr) reported = ToStart(*start);
    client->Remember(*holding);
    client->allocator->Commit(ToHolding(*holding), std::move(reported));
  });
}

void Resize(coolspan_client_t* client,
            const coolspan_holding_t* holding) noexcept {
  GuardedVoid(client->log, [&] {
    client->Remember(*holding);
    client->allocator->Resize(ToHolding(*holding));
  });
}

bool EndChanged(coolspan_client_t* client, coolspan_job_t job,
                std::int64_t limit_end_s) noexcept {
  const auto sent = client->sent_ends.find(job.job_id);
  return sent != client->sent_ends.end() &&
         sent->second.restart == job.restart &&
         sent->second.limit_end_s != limit_end_s;
}

void Release(coolspan_client_t* client, coolspan_job_t job) noexcept {
  GuardedVoid(client->log, [&] {
    client->sent_ends.erase(job.job_id);
    client->allocator->Release(ToJob(job));
  });
}

void Suspend(coolspan_client_t* client, coolspan_job_t job,
             bool suspended) noexcept {
  GuardedVoid(client->log,
              [&] { client->allocator->Suspend(ToJob(job), suspended); });
}

void SetUnavailable(coolspan_client_t* client, std::uint32_t node_bits,
                    const std::uint64_t* nodes) noexcept {
  GuardedVoid(client->log, [&] {
    client->allocator->SetUnavailable(ToBytes(nodes, node_bits));
  });
}

coolspan_outcome_t Allocate(coolspan_client_t* client,
                            const coolspan_request_t* request,
                            coolspan_answer_t* answer) noexcept {
  CopyText("internal error in the client", answer->reason,
           sizeof(answer->reason));
  answer->reason_class = "";
  return Guarded(client->log, COOLSPAN_NO_ANSWER, [&] {
    answer->decision[0] = '\0';
    answer->mode = request->mode;
    const auto reply = client->allocator->Allocate(ToAllocate(*request));
    if (reply.ok()) {
      answer->reason[0] = '\0';
      return ToAnswer(*reply, request->node_bits, *answer);
    }
    CopyText(std::string(reply.status().message()), answer->reason,
             sizeof(answer->reason));
    answer->reason_class = ClassOf(reply.status());
    return absl::IsFailedPrecondition(reply.status()) ? COOLSPAN_SYNC_NEEDED
                                                      : COOLSPAN_NO_ANSWER;
  });
}

void ReportPower(coolspan_client_t* client, const coolspan_power_t* powers,
                 std::size_t count) noexcept {
  GuardedVoid(client->log, [&] {
    std::vector<NodePower> reported;
    reported.reserve(count);
    for (const coolspan_power_t& power : std::span(powers, count)) {
      reported.push_back({power.node, power.watts});
    }
    client->allocator->ReportPower(reported);
  });
}

constexpr coolspan_client_api_t kApi = {
    Start,      Stop,    SyncNeeded, Sync,           Commit,   Resize,
    EndChanged, Release, Suspend,    SetUnavailable, Allocate, ReportPower};

}  // namespace

extern "C" __attribute__((visibility("default"))) const coolspan_client_api_t*
coolspan_client_api(std::uint32_t version) {
  return version == COOLSPAN_CLIENT_API_VERSION ? &kApi : nullptr;
}
