// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/call_guard.h"

#include <fmt/format.h>

#include <string_view>

#include "service/rpc/method_roles.h"

namespace coolspan {
namespace {

std::string_view PathOf(const grpc::AuthMetadataProcessor::InputMetadata& all) {
  const auto path = all.find(":path");
  if (path == all.end()) return {};
  return {path->second.data(), path->second.size()};
}

std::string_view MethodName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

grpc::Status CallGuard::Process(const InputMetadata& metadata,
                                grpc::AuthContext* context,
                                OutputMetadata* /*consumed_metadata*/,
                                OutputMetadata* /*response_metadata*/) {
  const std::string_view path = PathOf(metadata);
  grpc::Status status = Judge(path, *peer_of_(*context));
  if (!status.ok()) {
    records_.counts.Add(CallCounts::IndexOf(path), status.error_code(), 0);
  }
  return status;
}

grpc::Status CallGuard::Judge(std::string_view path, Peer& peer) const {
  const MethodRole* const method = FindMethodRole(path);
  if (method == nullptr) {
    // gRPC answers calls of unknown methods.
    if (!peer.roles.is_empty() && peer.rate.Take()) return grpc::Status::OK;
    return {grpc::StatusCode::PERMISSION_DENIED, "unknown method"};
  }
  const bool is_limited =
      method->role != Role::kResourceManager || !peer.roles.Has(method->role);
  if (is_limited && !peer.rate.Take()) {
    records_.log.Refused(peer.name, "too many calls a second");
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            fmt::format("more than {:.0f} calls a second of {} (expected "
                        "fewer; access.max_calls_per_s of the daemon file)",
                        peer.rate.rate(), peer.name)};
  }
  if (!peer.roles.Has(method->role)) {
    records_.log.Refused(
        peer.name, fmt::format("{} needs the role {}", MethodName(method->path),
                               TextOf(method->role)));
    return {grpc::StatusCode::PERMISSION_DENIED,
            fmt::format("{} needs the role {}; {} has: {} (expected an entry "
                        "in access.{} of the daemon file)",
                        MethodName(method->path), TextOf(method->role),
                        peer.name, peer.roles.Text(), TextOf(method->role))};
  }
  if (method->role == Role::kOperator) {
    records_.log.Called(peer.name, MethodName(method->path));
  }
  return grpc::Status::OK;
}

}  // namespace coolspan
