// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/channels.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "channel/channel.h"

namespace coolspan {
namespace {

// Of the payload of a status: the Refusal in its details.
constexpr absl::string_view kRefusalUrl = "coolspan.v1.Refusal";

// What gRPC says of a connection that the other side closed.
constexpr absl::string_view kClosed = "Socket closed";

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const Endpoint& endpoint) {
  return MakeChannel(endpoint.target, endpoint.tls);
}

absl::Status Connect(grpc::Channel& channel, const Endpoint& endpoint,
                     std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::system_clock::now() + timeout;
  for (;;) {
    const grpc_connectivity_state state = channel.GetState(true);
    if (state == GRPC_CHANNEL_READY) return absl::OkStatus();
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
      return absl::UnavailableError(
          absl::StrCat("cannot connect to coolspand at ", endpoint.text,
                       " (is coolspand running?)"));
    }
    if (!channel.WaitForStateChange(state, deadline)) {
      return absl::UnavailableError(absl::StrCat("connection to coolspand at ",
                                                 endpoint.text, " timed out"));
    }
  }
}

absl::Status ToAbsl(const grpc::Status& status) {
  constexpr absl::string_view kOtherService = "Received http2 header";
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::string& message = status.error_message();
  if (!status.error_details().empty()) {
    absl::Status refused(code, message);
    refused.SetPayload(kRefusalUrl, absl::Cord(status.error_details()));
    return refused;
  }
  if (code == absl::StatusCode::kDeadlineExceeded)
    return {code, "no response in time"};
  if (absl::StartsWith(message, kOtherService))
    return absl::UnavailableError("another service responds");
  if (absl::StrContains(message, "before receiving SETTINGS frame"))
    return {code, "connected, but no response"};
  return {code, ReasonIn(message)};
}

absl::Status WithTlsReason(const absl::Status& status,
                           const Endpoint& endpoint) {
  if (!absl::IsUnavailable(status)) return status;
  const absl::string_view why = status.message();
  const CertificateFiles& files = endpoint.tls;
  std::string reason;
  if (files.is_empty()) {
    if (why != kClosed || absl::StartsWith(endpoint.target, "unix:"))
      return status;
    reason = "does coolspand expect TLS?";
  } else if (absl::StrContains(why, "certificate verify failed")) {
    reason = absl::StrCat(
        "coolspand's certificate is not valid now, or not "
        "signed by an authority in ",
        files.ca);
  } else if (absl::StrContains(why, "Hostname Verification")) {
    reason = absl::StrCat("coolspand's certificate does not name the host of ",
                          endpoint.text);
  } else if (absl::StrContains(why, "wrong version number")) {
    reason = "coolspand does not use TLS on this endpoint";
  } else if (why == kClosed) {
    reason = WhyRefused(files, absl::Now());
    if (reason.empty()) {
      reason = absl::StrCat("does coolspand accept ", files.cert,
                            "? Its log says why not");
    }
  } else {
    return status;
  }
  return {status.code(), absl::StrCat("TLS handshake failed: ", reason)};
}

bool IsRefusedByDrain(const absl::Status& status) {
  const auto details = status.GetPayload(kRefusalUrl);
  v1::Refusal refusal;
  return details.has_value() &&
         refusal.ParseFromString(std::string(*details)) && refusal.drained();
}

std::optional<std::string> LeaderInRefusal(const absl::Status& status) {
  const auto details = status.GetPayload(kRefusalUrl);
  v1::Refusal refusal;
  if (!details.has_value() || !refusal.ParseFromString(std::string(*details)) ||
      !refusal.not_leader()) {
    return std::nullopt;
  }
  return refusal.leader();
}

bool IsUnanswered(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
      return true;
    default:
      return false;
  }
}

Channels::Channels(std::vector<Endpoint> endpoints)
    : endpoints_(std::move(endpoints)) {
  for (std::size_t i = 0; i < endpoints_.size(); ++i)
    routes_.push_back(MakeRoute(i));
}

Channels::Route Channels::MakeRoute(std::size_t index) const {
  const std::shared_ptr<grpc::Channel> channel = MakeChannel(endpoints_[index]);
  return Route{index, endpoints_[index], channel,
               v1::Allocator::NewStub(channel)};
}

Channels::Route Channels::Current() const {
  const std::lock_guard lock(mutex_);
  return routes_[current_];
}

void Channels::MoveOn(std::size_t failed) {
  const std::lock_guard lock(mutex_);
  if (current_ == failed) current_ = (current_ + 1) % routes_.size();
}

void Channels::MoveToLeader(std::size_t failed, const std::string& leader) {
  const std::lock_guard lock(mutex_);
  if (current_ != failed) return;
  current_ = (current_ + 1) % routes_.size();
  for (std::size_t i = 0; i < endpoints_.size(); ++i) {
    if (i != failed && endpoints_[i].text == leader) current_ = i;
  }
}

void Channels::Reconnect(std::size_t index) {
  Route fresh = MakeRoute(index);
  const std::lock_guard lock(mutex_);
  std::swap(routes_[index], fresh);
}

void Channels::BeginTerm(std::uint64_t sync, std::uint64_t term) {
  const std::lock_guard lock(mutex_);
  sync_ = sync;
  highest_term_ = term;
}

absl::Status Channels::CheckTerm(std::uint64_t sync, std::uint64_t term) {
  if (term == 0) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  if (term < highest_term_ || (sync != sync_ && term != highest_term_)) {
    return absl::UnavailableError(absl::StrCat("answer dropped: stale term ",
                                               term, ", the leader has term ",
                                               highest_term_));
  }
  highest_term_ = term;
  return absl::OkStatus();
}

}  // namespace coolspan
