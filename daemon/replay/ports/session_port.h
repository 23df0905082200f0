// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PORTS_SESSION_PORT_H_
#define COOLSPAN_REPLAY_PORTS_SESSION_PORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/session.h"
#include "core/machine.h"
#include "policy/linear/span_kind.h"
#include "replay/job_patterns.h"
#include "replay/ports/allocator_port.h"
#include "replay/ports/port_maker.h"

namespace coolspan {

// A virtual cluster of a running daemon. A choice is one round trip; other
// calls are sent without waiting for an answer.
class SessionPort final : public AllocatorPort {
 public:
  // Makes a cluster with the machine's nodes, all free.
  // Errors: Session's; INVALID_ARGUMENT if the daemon has another machine or
  // does not know the policy.
  static absl::StatusOr<std::unique_ptr<SessionPort>> Open(
      const DaemonAddress& address, const Machine& machine, const RunSpec& run,
      const std::vector<std::string>& previewed, SpanKind span,
      JobPatterns patterns);

  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override;
  absl::StatusOr<Answer> Preview(std::size_t previewed, const Ask& ask,
                                 std::vector<NodeId>& nodes) override;
  absl::Status Commit(JobKey job, TimeMs now_ms,
                      const std::vector<NodeId>& nodes,
                      std::optional<float> communication_share) override;
  absl::Status Release(JobKey job, TimeMs now_ms) override;
  absl::Status Finish() override { return session_->Close(); }

 private:
  SessionPort(std::unique_ptr<Session> session, NodeCount machine_nodes,
              std::string cluster, bool recorded,
              std::vector<std::string> previewed, JobPatterns patterns);
  absl::StatusOr<v1::AllocateRequest> RequestFor(const Ask& ask, bool recorded);
  std::string BitmapOf(const std::vector<NodeId>& nodes) const;
  absl::Status Decode(const std::string& bitmap,
                      std::vector<NodeId>& nodes) const;

  std::unique_ptr<Session> session_;
  const NodeCount machine_nodes_;
  const bool recorded_;  // the placing policy is kRecordedPolicy
  const std::string cluster_;
  const std::vector<std::string> previewed_;
  JobPatterns patterns_;
  std::uint64_t attempt_ = 0;
  std::string chosen_bitmap_;  // of the last Choose, for its Commit
};

// Makes a cluster for each run, with policies of the daemon. pattern: of the
// jobs; nullptr: not known.
PortMaker SessionPorts(DaemonAddress address,
                       std::shared_ptr<const Machine> machine, SpanKind span,
                       std::shared_ptr<const PatternChoice> pattern = nullptr);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PORTS_SESSION_PORT_H_
