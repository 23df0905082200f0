// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_CERTIFICATE_WATCH_H_
#define COOLSPAN_SERVICE_MONITOR_CERTIFICATE_WATCH_H_

#include <chrono>
#include <string>
#include <utility>

#include "service/journal/event_log.h"
#include "tls/certificates.h"

namespace coolspan {

// Logs when the daemon's certificate files become invalid, and when they are
// valid again: the server, which reads them by itself, refuses new connections
// meanwhile without a word. Not thread-safe.
class CertificateWatch {
 public:
  // As often as the server reads them.
  static constexpr std::chrono::seconds kInterval{10};

  // log: must outlive the object.
  CertificateWatch(CertificateFiles files, EventLog& log)
      : files_(std::move(files)), log_(log) {}

  // Reads the files if the last time was kInterval ago. To be called from time
  // to time.
  void Tick();

 private:
  const CertificateFiles files_;
  EventLog& log_;
  std::chrono::steady_clock::time_point next_;
  std::string problem_;  // as logged; empty: none
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_CERTIFICATE_WATCH_H_
