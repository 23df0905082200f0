// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/calls.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "client/channels.h"
#include "client/endpoints.h"

namespace coolspan {
namespace {

std::string WhyUnanswered(const absl::Status& status,
                          std::chrono::milliseconds timeout) {
  constexpr absl::string_view kIsItRunning = " (is coolspand running?)";
  const absl::string_view why = status.message();
  if (absl::IsDeadlineExceeded(status)) {
    return absl::StrCat("timed out after ", timeout.count(), " ms",
                        kIsItRunning);
  }
  if (why == "Permission denied") {
    return absl::StrCat(why,
                        " (expected the user or the group of the socket, or "
                        "root)");
  }
  if (why == "Connection refused" || why == "No such file or directory")
    return absl::StrCat(why, kIsItRunning);
  return std::string(why);
}

}  // namespace

class Calls::Connections {
 public:
  Connections(std::vector<Endpoint> endpoints,
              std::chrono::milliseconds timeout)
      : endpoints_(std::move(endpoints)), timeout_(timeout) {
    for (const Endpoint& endpoint : endpoints_) {
      stubs_.push_back(v1::Allocator::NewStub(MakeChannel(endpoint)));
    }
  }

  // Makes one call, on the first endpoint that answers.
  template <typename Reply, typename Request>
  absl::StatusOr<Reply> Call(grpc::Status (v1::Allocator::Stub::*method)(
                                 grpc::ClientContext*, const Request&, Reply*),
                             const Request& request) {
    std::vector<std::string> failures;
    // Each daemon has a history of its own.
    std::optional<absl::Status> not_found;
    std::string at;  // the endpoints of which
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + timeout_);
      Reply reply;
      const absl::Status status =
          ToAbsl((stubs_[i].get()->*method)(&context, request, &reply));
      if (status.ok()) return reply;
      if (absl::IsNotFound(status)) {
        if (!not_found.has_value()) not_found = status;
        at = absl::StrCat(at, at.empty() ? "" : ", ", endpoints_[i].text);
        continue;
      }
      if (!IsUnanswered(status.code())) return status;
      failures.push_back(
          LeaderInRefusal(status).has_value()
              ? absl::StrCat("coolspand at ", endpoints_[i].text, ": ",
                             status.message())
              : absl::StrCat("no response from coolspand at ",
                             endpoints_[i].text, ": ",
                             WhyUnanswered(WithTlsReason(status, endpoints_[i]),
                                           timeout_)));
    }
    if (not_found.has_value() && failures.empty()) return *not_found;
    if (not_found.has_value()) {
      failures.push_back(absl::StrCat(not_found->message(), " at ", at));
    }
    return absl::UnavailableError(absl::StrJoin(failures, "; "));
  }

 private:
  const std::vector<Endpoint> endpoints_;
  const std::chrono::milliseconds timeout_;
  std::vector<std::unique_ptr<v1::Allocator::Stub>> stubs_;
};

Calls::Calls(std::unique_ptr<Connections> connections)
    : connections_(std::move(connections)) {}
Calls::~Calls() = default;

absl::StatusOr<std::unique_ptr<Calls>> Calls::Create(
    const DaemonAddress& address, std::chrono::milliseconds timeout) {
  absl::StatusOr<std::vector<Endpoint>> parsed = ParseEndpoints(address);
  if (!parsed.ok()) return parsed.status();
  return std::unique_ptr<Calls>(
      new Calls(std::make_unique<Connections>(*std::move(parsed), timeout)));
}

absl::StatusOr<v1::StatusReply> Calls::Status() {
  return connections_->Call<v1::StatusReply>(&v1::Allocator::Stub::Status,
                                             v1::StatusRequest());
}

absl::StatusOr<v1::SyncReply> Calls::Sync(const v1::SyncRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::Sync, request);
}

absl::StatusOr<v1::SetModeReply> Calls::SetMode(
    const v1::SetModeRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::SetMode, request);
}

absl::StatusOr<v1::ReloadReply> Calls::Reload() {
  return connections_->Call<v1::ReloadReply>(&v1::Allocator::Stub::Reload,
                                             v1::ReloadRequest());
}

absl::StatusOr<v1::DrainReply> Calls::Drain(const v1::DrainRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::Drain, request);
}

absl::StatusOr<v1::RemoveClusterReply> Calls::RemoveCluster(
    const v1::RemoveClusterRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::RemoveCluster, request);
}

absl::StatusOr<v1::MapReply> Calls::Map(const v1::MapRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::Map, request);
}

absl::StatusOr<v1::ExplainReply> Calls::Explain(
    const v1::ExplainRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::Explain, request);
}

absl::StatusOr<v1::HistoryReply> Calls::History(
    const v1::HistoryRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::History, request);
}

absl::StatusOr<v1::JobsReply> Calls::Jobs(const v1::JobsRequest& request) {
  return connections_->Call(&v1::Allocator::Stub::Jobs, request);
}

}  // namespace coolspan
