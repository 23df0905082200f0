// SPDX-License-Identifier: GPL-3.0-or-later
// A machine of two types of nodes, and simulations on it.
#ifndef COOLSPAN_TESTS_UNIT_REPLAY_TWO_SPEED_MACHINE_H_
#define COOLSPAN_TESTS_UNIT_REPLAY_TWO_SPEED_MACHINE_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "mesh_machine.h"
#include "replay/cluster.h"
#include "replay/event_loop.h"
#include "replay/node_speed.h"
#include "replay/schedulers/scheduler.h"
#include "room_machine.h"

namespace coolspan {

// Nodes 0 to slow - 1 have speed 1, the `fast` others speed 2 with the same
// power, so they are the more efficient group. Zones of two nodes.
inline std::shared_ptr<const Machine> TwoSpeedMachine(NodeCount slow,
                                                      NodeCount fast,
                                                      bool idle_on = true) {
  const NodeCount nodes = slow + fast;
  const ZoneId zones = (nodes + 1) / 2;
  Room::Description room =
      RoomDescription(nodes, zones, RandomHeat(zones, 4e-3, 7));
  room.types.push_back(room.types[0]);
  room.types[1].speed = 2;
  for (NodeId node = slow; node < nodes; ++node) room.type_of[node] = 1;
  room.idle_on = idle_on;
  return InRoom(*MeshMachine(FlatGrid({nodes, 1})), std::move(room));
}

// Groups of that many nodes, each with its speed, of equal power. Zones of two
// nodes.
inline std::shared_ptr<const Machine> MachineOfSpeeds(
    std::span<const std::pair<NodeCount, double>> groups) {
  NodeCount nodes = 0;
  for (const auto& [count, speed] : groups) nodes += count;
  const ZoneId zones = (nodes + 1) / 2;
  Room::Description room =
      RoomDescription(nodes, zones, RandomHeat(zones, 4e-3, 7));
  room.types.resize(groups.size(), room.types[0]);
  NodeId node = 0;
  for (std::size_t type = 0; type < groups.size(); ++type) {
    room.types[type].speed = groups[type].second;
    for (NodeCount i = 0; i < groups[type].first; ++i) {
      room.type_of[node++] = static_cast<std::uint16_t>(type);
    }
  }
  return InRoom(*MeshMachine(FlatGrid({nodes, 1})), std::move(room));
}

// Chooses the first free nodes that are offered.
class FirstOfferedPort final : public AllocatorPort {
 public:
  explicit FirstOfferedPort(NodeCount nodes) : free_(NodeSet::All(nodes)) {}
  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override {
    nodes.clear();
    free_.ForEach([&](NodeId node) {
      const bool offered =
          ask.available == nullptr || ask.available->Contains(node);
      if (offered && nodes.size() < ask.nodes) nodes.push_back(node);
    });
    return Answer{.placed = nodes.size() == ask.nodes};
  }
  absl::StatusOr<Answer> Preview(std::size_t, const Ask& ask,
                                 std::vector<NodeId>& nodes) override {
    return Choose(ask, nodes);
  }
  absl::Status Commit(JobKey job, TimeMs, const std::vector<NodeId>& nodes,
                      std::optional<float>) override {
    for (const NodeId node : nodes) free_.Erase(node);
    held_[job.job_id] = nodes;
    return absl::OkStatus();
  }
  absl::Status Release(JobKey job, TimeMs) override {
    for (const NodeId node : held_[job.job_id]) free_.Insert(node);
    return absl::OkStatus();
  }
  absl::Status Finish() override { return absl::OkStatus(); }

 private:
  NodeSet free_;
  std::map<std::uint64_t, std::vector<NodeId>> held_;
};

struct PlacedRun {
  std::vector<double> starts_s;  // by job
  std::vector<double> ends_s;
  std::vector<std::vector<NodeId>> nodes;
  absl::Status status;
};

// Jobs run for their run times divided by the lowest speed of their nodes.
// REQUIRES jobs sorted by submit time.
inline PlacedRun SimulateOn(const Machine& machine,
                            std::span<const WorkloadJob> jobs,
                            const std::string& scheduler_spec,
                            std::span<const NodeEvent> events = {},
                            Cluster::OnMove on_move = nullptr) {
  PlacedRun run;
  run.starts_s.assign(jobs.size(), -1);
  run.ends_s.assign(jobs.size(), -1);
  run.nodes.resize(jobs.size());
  FirstOfferedPort port(machine.node_count());
  Estimates estimates(jobs, {});
  Cluster cluster(
      {.jobs = jobs,
       .estimates = estimates,
       .machine_nodes = machine.node_count(),
       .has_node_events = !events.empty(),
       .seed = 0,
       .room = machine.room().get()},
      port,
      [&](const Placement& placement) -> absl::StatusOr<JobRun> {
        run.starts_s[placement.job] =
            static_cast<double>(placement.start_ms()) / 1000;
        run.nodes[placement.job] = placement.nodes;
        return JobRun{
            .run_ms = AtSpeed(jobs[placement.job].run_ms,
                              SlowestSpeed(*machine.room(), placement.nodes)),
            .communication_share = {}};
      },
      [&run](const JobEnd& end) {
        run.ends_s[end.job] = static_cast<double>(end.now_ms) / 1000;
      },
      nullptr, nullptr, std::move(on_move));
  const auto scheduler =
      SchedulerChoice::Create(scheduler_spec)
          ->Make({.jobs = jobs, .estimates = estimates, .machine = &machine});
  run.status = RunEvents({.jobs = jobs, .nodes = events}, estimates, *scheduler,
                         cluster);
  return run;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_REPLAY_TWO_SPEED_MACHINE_H_
