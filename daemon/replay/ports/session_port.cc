// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/ports/session_port.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "core/node_set.h"
#include "replay/ports/pattern_message.h"
#include "replay/ports/recorded_policy.h"

namespace coolspan {
namespace {

void SetJob(JobKey key, v1::Job& job) {
  job.set_job_id(key.job_id);
  job.set_restart(key.restart);
}

v1::SyncRequest EmptyCluster(const Machine& machine, const std::string& cluster,
                             const RunSpec& run, SpanKind span) {
  v1::SyncRequest request;
  request.set_cluster(cluster);
  request.set_clock(v1::CLOCK_VIRTUAL);
  std::vector<NodeId> all(machine.node_count());
  std::iota(all.begin(), all.end(), NodeId{0});
  request.add_hostlist(machine.FormatNodes(all));
  v1::UnitsRun* capacity = request.add_capacity();
  capacity->set_nodes(machine.node_count());
  capacity->set_units(1);
  request.set_policy(AllocatorPolicy(run.policy));
  request.set_ordering(run.ordering->name());
  // A daemon neither reads files nor runs mip for a client: send the ranks.
  if (absl::StartsWith(run.ordering->name(), "file:") ||
      absl::StartsWith(run.ordering->name(), "mip")) {
    request.mutable_node_at_rank()->Assign(run.ordering->nodes().begin(),
                                           run.ordering->nodes().end());
  }
  const SpanKind of_run = SpanOn(span, *run.ordering, machine.topology());
  request.set_span(of_run == SpanKind::kLinear ? "linear" : "ring");
  request.set_machine_fingerprint(machine.Fingerprint());
  request.set_without_room(machine.room() == nullptr);
  if (machine.room() != nullptr) {
    request.set_room_fingerprint(machine.room()->Fingerprint());
    request.set_idle(machine.room()->idle_on() ? "on" : "off");
  }
  return request;
}

}  // namespace

SessionPort::SessionPort(std::unique_ptr<Session> session,
                         NodeCount machine_nodes, std::string cluster,
                         bool recorded, std::vector<std::string> previewed,
                         JobPatterns patterns)
    : session_(std::move(session)),
      machine_nodes_(machine_nodes),
      recorded_(recorded),
      cluster_(std::move(cluster)),
      previewed_(std::move(previewed)),
      patterns_(std::move(patterns)) {}

absl::StatusOr<std::unique_ptr<SessionPort>> SessionPort::Open(
    const DaemonAddress& address, const Machine& machine, const RunSpec& run,
    const std::vector<std::string>& previewed, SpanKind span,
    JobPatterns patterns) {
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Open(address);
  if (!session.ok()) return session.status();
  std::string cluster = fmt::format("replay-{}", run.policy);
  const absl::StatusOr<v1::SyncReply> synced =
      (*session)->Sync(EmptyCluster(machine, cluster, run, span));
  if (!synced.ok()) return synced.status();
  return std::unique_ptr<SessionPort>(new SessionPort(
      *std::move(session), machine.node_count(), std::move(cluster),
      IsRecordedPolicy(run.policy), previewed, std::move(patterns)));
}

absl::StatusOr<v1::AllocateRequest> SessionPort::RequestFor(const Ask& ask,
                                                            bool recorded) {
  v1::AllocateRequest request;
  if (recorded) {
    const absl::StatusOr<NodeSet> nodes = RecordedNodes(ask, machine_nodes_);
    if (!nodes.ok()) return nodes.status();
    request.set_required(nodes->ToBytes());
  }
  request.set_cluster(cluster_);
  SetJob(ask.job, *request.mutable_job());
  request.set_attempt(attempt_);
  if (ask.available != nullptr) {
    request.set_candidates(ask.available->ToBytes());
  }
  request.set_now_ms(ask.now_ms);
  request.set_min_nodes(ask.nodes);
  request.set_segment_nodes(ask.segment_nodes);
  request.set_whole(true);
  request.set_seed(ask.seed);
  request.set_time_limit_s(ask.expected_run_s);
  request.set_waited_ms(ask.waited_ms);
  if (ask.communication_share.has_value()) {
    request.set_communication_share(*ask.communication_share);
  }
  if (const auto pattern = patterns_.ForJob(ask.nodes); pattern != nullptr) {
    EncodePattern(*pattern, *request.mutable_pattern());
  }
  return request;
}

absl::Status SessionPort::Decode(const std::string& bitmap,
                                 std::vector<NodeId>& nodes) const {
  const absl::StatusOr<NodeSet> chosen =
      NodeSet::FromBytes(bitmap, machine_nodes_);
  if (!chosen.ok()) return chosen.status();
  nodes = chosen->Members();
  return absl::OkStatus();
}

std::string SessionPort::BitmapOf(const std::vector<NodeId>& nodes) const {
  NodeSet set(machine_nodes_);
  for (const NodeId node : nodes) set.Insert(node);
  return set.ToBytes();
}

absl::StatusOr<AllocatorPort::Answer> SessionPort::Choose(
    const Ask& ask, std::vector<NodeId>& nodes) {
  ++attempt_;  // a repeated one would get the answer of an earlier time
  absl::StatusOr<v1::AllocateRequest> request = RequestFor(ask, recorded_);
  if (!request.ok()) return request.status();
  absl::StatusOr<v1::AllocateReply> reply =
      session_->Allocate(*std::move(request));
  if (!reply.ok()) return reply.status();
  const Answer answer = {reply->placed(), reply->stopped_early()};
  if (!answer.placed) return answer;
  chosen_bitmap_ = std::move(*reply->mutable_nodes());
  if (absl::Status read = Decode(chosen_bitmap_, nodes); !read.ok()) {
    return read;
  }
  return answer;
}

absl::StatusOr<AllocatorPort::Answer> SessionPort::Preview(
    std::size_t previewed, const Ask& ask, std::vector<NodeId>& nodes) {
  v1::PreviewRequest request;
  const std::string& policy = previewed_[previewed];
  absl::StatusOr<v1::AllocateRequest> asked =
      RequestFor(ask, IsRecordedPolicy(policy));
  if (!asked.ok()) return asked.status();
  *request.mutable_request() = *std::move(asked);
  request.set_policy(AllocatorPolicy(policy));
  const absl::StatusOr<v1::AllocateReply> reply =
      session_->Preview(std::move(request));
  if (!reply.ok()) return reply.status();
  const Answer answer = {reply->placed(), reply->stopped_early()};
  if (!answer.placed) return answer;
  if (absl::Status read = Decode(reply->nodes(), nodes); !read.ok()) {
    return read;
  }
  return answer;
}

absl::Status SessionPort::Commit(JobKey job, TimeMs now_ms,
                                 const std::vector<NodeId>& nodes,
                                 std::optional<float> communication_share) {
  v1::Event event;
  event.set_cluster(cluster_);
  event.set_now_ms(now_ms);
  SetJob(job, *event.mutable_job());
  SetJob(job, *event.mutable_holding()->mutable_job());
  std::string bitmap = std::exchange(chosen_bitmap_, {});
  if (bitmap.empty()) bitmap = BitmapOf(nodes);
  event.mutable_holding()->set_nodes(std::move(bitmap));
  event.mutable_holding()->set_whole(true);
  if (communication_share.has_value()) {
    event.mutable_holding()->set_communication_share(*communication_share);
  }
  return session_->Commit(std::move(event));
}

absl::Status SessionPort::Release(JobKey job, TimeMs now_ms) {
  v1::Event event;
  event.set_cluster(cluster_);
  event.set_now_ms(now_ms);
  SetJob(job, *event.mutable_job());
  return session_->Release(std::move(event));
}

PortMaker SessionPorts(DaemonAddress address,
                       std::shared_ptr<const Machine> machine, SpanKind span,
                       std::shared_ptr<const PatternChoice> pattern) {
  return [address = std::move(address), machine = std::move(machine), span,
          pattern = std::move(pattern)](
             const RunSpec& run, const std::vector<std::string>& previewed)
             -> absl::StatusOr<std::unique_ptr<AllocatorPort>> {
    return SessionPort::Open(address, *machine, run, previewed, span,
                             JobPatterns(pattern));
  };
}

}  // namespace coolspan
