// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SESSION_PORT_H_
#define COOLSPAN_REPLAY_SESSION_PORT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/session.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "replay/allocator_port.h"

namespace coolspan {

// A virtual cluster of a running daemon: one round trip for each choice, the
// rest is sent ahead of it.
class SessionPort final : public AllocatorPort {
 public:
  // What the daemon is asked to make its policy with, as it takes it.
  struct Options {
    std::shared_ptr<const Ordering> ordering;
    std::string span;  // "ring" or "linear"
  };
  // Makes a cluster with the machine's nodes, all free.
  // Errors: Session's; INVALID_ARGUMENT where the daemon's machine is another
  // or it has no such policy.
  static absl::StatusOr<std::unique_ptr<SessionPort>> Open(
      const std::string& endpoints, const Machine& machine,
      const std::string& policy, const std::vector<std::string>& previewed,
      const Options& options);

  absl::StatusOr<bool> Choose(const Ask& ask,
                              std::vector<NodeId>& nodes) override;
  absl::StatusOr<bool> Preview(std::size_t previewed, const Ask& ask,
                               std::vector<NodeId>& nodes) override;
  absl::Status Commit(std::uint32_t job_id, TimeMs now_ms,
                      const std::vector<NodeId>& nodes,
                      std::optional<float> communication_share) override;
  absl::Status Release(std::uint32_t job_id, TimeMs now_ms) override;
  absl::Status Finish() override { return session_->Close(); }

 private:
  SessionPort(std::unique_ptr<Session> session, NodeCount machine_nodes,
              std::string cluster, std::vector<std::string> previewed);
  v1::AllocateRequest RequestFor(const Ask& ask) const;
  absl::Status Decode(const std::string& bitmap,
                      std::vector<NodeId>& nodes) const;

  std::unique_ptr<Session> session_;
  const NodeCount machine_nodes_;
  const std::string cluster_;
  const std::vector<std::string> previewed_;
  std::string chosen_bitmap_;  // of the last choice, for its commit
};

// One cluster for each run, of policies the daemon has.
PortMaker SessionPorts(std::string endpoints,
                       std::shared_ptr<const Machine> machine,
                       SessionPort::Options options);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SESSION_PORT_H_
