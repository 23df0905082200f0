// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/daemon_call.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <ctime>

#include "cli/flags/shared_options.h"
#include "cli/render/text_table.h"
#include "client/calls.h"

namespace coolspan {

void AddDaemonOptions(CLI::App& app, DaemonOptions& options) {
  AddEndpointOption(app, options.endpoints);
}

void AddClusterOption(CLI::App& app, DaemonOptions& options) {
  app.add_option("--cluster", options.cluster,
                 "cluster name, if the daemon serves several clusters")
      ->type_name("NAME");
}

absl::StatusOr<v1::StatusReply> AskStatus(const DaemonOptions& options) {
  const auto calls = Calls::Create(options.endpoints);
  if (!calls.ok()) return calls.status();
  return (*calls)->Status();
}

absl::StatusOr<v1::JobsReply> AskJobs(const DaemonOptions& options) {
  const auto calls = Calls::Create(options.endpoints);
  if (!calls.ok()) return calls.status();
  v1::JobsRequest request;
  request.set_cluster(options.cluster);
  return (*calls)->Jobs(request);
}

absl::StatusOr<v1::SetModeReply> AskSetMode(const DaemonOptions& options,
                                            const std::string& mode) {
  const auto calls = Calls::Create(options.endpoints);
  if (!calls.ok()) return calls.status();
  v1::SetModeRequest request;
  request.set_cluster(options.cluster);
  request.set_mode(mode);
  return (*calls)->SetMode(request);
}

absl::StatusOr<v1::ExplainReply> AskExplain(const DaemonOptions& options,
                                            v1::ExplainRequest job) {
  const auto calls = Calls::Create(options.endpoints);
  if (!calls.ok()) return calls.status();
  job.set_cluster(options.cluster);
  return (*calls)->Explain(job);
}

std::string DescribeMode(const v1::ClusterStatus& cluster) {
  if (!cluster.mode().empty()) return cluster.mode() + " (coolspan mode)";
  if (cluster.client_mode().empty()) return "that of coolspan.conf";
  return cluster.client_mode() + " (coolspan.conf)";
}

std::optional<std::string> LostContact(const v1::ClusterStatus& cluster) {
  // Several periods of KeepAlive.
  constexpr std::int64_t kLostAfterMs = 60'000;
  constexpr std::int64_t kMsPerMinute = 60'000;
  if (cluster.has_contact_age_ms() && cluster.contact_age_ms() < kLostAfterMs) {
    return std::nullopt;
  }
  return fmt::format(
      "{}: no contact {}: its controller is down, or slurmctld runs without "
      "Coolspan (Mode=off, or an error in its log)",
      cluster.name(),
      cluster.has_contact_age_ms()
          ? fmt::format("for {} min", cluster.contact_age_ms() / kMsPerMinute)
          : "since daemon start");
}

std::string FormatTime(std::int64_t since_epoch_ms) {
  if (since_epoch_ms == 0) return kNoValue;
  const std::time_t seconds = since_epoch_ms / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return {text.data(), length};
}

}  // namespace coolspan
