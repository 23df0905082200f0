// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a daemon file: a one-line error that names the file, or
// options within the bounds of the table.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/daemon_file.h"
#include "fuzz/expect.h"

namespace coolspan {
namespace {

void Check(std::string_view text) {
  const auto file = ParseDaemonFile(text, "/nonexistent/fuzz.yaml");
  if (file.ok()) {
    Expect(file->deadline_ms >= 1 && file->deadline_ms <= 60000);
    Expect(file->retention_days >= 0);
    Expect(!file->listen.value.empty());
    for (const std::string& endpoint : file->listen.value) {
      Expect(EndpointProblem(endpoint).empty());
    }
    for (const DaemonFile::Rule& rule : file->rules) {
      Expect(rule.jobs.min_nodes >= 1);
      Expect(rule.jobs.min_nodes <= rule.jobs.max_nodes);
      Expect(!rule.policy.value.empty() || !rule.ordering.value.empty() ||
             rule.span.has_value());
      Expect(rule.jobs.Describe().find('\n') == std::string::npos);
      rule.jobs.Holds({"gpu", "high", "coolspan", 64});
    }
    return;
  }
  ExpectOneLine(file.status(), "/nonexistent/fuzz.yaml");
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  coolspan::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
