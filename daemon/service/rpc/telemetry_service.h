// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_TELEMETRY_SERVICE_H_
#define COOLSPAN_SERVICE_RPC_TELEMETRY_SERVICE_H_

#include <atomic>
#include <memory>
#include <utility>

#include "coolspan/v1/telemetry.grpc.pb.h"
#include "core/machine.h"
#include "service/monitor/thermal_monitor.h"

namespace coolspan {

// The Telemetry service of telemetry.proto. Thread-safe.
class TelemetryService final : public v1::Telemetry::Service {
 public:
  // Each stream takes a thread; one agent can report many nodes.
  static constexpr int kMaxStreams = 64;

  // monitor: must outlive the service; nullptr without a room.
  TelemetryService(std::shared_ptr<const Machine> machine,
                   ThermalMonitor* monitor)
      : machine_(std::move(machine)), monitor_(monitor) {}

  grpc::Status Report(grpc::ServerContext* context,
                      grpc::ServerReader<v1::Readings>* stream,
                      v1::ReportReply* reply) override;

 private:
  const std::shared_ptr<const Machine> machine_;
  ThermalMonitor* const monitor_;
  std::atomic<int> streams_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_TELEMETRY_SERVICE_H_
