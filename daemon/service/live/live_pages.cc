// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/live_pages.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/stable_hash.h"
#include "formats/file_error.h"
#include "replies/explanation.h"
#include "replies/job_name.h"
#include "replies/machine_json.h"
#include "replies/status_json.h"
#include "service/http/http_status.h"
#include "service/live/happening_json.h"
#include "service/live/live_files.h"
#include "service/live/live_request.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMaxAge{1000};
// Shorter than a connection lasts.
constexpr std::chrono::seconds kMaxReportTime{8};
constexpr std::size_t kMaxClusterBytes = 255;
constexpr char kApi[] = "/api/v1/";

HttpAnswer JsonAnswer(const Json& json, int status = 200) {
  return {
      .status = status,
      .content_type = "application/json",
      .body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

HttpAnswer ErrorAnswer(int status, std::string_view message) {
  return JsonAnswer({{"error", message}}, status);
}

HttpAnswer ErrorAnswer(const absl::Status& status) {
  const int code =
      absl::IsNotFound(status) || absl::IsFailedPrecondition(status)
          ? kHttpNotFound
      : absl::IsInternal(status) || absl::IsDataLoss(status)
          ? kHttpInternalError
          : kHttpUnavailable;
  return ErrorAnswer(code, MessageOf(status));
}

std::int64_t NowMs() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// With a tag by which a client asks whether what it has is still valid.
HttpAnswer Tagged(const HttpRequest& request, std::string_view body,
                  const std::string& content_type, const std::string& tag) {
  HttpAnswer answer{.content_type = content_type,
                    .cache_control = "no-cache",
                    .headers = {{"ETag", tag}}};
  if (Matches(request.header("if-none-match"), tag)) {
    answer.status = kHttpNotModified;
  } else {
    answer.body = body;
  }
  return answer;
}

HttpAnswer FileAnswer(const HttpRequest& request, const LiveFile& file) {
  HttpAnswer answer =
      Tagged(request, file.bytes, file.content_type, TagOf(file.bytes));
  answer.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  return answer;
}

std::string ValueOf(const HttpRequest& request, std::string_view name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

}  // namespace

LivePages::LivePages(Sources sources)
    : sources_(std::move(sources)),
      feed_(sources_.watchers, sources_.start, {}),
      reports_([this] { Wake(); }),
      explanations_([this] { Wake(); }) {}

LivePages::~LivePages() {
  is_stopping_ = true;
  SetServer(nullptr);
}

void LivePages::SetServer(HttpServer* server) {
  const std::lock_guard lock(server_mutex_);
  server_ = server;
}

void LivePages::Wake() {
  const std::lock_guard lock(server_mutex_);
  if (server_ != nullptr) server_->Wake();
}

std::optional<HttpReply> LivePages::Answer(const HttpRequest& request) {
  const std::string& path = request.path;
  const bool is_api = path.starts_with("/api/");
  const LiveFile* const file = is_api ? nullptr : FindLiveFile(path);
  if (!is_api && file == nullptr && !path.starts_with("/live/")) {
    return std::nullopt;
  }
  if (const auto why = WhyRefused(request, sources_.allow_remote);
      !why.empty()) {
    return ErrorAnswer(kHttpForbidden, why);
  }
  if (is_api) return Api(request);
  if (file != nullptr) return FileAnswer(request, *file);
  return HttpAnswer{.status = kHttpNotFound,
                    .body = "not found (expected / for the live page)\n"};
}

HttpReply LivePages::Api(const HttpRequest& request) {
  const std::string cluster = ValueOf(request, "cluster");
  if (cluster.size() > kMaxClusterBytes) {
    return ErrorAnswer(kHttpBadRequest,
                       fmt::format("cluster: expected a name of at most {} "
                                   "bytes",
                                   kMaxClusterBytes));
  }
  std::string_view what = request.path;
  if (!what.starts_with(kApi)) what = "";
  if (!what.empty()) what.remove_prefix(std::size(kApi) - 1);
  if (what == "status") {
    return reports_.Get("status", kMaxAge, [this] { return MakeStatus(); });
  }
  if (what == "machine") return MachineAnswer(request);
  if (what == "jobs") {
    return reports_.Get("jobs " + cluster, kMaxAge,
                        [this, cluster] { return MakeHoldings(cluster); });
  }
  if (what == "room") {
    return reports_.Get("room", kMaxAge, [this] { return MakeRoom(); });
  }
  if (what == "events") return Events(request);
  if (what == "explain") return Explanation(request, cluster);
  return ErrorAnswer(kHttpNotFound,
                     "not found (expected /api/v1/status, machine, jobs, room, "
                     "events or explain)");
}

HttpReply LivePages::MachineAnswer(const HttpRequest& request) {
  if (machine_json_.empty()) {
    machine_json_ =
        MachineJson(*sources_.machine, std::numeric_limits<NodeCount>::max())
            .dump(-1, ' ', false, Json::error_handler_t::replace) +
        "\n";
    machine_tag_ = TagOf(machine_json_);
  }
  return Tagged(request, machine_json_, "application/json", machine_tag_);
}

HttpReply LivePages::Events(const HttpRequest& request) {
  // A browser repeats the header by itself, a page that connects again cannot.
  const std::string& header = request.header("last-event-id");
  auto stream = feed_.Open(ValueOf(request, "cluster"),
                           header.empty() ? ValueOf(request, "after") : header);
  if (!stream.ok()) return ErrorAnswer(stream.status());
  return HttpStreamAnswer{"text/event-stream", *std::move(stream)};
}

HttpReply LivePages::Explanation(const HttpRequest& request,
                                 const std::string& cluster) {
  const std::string job = ValueOf(request, "job");
  auto named = ParseJobName(job);
  if (!named.has_value()) {
    return ErrorAnswer(kHttpBadRequest,
                       fmt::format("job: expected {}", kExpectedJobName));
  }
  named->set_cluster(cluster);
  return explanations_.Get(
      fmt::format("{} {}", job, cluster), kMaxAge,
      [this, named = *named, job] { return MakeExplanation(named, job); });
}

template <typename Make>
auto LivePages::InTurn(const Make& make) {
  return sources_.turns.InTurn(
      ReportTurns::Clock::now() + kMaxReportTime,
      [this] { return is_stopping_.load(); }, make);
}

HttpAnswer LivePages::MakeStatus() {
  const auto status =
      InTurn([this](const Pause&) { return sources_.service.StatusNow(); });
  if (!status.ok()) return ErrorAnswer(status.status());
  Json json = StatusJson(*status);
  json["now_ms"] = NowMs();
  return JsonAnswer(json);
}

HttpAnswer LivePages::MakeHoldings(const std::string& cluster) {
  v1::JobsRequest request;
  request.set_cluster(cluster);
  const auto reply = InTurn([this, &request](const Pause& pause) {
    return sources_.reports.Jobs(request, pause);
  });
  if (!reply.ok()) return ErrorAnswer(reply.status());
  Json json = HoldingsJson(*reply);
  json["cluster"] = cluster;
  json["now_ms"] = NowMs();
  return JsonAnswer(json);
}

HttpAnswer LivePages::MakeRoom() {
  if (sources_.monitor == nullptr) {
    return ErrorAnswer(kHttpNotFound,
                       "the machine file has no thermal section");
  }
  const auto reading =
      InTurn([this](const Pause&) -> absl::StatusOr<RoomReading> {
        return sources_.monitor->Observe();
      });
  if (!reading.ok()) return ErrorAnswer(reading.status());
  Json inlets = Json::array();
  constexpr double kTenths = 10;
  for (const double inlet_c : reading->inlet_c) {
    inlets.push_back(std::lround(inlet_c * kTenths));
  }
  return JsonAnswer({{"now_ms", NowMs()}, {"inlet_dc", std::move(inlets)}});
}

HttpAnswer LivePages::MakeExplanation(const v1::ExplainRequest& request,
                                      const std::string& job) {
  const auto reply = InTurn([this, &request](const Pause& pause) {
    return sources_.reports.Explain(request, pause);
  });
  if (!reply.ok()) return ErrorAnswer(reply.status());
  Json json = ExplanationJson(*reply, job);
  Json& text = json["text"] = Json::array();
  for (const ExplanationPart& part : ExplanationOf(*reply)) {
    text.push_back({{"before", part.before},
                    {"at_ms", part.at_ms},
                    {"after", part.after},
                    {"fields", part.fields}});
  }
  return JsonAnswer(json);
}

}  // namespace coolspan
