// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PORTS_IN_PROCESS_PORT_H_
#define COOLSPAN_REPLAY_PORTS_IN_PROCESS_PORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "core/machine.h"
#include "core/policy.h"
#include "policy/table.h"
#include "replay/job_patterns.h"
#include "replay/ports/allocator_port.h"
#include "replay/ports/port_maker.h"

namespace coolspan {

// The allocator in this process.
class InProcessPort final : public AllocatorPort {
 public:
  InProcessPort(std::shared_ptr<const Machine> machine,
                std::shared_ptr<const Policy> policy,
                std::vector<std::unique_ptr<const Policy>> previewed);
  // policy, and those of previewed that are to give jobs their recorded nodes.
  void UseRecordedNodes(bool placing, std::vector<bool> previewed) {
    recorded_ = placing;
    recorded_previews_ = std::move(previewed);
  }

  void UsePatterns(JobPatterns patterns) { patterns_ = std::move(patterns); }

  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override;
  absl::StatusOr<Answer> Preview(std::size_t previewed, const Ask& ask,
                                 std::vector<NodeId>& nodes) override;
  absl::Status Commit(JobKey job, TimeMs now_ms,
                      const std::vector<NodeId>& nodes,
                      std::optional<float> communication_share) override;
  absl::Status Release(JobKey job, TimeMs now_ms) override;
  absl::Status Finish() override { return absl::OkStatus(); }

 private:
  absl::Status Fill(const Ask& ask, bool recorded);

  Allocator allocator_;
  const std::shared_ptr<const Policy> policy_;
  const std::vector<std::unique_ptr<const Policy>> previewed_;
  bool recorded_ = false;
  std::vector<bool> recorded_previews_;  // empty: none
  JobPatterns patterns_{nullptr};
  std::uint64_t attempt_ = 0;
  AllocateCall call_;
};

// Makes an allocator for each run, with policies of the table. The ordering is
// that of the run. pattern: of the jobs; nullptr: not known.
PortMaker InProcessPorts(
    std::shared_ptr<const Machine> machine, PolicyOptions options,
    std::shared_ptr<const PatternChoice> pattern = nullptr);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PORTS_IN_PROCESS_PORT_H_
