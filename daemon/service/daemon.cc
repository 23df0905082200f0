// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/daemon.h"

#include <utility>

#include "service/allocator_service.h"
#include "service/live_clusters.h"
#include "service/server.h"

namespace coolspan {
namespace {

constexpr std::chrono::milliseconds kGrace{2000};

class RunningDaemon final : public Daemon {
 public:
  explicit RunningDaemon(const DaemonSetup& setup)
      : clusters_(setup.machine, setup.policy),
        service_(clusters_, std::chrono::milliseconds(setup.file.deadline_ms)) {
  }

  absl::Status Listen(const std::vector<std::string>& endpoints) {
    auto server = Server::Start(endpoints, service_);
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    return absl::OkStatus();
  }

  const std::vector<std::string>& endpoints() const override {
    return server_->endpoints();
  }
  void ReopenLog() override {}
  void Stop() override { server_->Stop(kGrace); }

 private:
  LiveClusters clusters_;
  AllocatorService service_;
  std::unique_ptr<Server> server_;
};

}  // namespace

const char* Version() { return COOLSPAN_VERSION; }

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(
    const DaemonSetup& setup) {
  auto daemon = std::make_unique<RunningDaemon>(setup);
  absl::Status status = daemon->Listen(setup.file.listen.value);
  if (!status.ok()) return status;
  return std::unique_ptr<Daemon>(std::move(daemon));
}

}  // namespace coolspan
