// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/telemetry_service.h"

#include <fmt/format.h>

#include "service/rpc/call_slot.h"

namespace coolspan {

grpc::Status TelemetryService::Report(grpc::ServerContext* /*context*/,
                                      grpc::ServerReader<v1::Readings>* stream,
                                      v1::ReportReply* reply) {
  if (monitor_ == nullptr) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            "machine " + machine_->name() +
                " has no thermal section in its machine file"};
  }
  const CallSlot slot(streams_, kMaxStreams);
  if (!slot.is_free()) {
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
