// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "cli/console.h"
#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"
#include "core/counted.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

struct ClusterOptions {
  DaemonOptions daemon;
  std::string action;
  std::string name;
  bool is_forced = false;
};

std::string ContactText(const v1::ClusterStatus& cluster) {
  constexpr std::int64_t kMsPerS = 1000;
  if (cluster.has_contact_age_ms()) {
    return fmt::format("{} s ago", cluster.contact_age_ms() / kMsPerS);
  }
  return cluster.heard_ms() == 0 ? kNoValue : FormatTime(cluster.heard_ms());
}

absl::StatusOr<Exit> ListClusters(const ClusterOptions& options,
                                  const Console& console) {
  const auto status = AskStatus(options.daemon);
  if (!status.ok()) return status.status();
  Json clusters = Json::array();
  TextTable table({"cluster", "nodes", "jobs", "mode", "last_contact"});
  for (const v1::ClusterStatus& cluster : status->clusters()) {
    clusters.push_back(
        {{"cluster", cluster.name()},
         {"nodes", cluster.nodes()},
         {"jobs", cluster.jobs_committed()},
         {"mode", cluster.mode().empty() ? "default" : cluster.mode()},
         {"contact_age_ms", cluster.has_contact_age_ms()
                                ? Json(cluster.contact_age_ms())
                                : Json(nullptr)},
         {"heard_ms", cluster.heard_ms()},
         {"incomplete", cluster.incomplete()}});
    table.AddRow({cluster.name(), FormatNumber(cluster.nodes()),
                  FormatNumber(cluster.jobs_committed()), DescribeMode(cluster),
                  ContactText(cluster)});
  }
  if (console.json) {
    PrintJsonLine(Json{{"clusters", std::move(clusters)}}, console.out);
  } else if (clusters.empty()) {
    console.out << "no clusters\n";
  } else {
    table.Print(console.out);
  }
  return Exit::kSuccess;
}

absl::StatusOr<Exit> RemoveCluster(const ClusterOptions& options,
                                   const Console& console) {
  v1::RemoveClusterRequest request;
  request.set_cluster(options.name);
  request.set_force(options.is_forced);
  const auto reply = AskRemoveCluster(options.daemon, request);
  if (absl::IsFailedPrecondition(reply.status())) {
    PrintMessage(console.err,
                 fmt::format("{} (--force removes it nevertheless)",
                             std::string(reply.status().message())));
    return Exit::kCannotBeMet;
  }
  if (!reply.ok()) return reply.status();
  if (console.json) {
    PrintJsonLine(Json{{"cluster", reply->cluster()}, {"jobs", reply->jobs()}},
                  console.out);
  } else {
    console.out << fmt::format("cluster {}: removed, with {}\n",
                               reply->cluster(), Counted(reply->jobs(), "job"));
  }
  return Exit::kSuccess;
}

absl::StatusOr<Exit> ListOrRemove(const ClusterOptions& options,
                                  const Console& console) {
  const bool is_list = options.action == "list";
  if (!is_list && options.action != "remove") {
    return absl::InvalidArgumentError(
        fmt::format("coolspan cluster: ACTION: {} is not valid (expected list "
                    "or remove)",
                    Quoted(options.action)));
  }
  if (is_list != options.name.empty() || (is_list && options.is_forced)) {
    return absl::InvalidArgumentError(
        is_list ? "coolspan cluster list: NAME and --force are not valid here"
                : "coolspan cluster remove: NAME is required");
  }
  return is_list ? ListClusters(options, console)
                 : RemoveCluster(options, console);
}

}  // namespace

Action SetUpCluster(CLI::App& app) {
  auto options = std::make_shared<ClusterOptions>();
  AddDaemonOptions(app, options->daemon);
  app.add_option("ACTION", options->action, "list or remove")->required();
  app.add_option("NAME", options->name, "the cluster to remove");
  app.add_flag("--force", options->is_forced,
               "remove a cluster that is in contact or has running jobs");
  return [options](const Console& console) {
    return ListOrRemove(*options, console);
  };
}

}  // namespace coolspan
