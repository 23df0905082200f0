// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/certificate_watch.h"

#include <fmt/format.h>

#include "absl/time/clock.h"

namespace coolspan {

void CertificateWatch::Tick() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const absl::Status status = CheckCertificates(files_);
  std::string problem = status.ok() ? WhyNotValid(files_, absl::Now())
                                    : std::string(status.message());
  if (problem == problem_) return;
  problem_ = std::move(problem);
  if (problem_.empty()) {
    log_.Write(spdlog::level::info, "tls", {{"result", "valid again"}});
  } else {
    log_.Write(spdlog::level::err, "tls",
               {{"why", fmt::format("{}: new TCP connections are refused",
                                    problem_)}});
  }
  log_.Flush();
}

}  // namespace coolspan
