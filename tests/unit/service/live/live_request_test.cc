// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/live_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LiveRequest, AddressesAndLocalhostAreKnownHosts) {
  for (const char* const host :
       {"127.0.0.1", "127.0.0.1:9643", "10.1.2.3:80", "[::1]:9643", "[::1]",
        "localhost", "LocalHost:9643", "coolspan.localhost:1"}) {
    EXPECT_TRUE(IsAddressOrLocalhost(host)) << host;
  }
  for (const char* const host :
       {"", "evil.example", "127.0.0.1.evil.example:9643", "localhost.evil",
        "[::1", "[::1]x", "127.0.0.1:9643:1", "127.0.0.1:x", "::1", "1",
        "xlocalhost"}) {
    EXPECT_FALSE(IsAddressOrLocalhost(host)) << host;
  }
  EXPECT_FALSE(IsAddressOrLocalhost(std::string("127.0.0.1\0.evil", 15)));
}

TEST(LiveRequest, OtherPagesCannotReadTheDocuments) {
  HttpRequest request{.path = "/api/v1/jobs",
                      .query = {},
                      .headers = {{"host", "evil.example"}}};
  EXPECT_THAT(WhyRefused(request, false), HasSubstr("Host"));
  EXPECT_THAT(WhyRefused(request, true), IsEmpty());
  request.headers["host"] = "localhost:9643";
  EXPECT_THAT(WhyRefused(request, false), IsEmpty());
  for (const char* const site : {"same-origin", "none"}) {
    request.headers["sec-fetch-site"] = site;
    EXPECT_THAT(WhyRefused(request, false), IsEmpty());
  }
  for (const char* const site : {"cross-site", "same-site"}) {
    request.headers["sec-fetch-site"] = site;
    EXPECT_THAT(WhyRefused(request, true), HasSubstr("Sec-Fetch-Site"));
  }
  request.path = "/";
  EXPECT_THAT(WhyRefused(request, false), IsEmpty()) << "a link is followed";
}

TEST(LiveRequest, EventIdsAreThoseOfThisStart) {
  EXPECT_EQ(ParseEventId("17-5", "17"), 5u);
  EXPECT_EQ(ParseEventId("17-18446744073709551615", "17"),
            18446744073709551615u);
  for (const char* const id : {"", "17", "17-", "18-5", "175", "17-5x", "17--5",
                               "17-18446744073709551616"}) {
    EXPECT_FALSE(ParseEventId(id, "17").has_value()) << id;
  }
}

TEST(LiveRequest, IfNoneMatchNamesTags) {
  EXPECT_TRUE(Matches("\"a\"", "\"a\""));
  EXPECT_TRUE(Matches("\"b\" , W/\"a\"", "\"a\""));
  EXPECT_TRUE(Matches("*", "\"a\""));
  EXPECT_FALSE(Matches("", "\"a\""));
  EXPECT_FALSE(Matches("a, \"b\"", "\"a\""));
}

}  // namespace
}  // namespace coolspan
