// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as coolspan.conf: an error of one line, or valid settings.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/memory_file.h"
#include "plugin_conf/plugin_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string path = coolspan::PathOf(data, size);
  plugin_conf_t conf = {};
  char problem[PLUGIN_CONF_PROBLEM_SIZE] = "";
  if (plugin_conf_read(path.c_str(), &conf, problem, sizeof(problem))) {
    coolspan::Expect(conf.endpoints != nullptr);
  } else {
    const std::string_view text = problem;
    coolspan::Expect(text.starts_with(path + ":"));
    coolspan::Expect(text.find('\n') == std::string_view::npos);
  }
  coolspan::Expect(conf.deadline_ms >= 1 && conf.deadline_ms <= 1000);
  coolspan::Expect(conf.breaker_s >= 1 && conf.breaker_s <= 3600);
  coolspan::Expect(mode_name(conf.mode) != nullptr);
  coolspan::Expect(conf.underlying != nullptr);
  plugin_conf_free(&conf);
  return 0;
}
