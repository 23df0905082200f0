// SPDX-License-Identifier: GPL-3.0-or-later
#include "replies/status_json.h"

#include <cstdint>
#include <string>
#include <utility>

namespace coolspan {
namespace {

Json RoomJson(const v1::RoomStatus& room) {
  Json json;
  json["supply_c"] = room.supply_c();
  json["redline_c"] = room.redline_c();
  json["peak_inlet_c"] = room.peak_inlet_c();
  json["peak_node"] = room.peak_node();
  json["steady_peak_inlet_c"] = room.steady_peak_inlet_c();
  json["steady_peak_node"] = room.steady_peak_node();
  json["supply_max_c"] = room.supply_max_c();
  json["it_w"] = room.it_w();
  json["cooling_w"] = JsonNumber(room.cooling_w());
  json["cop_is_sensible"] = room.cop_is_sensible();
  json["over_redline"] = room.over_redline();
  json["decisions_guarded"] = room.decisions_guarded();
  json["decisions_over_redline"] = room.decisions_over_redline();
  json["inlets_good"] = room.inlets_good();
  json["inlets_bad"] = room.inlets_bad();
  json["powers_good"] = room.powers_good();
  json["powers_bad"] = room.powers_bad();
  json["bad"] = Json::array();
  for (const v1::SensorStatus& sensor : room.bad()) {
    json["bad"].push_back({{"node", sensor.node()},
                           {"kind", sensor.kind()},
                           {"state", sensor.state()},
                           {"value", sensor.value()}});
  }
  return json;
}

Json ConfigJson(const v1::ConfigStatus& config) {
  const bool is_reloaded = config.reload_ms() != 0;
  return {{"file", config.file()},
          {"loaded_ms", config.loaded_ms()},
          {"reload_ms", is_reloaded ? Json(config.reload_ms()) : Json(nullptr)},
          {"reload_error",
           config.error().empty() ? Json(nullptr) : Json(config.error())}};
}

Json ReasonsJson(const ReasonCounts& reasons) {
  Json json = Json::object();
  for (const v1::ReasonCount& reason : reasons) {
    json[reason.reason()] = reason.jobs();
  }
  return json;
}

// Sums, for programs to subtract; the text has means.
Json CostSumsJson(const v1::ChoiceCost& sums) {
  return {{"pairwise_total", sums.pairwise_total()},
          {"pairwise_mean", JsonNumber(sums.pairwise_mean())},
          {"cooling_w", JsonNumber(sums.cooling_w())}};
}

Json StateJson(const v1::StateStatus& state) {
  Json json{{"ledger", state.ledger()},
            {"ledger_bytes", state.ledger_bytes()},
            {"archive", state.archive()},
            {"archive_bytes", state.archive_bytes()},
            {"archive_max_bytes", state.archive_max_bytes()},
            {"archive_dropped", state.archive_dropped()},
            {"warnings", Json::array()}};
  for (const std::string& warning : state.warnings()) {
    json["warnings"].push_back(warning);
  }
  return json;
}

Json BlockSpaceJson(const v1::ClusterStatus::BlockSpace& space) {
  Json segments = Json::array();
  for (int i = 0; i < space.segments_size(); ++i) {
    segments.push_back(
        {{"nodes", space.segment_nodes(i)}, {"idle", space.segments(i)}});
  }
  return {{"idle_blocks", space.idle_blocks()},
          {"largest_job", space.largest_job()},
          {"idle_segments", std::move(segments)}};
}

Json FreeSpaceJson(const v1::ClusterStatus::FreeSpace& space) {
  Json switches = Json::array();
  for (int i = 0; i < space.idle_switches_size(); ++i) {
    switches.push_back({{"level", i},
                        {"idle", space.idle_switches(i)},
                        {"largest", space.largest_switch(i)}});
  }
  return {{"free_intervals", space.intervals()},
          {"largest_interval", space.largest_interval()},
          {"largest_box",
           space.has_largest_box() ? Json(space.largest_box()) : Json(nullptr)},
          {"switches", std::move(switches)}};
}

Json StartsJson(const v1::StartCounts& starts) {
  const v1::AdviceTotals& advice = starts.advice();
  Json json;
  json["enforced"] = starts.enforced();
  json["advised"] = starts.advised();
  json["left"] = Total(starts.left());
  json["left_by_reason"] = ReasonsJson(starts.left());
  json["fallback"] = Total(starts.fallback());
  json["fallback_by_reason"] = ReasonsJson(starts.fallback());
  json["advice"] = {{"jobs", advice.jobs()},
                    {"jobs_n2", advice.jobs_n2()},
                    {"jobs_cooling", advice.jobs_cooling()},
                    {"coolspan", CostSumsJson(advice.decided())},
                    {"slurm", CostSumsJson(advice.actual())}};
  return json;
}

Json ClientJson(const v1::ClientCounts& client) {
  return {{"allocates", client.allocates()},
          {"answered", client.answered()},
          {"deadlines_exceeded", client.deadlines_exceeded()},
          {"rejected_by_breaker", client.rejected_by_breaker()},
          {"outages", client.outages()},
          {"overflows", client.overflows()},
          {"breaker_open", client.breaker_open()}};
}

Json ClusterJson(const v1::ClusterStatus& cluster) {
  return {
      {"name", cluster.name()},
      {"epoch", cluster.epoch()},
      {"nodes", cluster.nodes()},
      {"nodes_free", cluster.nodes_free()},
      {"nodes_held", cluster.nodes_held()},
      {"nodes_tentative", cluster.nodes_tentative()},
      {"nodes_unavailable", cluster.nodes_unavailable()},
      {"nodes_unknown", cluster.nodes_unknown()},
      {"jobs_committed", cluster.jobs_committed()},
      {"jobs_tentative", cluster.jobs_tentative()},
      {"jobs_disputed", cluster.jobs_disputed()},
      {"jobs_suspended", cluster.jobs_suspended()},
      {"last_sync_ms", cluster.last_sync_ms()},
      {"synced", cluster.synced()},
      {"leader", cluster.has_leader() ? Json(cluster.leader()) : Json(nullptr)},
      {"incomplete", cluster.incomplete()},
      {"contact_age_ms", cluster.has_contact_age_ms()
                             ? Json(cluster.contact_age_ms())
                             : Json(nullptr)},
      {"mode", cluster.mode().empty() ? "default" : cluster.mode()},
      {"client_mode", cluster.client_mode().empty()
                          ? Json(nullptr)
                          : Json(cluster.client_mode())},
      {"client",
       cluster.has_client() ? ClientJson(cluster.client()) : Json(nullptr)},
      {"free_space", cluster.has_free_space()
                         ? FreeSpaceJson(cluster.free_space())
                         : Json(nullptr)},
      {"block_space", cluster.has_block_space()
                          ? BlockSpaceJson(cluster.block_space())
                          : Json(nullptr)},
      {"starts", StartsJson(cluster.starts())}};
}

}  // namespace

std::uint64_t Total(const ReasonCounts& reasons) {
  std::uint64_t jobs = 0;
  for (const v1::ReasonCount& reason : reasons) jobs += reason.jobs();
  return jobs;
}

Json StatusJson(const v1::StatusReply& status) {
  Json json;
  json["version"] = status.version();
  json["machine"] = status.machine();
  json["policy"] = status.policy();
  json["ordering"] = status.ordering();
  json["term"] = status.term();
  json["started_ms"] = status.started_ms();
  json["decisions"] = status.decisions();
  json["placed"] = status.placed();
  json["decision_us_p50"] = JsonNumber(status.decision_us_p50());
  json["decision_us_p99"] = JsonNumber(status.decision_us_p99());
  json["decision_us_max"] = JsonNumber(status.decision_us_max());
  json["sessions"] = status.sessions();
  json["resident_bytes"] = status.resident_bytes();
  json["drained_ms"] =
      status.drained_ms() == 0 ? Json(nullptr) : Json(status.drained_ms());
  json["config"] = ConfigJson(status.config());
  json["clusters"] = Json::array();
  for (const v1::ClusterStatus& cluster : status.clusters()) {
    json["clusters"].push_back(ClusterJson(cluster));
  }
  if (status.has_room()) json["room"] = RoomJson(status.room());
  json["state"] = StateJson(status.state());
  return json;
}

}  // namespace coolspan
