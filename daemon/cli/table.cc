// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/subcommand.h"

namespace coolspan {
namespace {

constexpr SubcommandEntry kTable[] = {
    {"check-config", "check machine and daemon files", SetUpCheckConfig},
    {"order", "show or compare the orderings of a machine", SetUpOrder},
    {"allocate", "choose nodes for one request", SetUpAllocate},
    {"thermal", "inlets and cooling of a machine's room", SetUpThermal},
    {"calibrate", "learn a room from its telemetry", SetUpCalibrate},
    {"replay", "run a trace through one or several policies", SetUpReplay},
    {"generate", "make up a log of jobs, or a room", SetUpGenerate},
    {"status", "what a running daemon does", SetUpStatus},
    {"explain", "why a job got its nodes", SetUpExplain},
    {"jobs", "who holds what, as a running daemon knows it", SetUpJobs},
    {"map-view", "a map of the machine: who is where", SetUpMapView},
    {"load", "allocate, commit and release many jobs on a test daemon",
     SetUpLoad},
};

}  // namespace

std::span<const SubcommandEntry> SubcommandTable() { return kTable; }

}  // namespace coolspan
