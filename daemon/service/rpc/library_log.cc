// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <mutex>

namespace coolspan {
namespace {

// The libraries take functions without arguments of our own.
std::mutex installed_mutex;
AccessLog* installed = nullptr;

constexpr const char* kAnyClient = "unknown";

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void TakeGrpcLine(gpr_log_func_args* line) {
  const std::string why = HandshakeProblem(line->message);
  const std::lock_guard lock(installed_mutex);
  if (installed != nullptr && !why.empty()) installed->Refused("on TCP", why);
}

void TakeProtobufLine(google::protobuf::LogLevel level, const char*, int,
                      const std::string&) {
  const std::lock_guard lock(installed_mutex);
  if (installed == nullptr || level < google::protobuf::LOGLEVEL_ERROR) return;
  installed->Refused(kAnyClient, "invalid message");
}

}  // namespace

std::string HandshakeProblem(std::string_view line) {
  if (!Has(line, "Handshake failed")) return "";
  std::string_view reason = "other error";
  if (Has(line, "did not return a certificate")) {
    reason = "the client shows no certificate";
  } else if (Has(line, "certificate verify failed")) {
    reason =
        "the client's certificate is not valid now, or not signed by an "
        "authority in tls.client_ca";
  } else if (Has(line, "wrong version number") || Has(line, "http request")) {
    reason = "the client does not use TLS";
  } else if (Has(line, "alert")) {
    reason = "the client does not accept the daemon's certificate";
  }
  return std::string("TLS handshake: ").append(reason);
}

LibraryLog::LibraryLog(AccessLog& log) {
  {
    const std::lock_guard lock(installed_mutex);
    if (installed != nullptr) return;
    installed = &log;
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
