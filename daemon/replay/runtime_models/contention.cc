// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <string>

#include "replay/contention/shared_network.h"
#include "replay/runtime_models/runtime_model.h"

namespace coolspan {
namespace {

// Jobs run for their logged run time, and longer while their routes share full
// links with those of other jobs, or fill links themselves (SharedNetwork).
class Contention final : public RuntimeModel {
 public:
  Contention(const RuntimeOptions& options, const Topology& topology)
      : options_(options), topology_(topology) {}

  double Delay(const Locality&, NodeCount, std::uint64_t) const override {
    return 1;
  }
  std::unique_ptr<SharedNetwork> NewNetwork() const override {
    return std::make_unique<SharedNetwork>(SharedNetwork::Setup{
        .routes = MakeRoutes(topology_, options_.network.routes).value(),
        .link_gb_per_s = options_.network.link_gb_per_s,
        .send_gb_per_s = options_.network.send_gb_per_s,
        .communication_share = options_.communication_share});
  }

 private:
  const RuntimeOptions options_;
  const Topology& topology_;
};

absl::Status CheckRate(std::string_view option, double gb_per_s) {
  if (gb_per_s >= kMinGbPerS && gb_per_s <= kMaxGbPerS) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: {} is out of range (expected {} to {} GB/s)", option,
                  gb_per_s, kMinGbPerS, kMaxGbPerS));
}

absl::Status Check(const NetworkOptions& network) {
  absl::Status links = CheckRate("--link-gb-per-s", network.link_gb_per_s);
  if (!links.ok()) return links;
  absl::Status send = CheckRate("--send-gb-per-s", network.send_gb_per_s);
  if (!send.ok()) return send;
  const double over = network.routes.oversubscription;
  if (over >= 1 && over <= kMaxOversubscription) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--oversubscription: {} is out of range (expected 1 to {})",
                  over, kMaxOversubscription));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeContentionRuntimeModel(
    const RuntimeOptions& options, const Topology& topology) {
  if (absl::Status checked = Check(options.network); !checked.ok()) {
    return checked;
  }
  const auto routes = MakeRoutes(topology, options.network.routes);
  if (!routes.ok()) {
    const std::string message(routes.status().message());
    return absl::InvalidArgumentError(
        fmt::format("--runtime-model: contention: {}", message));
  }
  return std::make_unique<const Contention>(options, topology);
}

}  // namespace coolspan
