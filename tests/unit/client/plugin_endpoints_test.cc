// SPDX-License-Identifier: GPL-3.0-or-later
// coolspan.conf is parsed without the client library, which is loaded later.
#include <gtest/gtest.h>

#include <string>

#include "client/endpoints.h"
#include "plugin_conf/plugin_conf.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

bool PluginAccepts(const std::string& endpoints) {
  const ScratchFile file("Endpoints=" + endpoints + "\n");
  plugin_conf_t conf = {};
  char problem[PLUGIN_CONF_PROBLEM_SIZE];
  const bool valid =
      plugin_conf_read(file.path().c_str(), &conf, problem, sizeof(problem));
  plugin_conf_free(&conf);
  return valid;
}

TEST(PluginEndpointsTest, ThePluginAcceptsWhatTheClientAccepts) {
  const std::string path(100, 'p');
  for (const std::string& endpoints :
       {std::string("unix:///c"), std::string("unix://c"),
        std::string("unix:///"), "unix:///" + path, "unix:///" + path + path,
        std::string("ipv4:ctl:7070"), std::string("ipv4:10.0.0.1:1"),
        std::string("ipv4:10.0.0.256:1"), std::string("ipv4:ctl:0"),
        std::string("ipv4:ctl:65536"), std::string("ipv4:ctl:"),
        std::string("ipv4::1"), std::string("ipv4:a_b:1"),
        std::string("tcp:ctl:7070"), std::string("unix:///c,ipv4:ctl:7070"),
        std::string("unix:///c,unix:///c"), std::string("unix:///c,"),
        std::string("unix:///c,unix:///cc,unix:///d"),
        std::string("unix:///c Mode=advise")}) {
    EXPECT_EQ(PluginAccepts(endpoints), ParseEndpoints(endpoints).ok())
        << endpoints;
  }
}

}  // namespace
}  // namespace coolspan
