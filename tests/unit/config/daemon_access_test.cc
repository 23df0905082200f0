// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/daemon_file.h"
#include "setup/access_rules.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ProblemOf(const std::string& lines) {
  const auto file = ParseDaemonFile("machine: m\n" + lines, "/etc/d.yaml");
  return std::string(file.status().message());
}

AccessRules RulesOf(const std::string& lines) {
  const auto file = ParseDaemonFile("machine: m\n" + lines, "/etc/d.yaml");
  EXPECT_TRUE(file.ok()) << file.status();
  const auto rules = MakeAccessRules(*file, "/etc/d.yaml");
  EXPECT_TRUE(rules.ok()) << rules.status();
  return *rules;
}

constexpr uid_t kStranger = 54'321;

TEST(DaemonAccessTest, PlaintextStaysOnThisHostUnlessAllowed) {
  for (const char* const endpoint :
       {"unix:///run/s", "ipv4:127.0.0.1:7000", "ipv4:127.3.2.1:0",
        "ipv4:localhost:7000"}) {
    EXPECT_EQ(ProblemOf(std::string("listen: ") + endpoint + "\n"), "");
  }
  for (const char* const endpoint : {"ipv4:0.0.0.0:7000", "ipv4:10.0.0.1:7000",
                                     "ipv4:ctl:7000", "ipv4:128.0.0.1:7000"}) {
    const std::string line = std::string("listen: ") + endpoint + "\n";
    EXPECT_THAT(ProblemOf(line),
                StartsWith("/etc/d.yaml:2:9: listen: " + std::string(endpoint) +
                           " can be reached from other hosts"));
    EXPECT_EQ(ProblemOf(line + "access: {plaintext_tcp: any-network}\n"), "");
    EXPECT_EQ(ProblemOf(line + "tls: {cert: c, key: k, client_ca: a}\n"), "");
  }
}

TEST(DaemonAccessTest, EndpointsAreListedOnce) {
  EXPECT_THAT(ProblemOf("listen: [\"unix:///run/s\", \"unix:///run/s\"]\n"),
              StartsWith("/etc/d.yaml:2:9: listen: unix:///run/s specified "
                         "more than once"));
}

TEST(DaemonAccessTest, TlsNeedsAllItsFiles) {
  EXPECT_THAT(ProblemOf("tls: {cert: c, key: k}\n"), HasSubstr("client_ca"));
  const auto file = ParseDaemonFile(
      "machine: m\ntls: {cert: c, key: /k, client_ca: a}\n", "/etc/d.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->tls->cert.value, "/etc/c");
  EXPECT_EQ(file->tls->key.value, "/k");
  EXPECT_EQ(file->tls->client_ca.value, "/etc/a");
}

TEST(DaemonAccessTest, BadClientsAreRefused) {
  EXPECT_THAT(ProblemOf("access: {operator: \"*\"}\n"),
              HasSubstr("access.operator: \"*\" stands for everyone"));
  EXPECT_THAT(ProblemOf("access: {sensor: [root, \"*\"]}\n"),
              HasSubstr("access.sensor: \"*\""));
  for (const char* const client : {"\"cert:\"", "\"user:x\"", "\"\"", "\"a*\""})
    EXPECT_THAT(ProblemOf("access: {reader: [" + std::string(client) + "]}\n"),
                HasSubstr("is not a client (expected a user"));
}

TEST(AccessRulesTest, RootAndTheOwnUserHaveEveryRole) {
  const AccessRules rules = RulesOf("");
  EXPECT_EQ(rules.OfUser(0, {}), RoleSet::All());
  EXPECT_EQ(rules.OfUser(geteuid(), {}), RoleSet::All());
  EXPECT_EQ(rules.OfUser(kStranger, {}).Text(), "reader");
  EXPECT_EQ(rules.NameOf(0), "root");
  EXPECT_EQ(rules.NameOf(kStranger), "54321");
}

TEST(AccessRulesTest, UsersGroupsAndCertificatesHaveTheirRoles) {
  const AccessRules rules = RulesOf(
      "access:\n  resource_manager: [54321, \"cert:ctl\"]\n"
      "  operator: [\"group:777\"]\n  reader: [\"cert:eyes\"]\n"
      "  sensor: [\"cert:probe\"]\n  socket_group: 777\n");
  EXPECT_EQ(rules.OfUser(kStranger, {}).Text(),
            "resource_manager, reader, sensor");
  EXPECT_EQ(rules.NameOf(kStranger), "54321");
  const gid_t groups[] = {1, 777};
  EXPECT_EQ(rules.OfUser(kStranger + 1, groups).Text(), "operator, reader");
  EXPECT_EQ(rules.OfUser(kStranger + 1, {}).Text(), "none");
  const std::string ctl[] = {"host", "ctl"};
  EXPECT_EQ(rules.OfCertificate(ctl).Text(),
            "resource_manager, reader, sensor");
  const std::string probe[] = {"probe"};
  EXPECT_EQ(rules.OfCertificate(probe).Text(), "sensor");
  const std::string eyes[] = {"eyes"};
  EXPECT_EQ(rules.OfCertificate(eyes).Text(), "reader");
  EXPECT_EQ(rules.OfCertificate({}).Text(), "none");
  EXPECT_EQ(rules.socket_group(), std::optional<gid_t>(777));
}

TEST(AccessRulesTest, UnknownNamesAreErrorsWithTheirPlace) {
  const auto problem = [](const std::string& lines) {
    const auto file = ParseDaemonFile("machine: m\n" + lines, "/etc/d.yaml");
    EXPECT_TRUE(file.ok()) << file.status();
    return std::string(
        MakeAccessRules(*file, "/etc/d.yaml").status().message());
  };
  EXPECT_THAT(problem("access: {operator: no-such-user}\n"),
              StartsWith("/etc/d.yaml:2:20: access.operator: user "
                         "\"no-such-user\" does not exist"));
  EXPECT_THAT(problem("access: {reader: \"group:no-such-group\"}\n"),
              HasSubstr("group \"no-such-group\" does not exist"));
  EXPECT_THAT(problem("access: {socket_group: no-such-group}\n"),
              HasSubstr("access.socket_group: group \"no-such-group\""));
  EXPECT_EQ(problem("access: {operator: [root, \"group:root\"]}\n"), "");
}

}  // namespace
}  // namespace coolspan
