// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/channel.h"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace coolspan {
namespace {

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(
    const CertificateFiles& files) {
  if (files.is_empty()) return grpc::InsecureChannelCredentials();
  namespace tls_api = grpc::experimental;
  constexpr unsigned kRefreshS = 10;  // as the daemon's
  tls_api::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(
      std::make_shared<tls_api::FileWatcherCertificateProvider>(
          files.key, files.cert, files.ca, kRefreshS));
  options.watch_root_certs();
  if (!files.cert.empty()) options.watch_identity_key_cert_pairs();
  return tls_api::TlsCredentials(options);
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target,
                                           const CertificateFiles& files) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 400);
  // Also the timeout of one connection attempt.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1000);
  // The other side is inside the cluster: ignore http_proxy in the environment.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Otherwise a new channel reuses the connection of the previous one.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // A ledger of a million nodes is larger than the default of 4 MiB.
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(target, CredentialsFor(files), arguments);
}

std::string ReasonIn(const std::string& message) {
  absl::string_view reason = message;
  if (absl::StartsWith(message, "failed to connect") ||
      absl::StartsWith(message, "DNS resolution failed")) {
    const std::size_t colon = message.rfind(": ");
    if (colon != std::string::npos) reason.remove_prefix(colon + 2);
  }
  absl::ConsumePrefix(&reason, "recvmsg:");
  return std::string(reason);
}

}  // namespace coolspan
