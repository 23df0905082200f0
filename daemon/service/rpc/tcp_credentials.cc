// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/tcp_credentials.h"

#include <fmt/format.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/file_error.h"

namespace coolspan {
namespace {

// How often changed files of certificates are looked for.
constexpr unsigned kRefreshS = 10;

// The owners of the certificates seen. Thread-safe.
class CertificatePeers {
 public:
  CertificatePeers(const AccessRules& rules, double calls_per_s)
      : rules_(rules), calls_per_s_(calls_per_s) {}

  std::shared_ptr<Peer> PeerOf(const grpc::AuthContext& context) {
    // The common name first: it stands in messages.
    std::vector<std::string> names = PropertyOf(context, "x509_common_name");
    for (std::string& name : PropertyOf(context, GRPC_PEER_DNS_PROPERTY_NAME)) {
      names.push_back(std::move(name));
    }
    const std::lock_guard lock(mutex_);
    // Each has passed verification: only a careless authority signs so many.
    constexpr std::size_t kMaxPeers = 4096;
    if (peers_.size() >= kMaxPeers) peers_.clear();
    std::shared_ptr<Peer>& peer = peers_[names];
    if (peer == nullptr) {
      peer = std::make_shared<Peer>(
          fmt::format("certificate {}",
                      names.empty() ? "without a name" : Printable(names[0])),
          rules_.OfCertificate(names), calls_per_s_);
    }
    return peer;
  }

 private:
  static std::vector<std::string> PropertyOf(const grpc::AuthContext& context,
                                             const char* property) {
    std::vector<std::string> values;
    for (const grpc::string_ref& value : context.FindPropertyValues(property))
      values.emplace_back(value.data(), value.size());
    return values;
  }

  const AccessRules rules_;
  const double calls_per_s_;
  std::mutex mutex_;
  std::map<std::vector<std::string>, std::shared_ptr<Peer>> peers_;
};

std::shared_ptr<grpc::ServerCredentials> MutualTls(const DaemonTls& tls) {
  namespace tls_api = grpc::experimental;
  const auto files = std::make_shared<tls_api::FileWatcherCertificateProvider>(
      tls.key.value, tls.cert.value, tls.client_ca.value, kRefreshS);
  tls_api::TlsServerCredentialsOptions options(files);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return tls_api::TlsServerCredentials(options);
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> TcpCredentials(
    const std::optional<DaemonTls>& tls, const AccessRules& rules,
    double calls_per_s, const AccessRecords& records) {
  if (!tls.has_value()) return grpc::InsecureServerCredentials();
  auto credentials = MutualTls(*tls);
  const auto peers = std::make_shared<CertificatePeers>(rules, calls_per_s);
  credentials->SetAuthMetadataProcessor(std::make_shared<CallGuard>(
      [peers](const grpc::AuthContext& context) {
        return peers->PeerOf(context);
      },
      records));
  return credentials;
}

}  // namespace coolspan
