// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/daemon_call.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/flags/shared_options.h"
#include "cli/render/text_table.h"
#include "client/calls.h"

namespace coolspan {
namespace {

constexpr const char* kEndpointVariable = "COOLSPAN_ENDPOINT";

// The daemon to call, and what a message about it says of its origin.
struct Address {
  DaemonAddress daemon;
  std::string origin;
};

Address AddressOf(const DaemonOptions& options) {
  const auto with = [&options](std::string endpoints) {
    return DaemonAddress(std::move(endpoints), options.address.tls);
  };
  if (!options.address.endpoints.empty()) return {options.address, ""};
  const char* const variable =
      std::getenv(kEndpointVariable);  // NOLINT(concurrency-*)
  if (variable != nullptr && *variable != '\0') {
    return {with(variable),
            fmt::format(" (endpoint of {})", kEndpointVariable)};
  }
  return {with(std::string(kDefaultEndpoint)),
          fmt::format(" (default endpoint; --endpoint or {} selects another)",
                      kEndpointVariable)};
}

absl::Status WithOrigin(const absl::Status& status, const Address& address) {
  return {status.code(), absl::StrCat(status.message(), address.origin)};
}

// Connects to the daemon and makes one call.
template <typename Call>
auto Ask(const DaemonOptions& options, const Call& call,
         std::chrono::milliseconds timeout = std::chrono::seconds(5))
    -> decltype(call(std::declval<Calls&>())) {
  const Address address = AddressOf(options);
  const auto calls = Calls::Create(address.daemon, timeout);
  if (!calls.ok()) return WithOrigin(calls.status(), address);
  auto reply = call(**calls);
  if (!absl::IsUnavailable(reply.status())) return reply;
  return WithOrigin(reply.status(), address);
}

}  // namespace

void AddDaemonOptions(CLI::App& app, DaemonOptions& options) {
  CLI::Option* const option = AddEndpointOption(app, options.address);
  option->required(false)->description(
      fmt::format("{} (default: {} if set, else {})", option->get_description(),
                  kEndpointVariable, kDefaultEndpoint));
}

void AddClusterOption(CLI::App& app, DaemonOptions& options) {
  app.add_option("--cluster", options.cluster,
                 "cluster name, if the daemon serves several clusters")
      ->type_name("NAME");
}

absl::StatusOr<v1::StatusReply> AskStatus(const DaemonOptions& options) {
  return Ask(options, [](Calls& calls) { return calls.Status(); });
}

absl::StatusOr<v1::JobsReply> AskJobs(const DaemonOptions& options) {
  v1::JobsRequest request;
  request.set_cluster(options.cluster);
  return Ask(options, [&](Calls& calls) { return calls.Jobs(request); });
}

absl::StatusOr<v1::HistoryReply> AskHistory(const DaemonOptions& options,
                                            v1::HistoryRequest request) {
  request.set_cluster(options.cluster);
  v1::HistoryReply all;
  for (;;) {
    auto page =
        Ask(options, [&](Calls& calls) { return calls.History(request); });
    if (!page.ok()) return page.status();
    all.MergeFrom(*page);
    all.set_next(0);
    if (page->next() == 0) return all;
    request.set_after(page->next());
  }
}

absl::StatusOr<v1::SetModeReply> AskSetMode(const DaemonOptions& options,
                                            const std::string& mode) {
  v1::SetModeRequest request;
  request.set_cluster(options.cluster);
  request.set_mode(mode);
  return Ask(options, [&](Calls& calls) { return calls.SetMode(request); });
}

absl::StatusOr<v1::ReloadReply> AskReload(const DaemonOptions& options) {
  return Ask(
      options, [](Calls& calls) { return calls.Reload(); },
      std::chrono::minutes(10));
}

absl::StatusOr<v1::DrainReply> AskDrain(const DaemonOptions& options,
                                        const v1::DrainRequest& request) {
  return Ask(options, [&](Calls& calls) { return calls.Drain(request); });
}

absl::StatusOr<v1::RemoveClusterReply> AskRemoveCluster(
    const DaemonOptions& options, const v1::RemoveClusterRequest& request) {
  return Ask(options,
             [&](Calls& calls) { return calls.RemoveCluster(request); });
}

absl::StatusOr<v1::MapReply> AskMap(const DaemonOptions& options,
                                    v1::MapRequest request) {
  request.set_cluster(options.cluster);
  return Ask(
      options, [&](Calls& calls) { return calls.Map(request); },
      std::chrono::seconds(20));
}

absl::StatusOr<v1::ExplainReply> AskExplain(const DaemonOptions& options,
                                            v1::ExplainRequest job) {
  job.set_cluster(options.cluster);
  return Ask(options, [&](Calls& calls) { return calls.Explain(job); });
}

std::string DescribeMode(const v1::ClusterStatus& cluster) {
  if (!cluster.mode().empty()) return cluster.mode() + " (coolspan mode)";
  if (cluster.client_mode().empty()) return "that of coolspan.conf";
  return cluster.client_mode() + " (coolspan.conf)";
}

std::size_t EtcdMembers(const v1::StateStatus& state) {
  // "etcd HOST:PORT,HOST:PORT"; a path is absolute.
  if (!state.ledger().starts_with("etcd ")) return 0;
  return static_cast<std::size_t>(std::ranges::count(state.ledger(), ',')) + 1;
}

std::optional<std::string> LostContact(const v1::ClusterStatus& cluster) {
  // Several periods of KeepAlive.
  constexpr std::int64_t kLostAfterMs = 60'000;
  constexpr std::int64_t kMsPerMinute = 60'000;
  if (cluster.has_leader()) return std::nullopt;
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
