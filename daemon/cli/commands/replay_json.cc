// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_json.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "cli/flags/runtime_flags.h"
#include "replay/seed_summary.h"

namespace coolspan {
namespace {

Json TraceJson(const TraceCounts& counts) {
  Json json = {{"jobs", counts.jobs},
               {"skipped", counts.skipped()},
               {"skipped_by",
                {{"zero_run", counts.zero_run},
                 {"unknown_run", counts.unknown_run},
                 {"zero_procs", counts.zero_procs},
                 {"too_large", counts.too_large},
                 {"outside_window", counts.outside_window},
                 {"steps", counts.steps},
                 {"not_started", counts.not_started},
                 {"unfinished", counts.unfinished},
                 {"repeated", counts.repeated},
                 {"unknown_start", counts.unknown_start},
                 {"unknown_nodes", counts.unknown_nodes}}},
               {"zero_run_jobs", counts.zero_run_jobs},
               {"without_estimate", counts.without_estimate},
               {"sharing", counts.sharing},
               {"reordered", counts.reordered},
               {"extra_fields", counts.extra_fields}};
  if (counts.rounded_to_segments > 0) {
    json["rounded_to_segments"] = counts.rounded_to_segments;
  }
  return json;
}

// Adds the run time model and its parameters.
void AddRuntime(const ReplaySetup& setup, Json& run) {
  const RuntimeOptions& runtime = setup.runtime;
  run["runtime_model"] = runtime.model;
  if (runtime.model == "sst") {
    run["comm_cost_reading"] = NameOf(runtime.comm_cost);
    run["runtime_noise"] = runtime.noise;
  }
  if (runtime.model == "contention") {
    const NetworkOptions& network = runtime.network;
    run["link_gb_per_s"] = network.link_gb_per_s;
    run["send_gb_per_s"] = network.send_gb_per_s;
    run["oversubscription"] = network.routes.oversubscription;
    run["routes"] = NameOf(network.routes);
  }
  run["comm_share"] = JsonDecimals(runtime.communication_share);
  if (const Room* room = setup.machine->room().get(); room != nullptr) {
    run["idle"] = room->idle_on() ? "on" : "off";
  }
}

Json LinksJson(const std::vector<LinkReport>& links) {
  Json json = Json::array();
  for (const LinkReport& link : links) {
    json.push_back({{"from_vertex", link.from},
                    {"to_vertex", link.to},
                    {"sent_gb", link.sent_gb},
                    {"use", link.use}});
  }
  return json;
}

Json MapJson(const RunMap& map) {
  Json json = {{"time_s", ToSeconds(map.at_ms)},
               {"jobs", Json::array()},
               {"links", Json::array()}};
  for (const RunMap::Job& job : map.jobs) {
    json["jobs"].push_back({{"job", job.number}, {"ids", job.nodes}});
  }
  for (const RunMap::LinkUse& link : map.links) {
    json["links"].push_back({{"from_vertex", link.from},
                             {"to_vertex", link.to},
                             {"use", link.use}});
  }
  return json;
}

bool IsShown(std::string_view metric, RealTimes real_times) {
  return real_times == RealTimes::kIncluded ||
         (!metric.starts_with("decision_us_") && metric != "replay_jobs_per_s");
}

// policy_keys: the policy, and its situation in a matrix.
Json RunJson(const ReplaySetup& setup, const RunReport& report,
             Json policy_keys, std::uint64_t jobs,
             const std::vector<NamedValue>& values, RealTimes real_times) {
  Json run = std::move(policy_keys);
  run["ordering"] = report.run.ordering->name();
  run["scheduler"] = report.run.scheduler.spec();
  run["estimates"] = setup.estimates.spec;
  run["seed"] = report.run.seed;
  AddRuntime(setup, run);
  run["jobs"] = jobs;
  Json& metrics = run["metrics"] = Json::object();
  for (const NamedValue& metric : values) {
    if (IsShown(metric.name, real_times)) {
      metrics[metric.name] = JsonNumber(metric.value);
    }
  }
  if (!report.links.empty()) run["busiest_links"] = LinksJson(report.links);
  if (report.map.has_value()) run["map"] = MapJson(*report.map);
  if (real_times == RealTimes::kLeftOut) return run;
  run["wall_s"] = report.wall_s;
  run["peak_rss_mb"] = report.peak_rss_mb;
  return run;
}

Json MeansJson(const std::vector<NamedValue>& metrics,
               const std::vector<SeedMean>& means, RealTimes real_times) {
  Json json = Json::object();
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (!IsShown(metrics[i].name, real_times)) continue;
    json[metrics[i].name] = {{"mean", JsonNumber(means[i].mean)},
                             {"ci95", JsonNumber(means[i].ci95)}};
  }
  return json;
}

// Means over seeds, if there are several.
void AddGroups(const std::vector<RunReport>& reports, RealTimes real_times,
               Json& json) {
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  if (groups.size() == reports.size()) return;
  json["groups"] = Json::array();
  for (const SeedGroup& group : groups) {
    const RunReport& first = *group.runs.front();
    Json one = {{"policy", first.run.policy},
                {"ordering", first.run.ordering->name()},
                {"scheduler", first.run.scheduler.spec()},
                {"seeds", Json::array()}};
    for (const RunReport* run : group.runs)
      one["seeds"].push_back(run->run.seed);
    one["metrics"] = MeansJson(first.metrics, group.means, real_times);
    if (!group.differences.empty()) {
      one["difference_to_first"] =
          MeansJson(first.metrics, group.differences, real_times);
    }
    json["groups"].push_back(std::move(one));
  }
}

}  // namespace

Json ReplayJson(const ReplaySetup& setup, const TraceCounts& counts,
                const std::vector<RunReport>& reports, RealTimes real_times) {
  Json json = {{"trace", TraceJson(counts)}, {"runs", Json::array()}};
  for (const RunReport& report : reports) {
    if (setup.previewed.empty()) {
      json["runs"].push_back(RunJson(setup, report,
                                     {{"policy", report.run.policy}},
                                     report.jobs, report.metrics, real_times));
    }
    for (const PreviewReport& preview : report.previews) {
      json["runs"].push_back(RunJson(
          setup, report,
          {{"situation", report.run.policy}, {"policy", preview.policy}},
          preview.jobs, preview.metrics, real_times));
    }
  }
  if (setup.previewed.empty()) AddGroups(reports, real_times, json);
  return json;
}

}  // namespace coolspan
