// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"
#include "core/counted.h"
#include "replies/status_json.h"

namespace coolspan {
namespace {

void PrintConfig(const v1::ConfigStatus& config, std::ostream& out) {
  out << fmt::format("configuration {}, loaded {}\n", config.file(),
                     FormatTime(config.loaded_ms()));
  if (config.error().empty()) return;
  out << fmt::format("configuration: reload at {} refused: {}\n",
                     FormatTime(config.reload_ms()), config.error());
}

// "mini: largest free interval 8 nodes, of 3 intervals; largest free box 6
// vertices; idle switches of level 0: 2 (most free nodes: 8), ..."
void PrintFreeSpace(const v1::ClusterStatus& cluster, std::ostream& out) {
  const v1::ClusterStatus::FreeSpace& space = cluster.free_space();
  out << fmt::format("{}: largest free interval {}, of {}", cluster.name(),
                     Counted(space.largest_interval(), "node"),
                     Counted(space.intervals(), "interval"));
  if (space.has_largest_box()) {
    out << fmt::format("; largest free box {} vertices", space.largest_box());
  }
  for (int i = 0; i < space.idle_switches_size(); ++i) {
    out << fmt::format("{} {} (most free nodes: {})",
                       i == 0 ? "; idle switches of level 0:"
                              : fmt::format(", of level {}:", i),
                       space.idle_switches(i), space.largest_switch(i));
  }
  out << "\n";
}

// "mini: 2 idle blocks, largest job 8 nodes; idle segments: 12 of 1 node, ..."
void PrintBlockSpace(const v1::ClusterStatus& cluster, std::ostream& out) {
  const v1::ClusterStatus::BlockSpace& space = cluster.block_space();
  out << fmt::format("{}: {}, largest job {}; idle segments:", cluster.name(),
                     Counted(space.idle_blocks(), "idle block"),
                     Counted(space.largest_job(), "node"));
  for (int i = 0; i < space.segments_size(); ++i) {
    out << fmt::format("{} {} of {}", i == 0 ? "" : ",", space.segments(i),
                       Counted(space.segment_nodes(i), "node"));
  }
  out << "\n";
}

// The states of the JSON in words.
std::string_view StateInWords(std::string_view state) {
  if (state == "deviant") return "outlier";
  if (state == "absurd") return "out of range";
  return state;
}

void PrintRoom(const v1::RoomStatus& room, std::ostream& out) {
  out << fmt::format(
             "room: peak inlet {:.2f} C ({}), steady-state peak {:.2f} C ({}), "
             "redline {} C{}\n",
             room.peak_inlet_c(), room.peak_node(), room.steady_peak_inlet_c(),
             room.steady_peak_node(), FormatNumber(room.redline_c()),
             room.over_redline() ? " (will be exceeded)" : "")
      << fmt::format(
             "room: IT power {:.1f} kW, cooling power {} kW at the maximum "
             "safe "
             "supply temperature of {:.2f} C (configured: {} C){}\n",
             room.it_w() / 1000,
             std::isfinite(room.cooling_w())
                 ? fmt::format("{:.1f}", room.cooling_w() / 1000)
                 : kNoValue,
             room.supply_max_c(), FormatNumber(room.supply_c()),
             room.cop_is_sensible()
                 ? ""
                 : "; outside the valid range of the CoP model");
  if (room.decisions_guarded() + room.decisions_over_redline() > 0) {
    out << fmt::format(
        "room: redline guard changed the nodes of {} decisions; {} decisions "
        "exceed the redline\n",
        room.decisions_guarded(), room.decisions_over_redline());
  }
  if (room.inlets_good() + room.inlets_bad() > 0) {
    out << fmt::format("room: inlet sensors: {} good, {} bad\n",
                       room.inlets_good(), room.inlets_bad());
  }
  if (room.powers_good() + room.powers_bad() > 0) {
    out << fmt::format("room: power meters: {} good, {} bad\n",
                       room.powers_good(), room.powers_bad());
  }
  for (const v1::SensorStatus& sensor : room.bad()) {
    const bool is_power = sensor.kind() == "power";
    out << fmt::format("room: {} {}: {}, last reading {:.2f} {}\n",
                       sensor.node(), is_power ? "power meter" : "inlet sensor",
                       StateInWords(sensor.state()), sensor.value(),
                       is_power ? "W" : "C");
  }
}

std::string AdviceText(const v1::AdviceTotals& advice) {
  std::string text;
  if (advice.jobs_n2() > 0) {
    const auto jobs = static_cast<double>(advice.jobs_n2());
    text += fmt::format("; mean hops: Coolspan {:.2f}, Slurm {:.2f}",
                        advice.decided().pairwise_mean() / jobs,
                        advice.actual().pairwise_mean() / jobs);
  }
  if (advice.jobs_cooling() > 0) {
    const auto jobs = static_cast<double>(advice.jobs_cooling());
    text +=
        fmt::format("; mean cooling power: Coolspan {:.0f} W, Slurm {:.0f} W",
                    advice.decided().cooling_w() / jobs,
                    advice.actual().cooling_w() / jobs);
  }
  return text;
}

std::string ReasonsText(const ReasonCounts& reasons) {
  std::string text;
  for (const v1::ReasonCount& reason : reasons) {
    text += fmt::format("{}{}: {}", text.empty() ? " (" : ", ", reason.reason(),
                        reason.jobs());
  }
  return text + ")";
}

// What has not happened is omitted.
void PrintStarts(const v1::ClusterStatus& cluster, std::ostream& out) {
  const v1::StartCounts& starts = cluster.starts();
  const auto print = [&](std::string_view verdict, std::uint64_t jobs,
                         const std::string& details) {
    if (jobs == 0) return;
    out << fmt::format("{}: {}: {}{}\n", cluster.name(), verdict,
                       Counted(jobs, "job"), details);
  };
  print("enforced", starts.enforced(), "");
  print("advised", starts.advised(), AdviceText(starts.advice()));
  print("left to Slurm", Total(starts.left()), ReasonsText(starts.left()));
  print("fallback", Total(starts.fallback()), ReasonsText(starts.fallback()));
}

constexpr double kBytesPerMib = 1024.0 * 1024.0;

void PrintState(const v1::StateStatus& state, std::ostream& out) {
  const auto mib = [](std::uint64_t bytes) {
    return static_cast<double>(bytes) / kBytesPerMib;
  };
  const std::size_t members = EtcdMembers(state);
  out << fmt::format(
      "state: ledger {}, archive {:.1f} MiB of at most {:.0f} MiB\n",
      members > 0 ? fmt::format("in etcd ({})", Counted(members, "member"))
                  : fmt::format("{:.1f} MiB", mib(state.ledger_bytes())),
      mib(state.archive_bytes()), mib(state.archive_max_bytes()));
  if (state.archive_dropped() > 0) {
    out << fmt::format("state: {} dropped: the archive could not be written\n",
                       Counted(state.archive_dropped(), "archive record"));
  }
  for (const std::string& warning : state.warnings()) {
    out << "state: warning: " << warning << "\n";
  }
}

void PrintLeader(const v1::ClusterStatus& cluster, std::ostream& out) {
  std::string text = "this daemon leads";
  if (cluster.has_leader()) {
    text = cluster.leader().empty()
               ? "no leader at the moment: an election is in progress, or no "
                 "daemon can lead"
               : fmt::format(
                     "leader {} (starts and history there); this "
                     "daemon is a follower",
                     cluster.leader());
  }
  out << fmt::format("{}: {}\n", cluster.name(), text);
}

void PrintText(const v1::StatusReply& status, std::ostream& out) {
  out << fmt::format("coolspand {}, started {}\n", status.version(),
                     FormatTime(status.started_ms()))
      << fmt::format("machine {}, policy {}, ordering {}\n", status.machine(),
                     status.policy(), status.ordering())
      << fmt::format(
             "{} decisions, {} placed; {} us median, {} us p99, {} us max\n",
             status.decisions(), status.placed(),
             FormatNumber(status.decision_us_p50()),
             FormatNumber(status.decision_us_p99()),
             FormatNumber(status.decision_us_max()))
      << fmt::format(
             "{:.1f} MiB resident, {} replay sessions\n",
             static_cast<double>(status.resident_bytes()) / kBytesPerMib,
             status.sessions());
  if (status.drained_ms() != 0) {
    out << fmt::format(
        "drained since {}: this daemon makes no decisions (coolspan drain "
        "--undo ends it)\n",
        FormatTime(status.drained_ms()));
  }
  PrintConfig(status.config(), out);
  PrintState(status.state(), out);
  if (status.has_room()) PrintRoom(status.room(), out);
  if (status.clusters().empty() && !status.state().warnings().empty()) return;
  if (status.clusters().empty()) {
    out << "no clusters: no sync received since daemon start (does slurmctld "
           "load "
           "Coolspan?)\n";
    return;
  }
  TextTable table({"cluster", "nodes", "free", "unavailable", "committed",
                   "tentative", "disputed", "suspended", "mode", "last_sync"});
  for (const v1::ClusterStatus& cluster : status.clusters()) {
    table.AddRow({cluster.name(), FormatNumber(cluster.nodes()),
                  FormatNumber(cluster.nodes_free()),
                  FormatNumber(cluster.nodes_unavailable()),
                  FormatNumber(cluster.jobs_committed()),
                  FormatNumber(cluster.jobs_tentative()),
                  FormatNumber(cluster.jobs_disputed()),
                  FormatNumber(cluster.jobs_suspended()), DescribeMode(cluster),
                  cluster.synced() || EtcdMembers(status.state()) > 0
                      ? FormatTime(cluster.last_sync_ms())
                      : "pending since daemon start"});
  }
  for (const v1::ClusterStatus& cluster : status.clusters()) {
    // Without etcd, there is one daemon.
    if (EtcdMembers(status.state()) > 0) PrintLeader(cluster, out);
    if (const auto lost = LostContact(cluster)) out << *lost << "\n";
    if (cluster.incomplete()) {
      out << fmt::format(
          "{}: not all jobs were restored; no decisions before the next sync\n",
          cluster.name());
    }
    if (cluster.nodes_unknown() > 0) {
      out << fmt::format(
          "{}: {} not in the machine file: no jobs are placed there, and jobs "
          "there are not shown\n",
          cluster.name(), Counted(cluster.nodes_unknown(), "node"));
    }
    if (cluster.has_free_space()) PrintFreeSpace(cluster, out);
    if (cluster.has_block_space()) PrintBlockSpace(cluster, out);
    PrintStarts(cluster, out);
  }
  out << "\n";
  table.Print(out);
}

absl::StatusOr<Exit> Status(const DaemonOptions& options,
                            const Console& console) {
  const auto status = AskStatus(options);
  if (!status.ok()) return status.status();
  if (console.json) {
    PrintJsonLine(StatusJson(*status), console.out);
  } else {
    PrintText(*status, console.out);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpStatus(CLI::App& app) {
  auto options = std::make_shared<DaemonOptions>();
  AddDaemonOptions(app, *options);
  return
      [options](const Console& console) { return Status(*options, console); };
}

}  // namespace coolspan
