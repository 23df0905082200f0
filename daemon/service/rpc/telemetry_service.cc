// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/telemetry_service.h"

#include <fmt/format.h>

namespace coolspan {
namespace {

// Counts a stream until the end of the scope.
class StreamCounter {
 public:
  explicit StreamCounter(std::atomic<int>& open) : open_(open) { ++open_; }
  ~StreamCounter() { --open_; }
  StreamCounter(const StreamCounter&) = delete;
  StreamCounter& operator=(const StreamCounter&) = delete;

 private:
  std::atomic<int>& open_;
};

}  // namespace

grpc::Status TelemetryService::Report(grpc::ServerContext* /*context*/,
                                      grpc::ServerReader<v1::Readings>* stream,
                                      v1::ReportReply* reply) {
  if (monitor_ == nullptr) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            "machine " + machine_->name() +
                " has no thermal section in its machine file"};
  }
  const StreamCounter counter(streams_);
  if (streams_ > kMaxStreams) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            fmt::format("too many streams (expected at most {}: one agent can "
                        "report several nodes)",
                        kMaxStreams)};
  }
  v1::Readings readings;
  while (stream->Read(&readings)) monitor_->Take(readings, *reply);
  return grpc::Status::OK;
}

}  // namespace coolspan
