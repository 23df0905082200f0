// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

using ::testing::HasSubstr;

TEST(EndpointsTest, UnixSocket) {
  const auto endpoints = ParseEndpoints("unix:///run/coolspan/coolspand.sock");
  ASSERT_TRUE(endpoints.ok()) << endpoints.status();
  ASSERT_EQ(endpoints->size(), 1u);
  EXPECT_EQ(endpoints->front().target, "unix:///run/coolspan/coolspand.sock");
}

TEST(EndpointsTest, NumericAddressAndHostName) {
  const auto endpoints =
      ParseEndpoints("ipv4:127.0.0.1:7070, ipv4:ctl-2.example:7071");
  ASSERT_TRUE(endpoints.ok()) << endpoints.status();
  ASSERT_EQ(endpoints->size(), 2u);
  EXPECT_EQ((*endpoints)[0].target, "ipv4:127.0.0.1:7070");
  EXPECT_EQ((*endpoints)[1].target, "dns:///ctl-2.example:7071");
  EXPECT_EQ((*endpoints)[1].text, "ipv4:ctl-2.example:7071");
}

struct Bad {
  std::string text;
  std::string error;
};

class BadEndpointsTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadEndpointsTest, ErrorNamesTheProblemAndWhatIsExpected) {
  const auto endpoints = ParseEndpoints(GetParam().text);
  ASSERT_FALSE(endpoints.ok());
  EXPECT_EQ(endpoints.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(endpoints.status().message());
  EXPECT_THAT(message, HasSubstr(GetParam().error));
  EXPECT_THAT(message, HasSubstr("(expected unix:///PATH or ipv4:HOST:PORT"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadEndpointsTest,
    ::testing::Values(
        Bad{"", "is empty"}, Bad{"unix:///a,,unix:///b", "is empty"},
        Bad{"/run/coolspand.sock", "must start with unix:// or ipv4:"},
        Bad{"http://ctl:7070", "must start with unix:// or ipv4:"},
        Bad{"unix://run/coolspand.sock", "must be absolute"},
        Bad{"unix:///", "must be absolute"},
        Bad{"unix:///" + std::string(200, 'x'), "at most 107 bytes"},
        Bad{"ipv4:ctl", "the port is missing"},
        Bad{"ipv4::7070", "the host is missing"},
        Bad{"ipv4:ctl:http", "'http' is not a port"},
        Bad{"ipv4:ctl:0", "'0' is not a port"},
        Bad{"ipv4:ctl:65536", "'65536' is not a port"},
        Bad{"ipv4:256.0.0.1:7070", "'256.0.0.1' is not an IPv4 address"},
        Bad{"ipv4:[::1]:7070", "is not an IPv4 address or a host name"},
        Bad{"unix:///a,unix:///a", "specified more than once"},
        // Found by option_texts_fuzz.
        Bad{std::string("\n\0x", 3), "endpoint '?x'"},
        Bad{"ipv4:a:\n7", "must not contain a blank"},
        Bad{std::string("unix:///a\0b", 11), "must not contain a blank"}));

}  // namespace
}  // namespace coolspan
