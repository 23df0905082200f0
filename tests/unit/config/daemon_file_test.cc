// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DaemonFileTest, DefaultsComeFromTheTable) {
  const auto file =
      ParseDaemonFile("machine: m.yaml\n", "/etc/coolspan/d.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->listen.value,
              ElementsAre("unix:///run/coolspan/coolspand.sock"));
  EXPECT_EQ(file->machine.value, "/etc/coolspan/m.yaml");
  EXPECT_EQ(file->policy.value, "");
  EXPECT_EQ(file->ordering.value, "");
  EXPECT_EQ(file->span, SpanKind::kOfOrdering);
  EXPECT_EQ(file->deadline_ms, 20);
  EXPECT_EQ(file->sqlite.value, "/var/lib/coolspan/state.db");
  EXPECT_EQ(file->archive.value, "/var/lib/coolspan/state.db-archive");
  EXPECT_EQ(file->log.level, "info");
  EXPECT_EQ(file->log.file, "");
  EXPECT_EQ(file->log.format, "");
  EXPECT_EQ(file->retention_days, 30);
}

TEST(DaemonFileTest, ReadsEveryOption) {
  const auto file = ParseDaemonFile(R"(
listen: [unix:///tmp/a.sock, "ipv4:localhost:9000"]
machine: /m.yaml
policy: first-fit
ordering: file:order.txt
span: linear
deadline_ms: 5
state: {sqlite: s.db, archive: a.db}
log: {level: debug, file: l.log, format: text}
retention_days: 0.5
)",
                                    "conf/d.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->listen.value.size(), 2u);
  EXPECT_EQ(file->machine.value, "/m.yaml");
  EXPECT_EQ(file->ordering.value, "file:conf/order.txt");
  EXPECT_EQ(file->span, SpanKind::kLinear);
  EXPECT_EQ(file->deadline_ms, 5);
  EXPECT_EQ(file->sqlite.value, "conf/s.db");
  EXPECT_EQ(file->archive.value, "conf/a.db");
  EXPECT_EQ(file->log.level, "debug");
  EXPECT_EQ(file->log.file, "conf/l.log");
  EXPECT_EQ(file->log.format, "text");
  EXPECT_EQ(file->retention_days, 0.5);
}

TEST(DaemonFileTest, OneEndpointNeedsNoList) {
  const auto file =
      ParseDaemonFile("listen: unix:///a.sock\nmachine: m\n", "d.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->listen.value, ElementsAre("unix:///a.sock"));
}

struct BadFile {
  const char* text;
  const char* place;
  const char* message;
};
void PrintTo(const BadFile& file, std::ostream* out) { *out << file.text; }

class BadDaemonFileTest : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadDaemonFileTest, ErrorHasPositionAndMessage) {
  const auto file = ParseDaemonFile(GetParam().text, "d.yaml");
  ASSERT_FALSE(file.ok());
  const std::string error(file.status().message());
  EXPECT_EQ(error.find(GetParam().place), 0u) << error;
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadDaemonFileTest,
    ::testing::Values(
        BadFile{"policy: best-fit\n", "d.yaml:1:1", "machine: missing"},
        BadFile{"machine: m.yaml\npolicy: \"\"\n", "d.yaml:2:9",
                "policy: unknown policy \"\""},
        BadFile{"machine: m\npolicy: bestfit\n", "d.yaml:2:9",
                "did you mean best-fit?"},
        BadFile{"machine: m\ndeadline_ms: 0\n", "d.yaml:2:14",
                "an integer from 1 to 60000"},
        BadFile{"machine: m\ndeadline_ms: 99999999999999999999\n",
                "d.yaml:2:14", "an integer from 1 to 60000"},
        BadFile{"machine: m\nretention_days: nan\n", "d.yaml:2:17", "a number"},
        BadFile{"machine: m\nspan: round\n", "d.yaml:2:7",
                "one of ring, linear"},
        BadFile{"machine: m\nlog: {levle: info}\n", "d.yaml:2:7",
                "unknown key \"levle\" in log; did you mean \"level\"?"},
        BadFile{"machine: m\nlog: info\n", "d.yaml:2:6", "a map of options"},
        BadFile{"machine: m\nlog: {file: l, format: journal}\n", "d.yaml:2:24",
                "log.format: journal with log.file"},
        BadFile{"machine: [m]\n", "d.yaml:1:10",
                "machine: value is a list (expected a string)"},
        BadFile{"machine: m\nlisten: []\n", "d.yaml:2:9",
                "listen: list is empty"},
        BadFile{"machine: m\nlisten: [unix:///a, unix:///b, unix:///a]\n",
                "d.yaml:2:9", "listen: unix:///a specified more than once"},
        BadFile{"machine: m\nlisten: \"ipv4:a\\nb:1\"\n", "d.yaml:2:9",
                "is not a host and port"},
        BadFile{"machine: m\nlisten: tcp://x\n", "d.yaml:2:9",
                "\"tcp://x\" is not an endpoint"},
        BadFile{"machine: m\nlisten: unix://x\n", "d.yaml:2:9",
                "not an absolute path"},
        BadFile{"machine: m\nlisten: unix:///a b\n", "d.yaml:2:9",
                "listen: socket path \"/a b\" has a blank (expected "},
        BadFile{"machine: m\nlisten: ipv4:host\n", "d.yaml:2:9",
                "listen: \"host\": the port is missing (expected "},
        BadFile{"machine: m\nlisten: ipv4:host:65536\n", "d.yaml:2:9",
                "host and port"},
        BadFile{"machine: m\nlisten: ipv4::80\n", "d.yaml:2:9",
                "host and port"},
        BadFile{"machine: m\ntls: {cert: c}\n", "d.yaml:2:6",
                "tls.key: missing (expected a string)"},
        BadFile{"machine: m\nrules: gpu\n", "d.yaml:2:8",
                "rules: invalid value \"gpu\" (expected a list of maps)"},
        BadFile{"machine: m\nrules: [gpu]\n", "d.yaml:2:9",
                "rules: invalid entry \"gpu\" (expected a map of options)"},
        BadFile{"machine: m\nrules: [{partiton: a, policy: random}]\n",
                "d.yaml:2:10", "did you mean \"partition\"?"},
        BadFile{"machine: m\nrules: [{partition: [], policy: random}]\n",
                "d.yaml:2:21", "rules[].partition: list is empty"},
        BadFile{"machine: m\nrules:\n  - policy: first-fti\n", "d.yaml:3:13",
                "rules[].policy: unknown policy \"first-fti\"; did you mean "
                "first-fit?"},
        BadFile{"machine: m\npolicy: bqp:gamma=1\n", "d.yaml:2:9",
                "policy bqp: \"gamma=1\": not an option of the policy "
                "(expected alpha=NUMBER"},
        BadFile{"machine: m\nrules:\n  - {qos: high, span: round}\n",
                "d.yaml:3:23", "one of ring, linear"},
        BadFile{"machine: m\nrules:\n  - {qos: high, name: x}\n", "d.yaml:3:5",
                "rules: entry has no effect (expected policy, ordering, "
                "span or mode)"},
        BadFile{"machine: m\nrules:\n  - {nodes: 5-2, policy: random}\n",
                "d.yaml:3:13",
                "rules[].nodes: invalid value \"5-2\" (expected a number from "
                "1 or a range"},
        BadFile{"machine: m\nrules:\n  - {nodes: \"\", policy: random}\n",
                "d.yaml:3:13", "rules[].nodes: invalid value \"\""},
        BadFile{"machine: m\nrules:\n  - {nodes: 0, policy: random}\n",
                "d.yaml:3:13", "a number from 1 or"},
        BadFile{"machine: m\nrules:\n  - {policy: random}\n"
                "  - {qos: high, policy: first-fit}\n",
                "d.yaml:3:5",
                "matches every job, so later entries never apply"},
        BadFile{"machine: m\nhttp: x\n", "d.yaml:2:7",
                "http: invalid value \"x\" (expected a map of options)"},
        BadFile{"machine: m\nhttp: {}\n", "d.yaml:2:7", "http.listen"},
        BadFile{"machine: m\nhttp: {listen: 9643}\n", "d.yaml:2:16",
                "http.listen: \"9643\" is not an address (expected HOST:PORT"},
        BadFile{"machine: m\nhttp: {listen: \"a.example:9643\"}\n",
                "d.yaml:2:16", "is not an address"},
        BadFile{"machine: m\nhttp: {listen: \"127.0.0.1:65536\"}\n",
                "d.yaml:2:16", "is not an address"},
        BadFile{"machine: m\nhttp: {listen: \"::1:9643\"}\n", "d.yaml:2:16",
                "is not an address"},
        BadFile{"machine: m\nhttp: {listen: \"0.0.0.0:9643\"}\n", "d.yaml:2:16",
                "http.listen: other hosts can reach \"0.0.0.0:9643\", without "
                "encryption or authentication (expected a loopback address, or "
                "allow_remote: true)"},
        BadFile{"machine: m\nhttp: {listen: \"[::]:9643\"}\n", "d.yaml:2:16",
                "allow_remote: true"},
        BadFile{"machine: m\nhttp: {listen: \"1.2.3.4:1\", allow_remote: "
                "false}\n",
                "d.yaml:2:16", "allow_remote: true"},
        BadFile{"machine: m\nhttp: {listen: \"[::1]:1\", allow_remote: yes}\n",
                "d.yaml:2:41", "one of true, false"},
        BadFile{"machine: m\nhttp: {listen: \"[::1]:1\", live: maybe}\n",
                "d.yaml:2:33",
                "http.live: invalid value \"maybe\" (expected one of true, "
                "false)"},
        BadFile{"machine: m\nhttp: {live: true}\n", "d.yaml:2:7",
                "http.listen"},
        BadFile{"machine: m\ntelemetry: 5\n", "d.yaml:2:12", "telemetry"},
        BadFile{"machine: m\ntelemetry: {scrape: [a], interval_s: 0}\n",
                "d.yaml:2:38", "interval_s"},
        BadFile{"machine: m\nstate: {sqlite: /}\n", "d.yaml:2:17",
                "/ is a directory (expected a file)"},
        BadFile{"machine: m\nstate: {archive: /}\n", "d.yaml:2:18",
                "/ is a directory (expected a file)"},
        BadFile{"machine: m\nstate: {sqlite: s, archive: ./s}\n", "d.yaml:2:29",
                "the same file as state.sqlite"},
        BadFile{"machine: m\nstate: {etcd: [a]}\n", "d.yaml:2:15",
                "\"a\" is not an endpoint of etcd (expected HOST:PORT"},
        BadFile{"machine: m\nstate: {etcd: [\"a:0\"]}\n", "d.yaml:2:15",
                "\"0\" is not a port"},
        BadFile{"machine: m\nstate: {etcd: [\"a:1\", \"a:1\"]}\n",
                "d.yaml:2:15", "a:1 specified more than once"},
        BadFile{"machine: m\nstate: {etcd: [\"ipv4:10.0.0.1:2379\"]}\n",
                "d.yaml:2:15",
                "\"ipv4:10.0.0.1:2379\" is not an endpoint of etcd (expected "
                "HOST:PORT, as in etcd1:2379 or [::1]:2379)"},
        BadFile{"machine: m\nstate: {etcd: [\"::1:2379\"]}\n", "d.yaml:2:15",
                "\"::1:2379\" is not an endpoint of etcd"},
        BadFile{"machine: m\nstate: {etcd: [\"a:1\"], etcd_prefix: a}\n",
                "d.yaml:2:37", "end with a slash"},
        BadFile{"machine: m\nstate: {etcd_prefix: /coolspan/}\n", "d.yaml:2:22",
                "state.etcd_prefix without state.etcd"},
        BadFile{"machine: m\nlisten: \"unix:///c,ipv4:h:1\"\n",
                "d.yaml:2:", "has a comma (expected a list: ["},
        BadFile{"machine: m\nstate: {etcd_ca: c}\n", "d.yaml:2:18",
                "state.etcd_ca without state.etcd"},
        BadFile{"machine: m\nstate: {etcd_cert: c, etcd_key: k}\n",
                "d.yaml:2:20", "state.etcd_cert without state.etcd"},
        BadFile{"machine: m\nstate: {etcd_key: k}\n", "d.yaml:2:19",
                "state.etcd_key without state.etcd"},
        BadFile{"machine: m\nstate: {lease_s: 2}\n", "d.yaml:2:18",
                "state.lease_s without state.etcd (expected the endpoints of "
                "etcd)"},
        BadFile{"machine: m\nstate: {advertise: \"ipv4:10.0.0.1:7070\"}\n",
                "d.yaml:2:20", "state.advertise without state.etcd"},
        BadFile{"machine: m\nstate: {etcd: [\"a:1\"], etcd_cert: c}\n",
                "d.yaml:2:35", "state.etcd_cert without state.etcd_key"},
        BadFile{"machine: m\nstate: {etcd: [\"a:1\"], advertise: b}\n",
                "d.yaml:2:35", "state.advertise: \"b\" is not an endpoint"},
        BadFile{"machine: m\nlisten: ipv4:0.0.0.0:1\n"
                "access: {plaintext_tcp: any-network}\n"
                "state: {etcd: [\"a:1\"]}\n",
                "d.yaml:2:9", "clients cannot connect to ipv4:0.0.0.0:1"},
        BadFile{"machine: m\nstate: {etcd: [\"a:1\"], lease_s: 0}\n",
                "d.yaml:2:33", "state.lease_s"}));

TEST(DaemonFileTest, AMemberOfEtcdMayHaveAnAddress) {
  for (const char* member : {"[::1]:2379", "10.0.0.1:2379", "etcd1:2379"}) {
    const auto file = ParseDaemonFile(
        fmt::format("machine: m\nstate: {{etcd: [\"{}\"]}}\n", member), "d");
    EXPECT_TRUE(file.ok()) << file.status();
  }
}

TEST(DaemonFileTest, ReadsHttp) {
  const auto http = [](const std::string& text) {
    const auto file = ParseDaemonFile("machine: m\nhttp: " + text, "d.yaml");
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *file->http : DaemonHttp();
  };
  EXPECT_EQ(http("{listen: \"localhost:0\"}").host, "127.0.0.1");
  EXPECT_EQ(http("{listen: \"127.9.9.9:9643\"}").port, 9643);
  EXPECT_EQ(http("{listen: \"[::1]:9643\"}").host, "::1");
  const DaemonHttp remote =
      http("{listen: \"0.0.0.0:80\", allow_remote: true}");
  EXPECT_EQ(remote.host, "0.0.0.0");
  EXPECT_TRUE(remote.allow_remote);
  EXPECT_FALSE(remote.live);
  EXPECT_TRUE(http("{listen: \"[::1]:9643\", live: true}").live);
  EXPECT_FALSE(ParseDaemonFile("machine: m\n", "d.yaml")->http.has_value());
}

TEST(DaemonFileTest, LongSocketPath) {
  const std::string path(120, 'a');
  const auto file =
      ParseDaemonFile("machine: m\nlisten: unix:///" + path + "\n", "d.yaml");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("at most 107"));
}

TEST(DaemonFileTest, ReadsRules) {
  const auto file = ParseDaemonFile(R"(
machine: m
rules:
  - name: wide
    partition: [gpu, debug]
    qos: high
    nodes: 64-512
    comment: "*tight*"
    policy: first-fit
    ordering: file:order.txt
    span: linear
  - {nodes: 8, ordering: snake}
  - {policy: random}
)",
                                    "conf/d.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->rules.size(), 3u);
  const DaemonFile::Rule& wide = file->rules[0];
  EXPECT_EQ(wide.place.line, 4);
  EXPECT_EQ(wide.name, "wide");
  EXPECT_THAT(wide.jobs.partitions, ElementsAre("gpu", "debug"));
  EXPECT_THAT(wide.jobs.qos, ElementsAre("high"));
  EXPECT_EQ(wide.jobs.min_nodes, 64u);
  EXPECT_EQ(wide.jobs.max_nodes, 512u);
  EXPECT_EQ(wide.jobs.comment, "*tight*");
  EXPECT_EQ(wide.policy.value, "first-fit");
  EXPECT_EQ(wide.ordering.value, "file:conf/order.txt");
  EXPECT_EQ(wide.span, SpanKind::kLinear);
  EXPECT_EQ(file->rules[1].jobs.max_nodes, 8u);
  EXPECT_EQ(file->rules[1].jobs.comment, std::nullopt);
  EXPECT_EQ(file->rules[1].policy.value, "");
  EXPECT_EQ(file->rules[1].span, std::nullopt);
  EXPECT_TRUE(file->rules[2].jobs.HoldsForAll());
}

TEST(DaemonFileTest, RulesHaveModes) {
  const auto file = ParseDaemonFile(
      "machine: m\nrules:\n  - {partition: debug, mode: off}\n"
      "  - {qos: low, mode: advise}\n  - {policy: mm}\n",
      "d.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->rules[0].mode, PlacementMode::kOff);
  EXPECT_EQ(file->rules[1].mode, PlacementMode::kAdvise);
  EXPECT_EQ(file->rules[2].mode, std::nullopt);
}

}  // namespace
}  // namespace coolspan
