// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "telemetry/prometheus_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const auto page = coolspan::ParsePrometheusText(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!page.ok() && page.status().message().empty()) __builtin_trap();
  return 0;
}
