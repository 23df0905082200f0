// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/subcommand.h"

namespace coolspan {
namespace {

constexpr SubcommandEntry kTable[] = {
    {"check-config", "check configuration files", SetUpCheckConfig},
    {"machine", "write a machine file from Slurm", SetUpMachine},
    {"order", "show or compare node orderings", SetUpOrder},
    {"allocate", "choose nodes for one request", SetUpAllocate},
    {"map", "choose the node of each rank of a job", SetUpMap},
    {"thermal", "compute inlet temperatures and cooling power", SetUpThermal},
    {"calibrate", "fit the heat distribution matrix to telemetry",
     SetUpCalibrate},
    {"replay", "replay a job trace with one or more policies", SetUpReplay},
    {"generate", "generate a synthetic workload, pattern or room",
     SetUpGenerate},
    {"status", "show the status of a running daemon", SetUpStatus},
    {"mode", "set what Slurm does with decisions", SetUpMode},
    {"drain", "refuse decisions before a daemon is stopped", SetUpDrain},
    {"reload", "apply the daemon file again", SetUpReload},
    {"cluster", "list the clusters of a running daemon, or remove one",
     SetUpCluster},
    {"explain", "show why a job got its nodes", SetUpExplain},
    {"jobs", "list the jobs of a running daemon and their nodes", SetUpJobs},
    {"map-view", "draw a map of the machine and its jobs", SetUpMapView},
    {"state", "export or import the state files of a daemon", SetUpState},
    {"load", "run a load test against a daemon", SetUpLoad},
};

}  // namespace

std::span<const SubcommandEntry> SubcommandTable() { return kTable; }

}  // namespace coolspan
