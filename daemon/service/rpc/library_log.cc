// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace coolspan {
namespace {

// The libraries take functions without arguments of our own.
std::mutex installed_mutex;
AccessLog* installed = nullptr;
TlsPeers installed_peers;

constexpr const char* kAnyClient = "unknown";
constexpr const char* kTcpClient = "on TCP";

struct Reason {
  std::string_view part;  // of gRPC's line
  const char* of_client;
  const char* of_etcd;  // null: only a client can cause it
  const char* of_either;
};
constexpr Reason kOther = {"", "other error", "other error", "other error"};
// The last one matches any line.
constexpr std::array kReasons = {
    Reason{"did not return a certificate", "the client shows no certificate",
           nullptr, nullptr},
    Reason{"certificate verify failed",
           "the client's certificate is not valid now, or not signed by an "
           "authority in tls.client_ca",
           "etcd's certificate is not valid now, or not signed by an authority "
           "in state.etcd_ca",
           "the certificate is not valid now, or not signed by an authority in "
           "tls.client_ca (of a client) or state.etcd_ca (of etcd)"},
    Reason{"wrong version number", "the client does not use TLS",
           "etcd does not use TLS", "the other side does not use TLS"},
    Reason{"http request", "the client does not use TLS", nullptr, nullptr},
    Reason{"alert", "the client does not accept the daemon's certificate",
           "etcd does not accept the daemon's certificate",
           "the other side does not accept the daemon's certificate"},
    kOther};

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void TakeGrpcLine(gpr_log_func_args* line) {
  const std::lock_guard lock(installed_mutex);
  if (installed == nullptr) return;
  const auto failure = FailedHandshake(line->message, installed_peers);
  if (!failure.has_value()) return;
  if (failure->peer == kTcpClient) {
    installed->Refused(failure->peer, failure->why);
  } else {
    installed->HandshakeFailed(failure->peer, failure->why);
  }
}

void TakeProtobufLine(google::protobuf::LogLevel level, const char*, int,
                      const std::string&) {
  const std::lock_guard lock(installed_mutex);
  if (installed == nullptr || level < google::protobuf::LOGLEVEL_ERROR) return;
  installed->Refused(kAnyClient, "invalid message");
}

}  // namespace

std::optional<HandshakeFailure> FailedHandshake(std::string_view line,
                                                TlsPeers peers) {
  if (!Has(line, "Handshake failed") || (!peers.clients && !peers.etcd)) {
    return std::nullopt;
  }
  const auto reason = std::ranges::find_if(
      kReasons, [line](const Reason& one) { return Has(line, one.part); });
  const auto failure = [](const char* peer, const char* why) {
    return HandshakeFailure{peer, std::string("TLS handshake: ").append(why)};
  };
  if (peers.clients && (!peers.etcd || reason->of_etcd == nullptr)) {
    return failure(kTcpClient, reason->of_client);
  }
  if (!peers.clients) {
    return failure(
        "etcd", reason->of_etcd == nullptr ? kOther.of_etcd : reason->of_etcd);
  }
  return failure("a client or etcd", reason->of_either);
}

LibraryLog::LibraryLog(AccessLog& log, TlsPeers peers) {
  {
    const std::lock_guard lock(installed_mutex);
    if (installed != nullptr) return;
    installed = &log;
    installed_peers = peers;
    is_installed_ = true;
  }
  gpr_set_log_function(&TakeGrpcLine);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  google::protobuf::SetLogHandler(&TakeProtobufLine);
}

LibraryLog::~LibraryLog() {
  if (!is_installed_) return;
  // gRPC's threads may still write: the functions stay, and do nothing.
  const std::lock_guard lock(installed_mutex);
  installed = nullptr;
}

}  // namespace coolspan
