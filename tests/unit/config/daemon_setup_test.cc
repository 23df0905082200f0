// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/daemon_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "config/machine/machine_file.h"
#include "room_machine.h"
#include "setup/check_file.h"
#include "setup/daemon_rules.h"
#include "setup/policy_trial.h"

namespace coolspan {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() { std::filesystem::create_directories(folder_); }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("coolspan_files_" +
       std::string(
           ::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

constexpr const char* kMachine =
    "name: small\ntopology: {kind: mesh, dims: [4, 2]}\nnodes: \"n[1-8]\"\n";

TEST_F(FilesTest, SetupHasMachinePolicyAndOrdering) {
  Write("m.yaml", kMachine);
  const auto setup = LoadDaemonFile(
      Write("d.yaml", "machine: m.yaml\npolicy: first-fit\nordering: snake\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(setup->machine->name(), "small");
  EXPECT_EQ(setup->policy->name(), "first-fit");
  EXPECT_EQ(setup->ordering->name(), "snake");
}

TEST_F(FilesTest, TheSummarySaysWhereAllocationsAreStored) {
  Write("m.yaml", kMachine);
  const auto summary = [this](const std::string& state) {
    const auto setup = LoadDaemonFile(
        Write("d.yaml", "machine: m.yaml\npolicy: first-fit\n" + state));
    EXPECT_TRUE(setup.ok()) << setup.status();
    return setup.ok() ? Summary(*setup) : "";
  };
  EXPECT_THAT(summary("state: {sqlite: s.db}\n"),
              EndsWith("; allocations in " + (folder_ / "s.db").string()));
  EXPECT_THAT(
      summary("state: {etcd: [\"a:2379\", \"b:2379\"], etcd_prefix: /x/}\n"),
      EndsWith("; allocations in etcd a:2379, b:2379, prefix /x/"));
}

// Else each call of etcd would fail, without a word of the reason.
TEST_F(FilesTest, CertificatesForEtcdAreReadAtTheStart) {
  Write("m.yaml", kMachine);
  Write("no.pem", "none\n");
  const auto why = [this](const std::string& files) {
    const auto setup =
        LoadDaemonFile(Write("d.yaml",
                             "machine: m.yaml\npolicy: first-fit\nstate:\n"
                             "  etcd: [\"127.0.0.1:2379\"]\n  advertise: "
                             "\"ipv4:127.0.0.1:7300\"\n" +
                                 files));
    return setup.ok() ? "" : std::string(setup.status().message());
  };
  EXPECT_EQ(why(""), "");
  EXPECT_THAT(why("  etcd_ca: ca.pem\n"),
              AllOf(HasSubstr("d.yaml:6:"), HasSubstr("state.etcd_ca: "),
                    HasSubstr("ca.pem: No such file")));
  EXPECT_THAT(why("  etcd_ca: no.pem\n"), HasSubstr("no certificate"));
  EXPECT_THAT(why("  etcd_ca: no.pem\n  etcd_cert: my.pem\n"
                  "  etcd_key: my.key\n"),
              AllOf(HasSubstr("d.yaml:7:"), HasSubstr("state.etcd_cert: "),
                    HasSubstr("my.pem: No such file")));
}

TEST_F(FilesTest, ALivePageBesideRestrictedReadersIsAWarning) {
  Write("m.yaml", kMachine);
  const auto warnings = [this](const std::string& more) {
    const auto setup = LoadDaemonFile(
        Write("d.yaml", "machine: m.yaml\npolicy: first-fit\n" + more));
    EXPECT_TRUE(setup.ok()) << setup.status();
    return setup->warnings;
  };
  const std::string page = "http: {listen: 127.0.0.1:9643, live: true}\n";
  EXPECT_THAT(
      warnings(page + "access: {reader: [root]}\n"),
      ElementsAre(AllOf(HasSubstr("http.live"), HasSubstr("127.0.0.1:9643"))));
  EXPECT_TRUE(warnings(page).empty());
  EXPECT_TRUE(warnings(page + "access: {reader: [root, \"*\"]}\n").empty());
  EXPECT_TRUE(warnings("access: {reader: [root]}\n").empty());
}

TEST_F(FilesTest, CommentPoliciesAreMade) {
  Write("m.yaml", kMachine);
  const auto setup = LoadDaemonFile(Write(
      "d.yaml", "machine: m.yaml\ncomment_policies: [mm, 'ptas:epsilon=1']\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  ASSERT_EQ(setup->comment_policies.size(), 2U);
  EXPECT_EQ(setup->comment_policies.at("ptas:epsilon=1")->name(), "ptas");
}

TEST_F(FilesTest, InvalidCommentPoliciesAreErrors) {
  Write("m.yaml", kMachine);
  for (const auto& [policies, expected] :
       {std::pair("[mm, nm]", "comment_policies: unknown policy \"nm\""),
        {"[mpit]", "comment_policies: policy mpit"}}) {
    const auto setup = LoadDaemonFile(Write(
        "d.yaml",
        std::string("machine: m.yaml\ncomment_policies: ") + policies + "\n"));
    EXPECT_THAT(std::string(setup.status().message()),
                AllOf(HasSubstr("d.yaml:2:"), HasSubstr(expected)));
  }
}

TEST_F(FilesTest, EveryDefaultCommentPolicyIsMadeInARoom) {
  const DaemonSetup setup = [] {
    DaemonSetup made;
    made.machine = InSomeRoom(*ParseMachineFile(kMachine, "m.yaml"), 8, 1);
    made.ordering = *MakeOrdering(*made.machine, "row-major");
    made.policy = *MakePolicy("mm", made.machine, {made.ordering});
    EXPECT_TRUE(MakeRules(made, "d.yaml").ok());
    return made;
  }();
  EXPECT_EQ(setup.comment_policies.size(), std::size(kDefaultCommentPolicies));
}

TEST_F(FilesTest, PoliciesTooSlowForTheDeadlineAreWarnings) {
  Write("m.yaml",
        "name: wide\ntopology: {kind: mesh, dims: [32, 32]}\n"
        "nodes: \"n[1-1024]\"\n");
  auto setup = LoadDaemonFile(Write("d.yaml",
                                    "machine: m.yaml\n"
                                    "policy: exact\n"
                                    "rules: [{qos: a, policy: exact},\n"
                                    "        {qos: b, policy: best-fit}]\n"
                                    "comment_policies: [free-list]\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  // A millisecond passes with each look at the clock.
  std::chrono::steady_clock::time_point time;
  TryPolicies(*setup, [&time] { return time += std::chrono::milliseconds(1); });
  EXPECT_THAT(setup->warnings,
              ElementsAre(AllOf(HasSubstr("policy: policy exact takes longer "
                                          "than deadline_ms 20"),
                                HasSubstr("256 nodes of 1024"))));
}

constexpr char kRulesOfTrial[] =
    "machine: m.yaml\npolicy: first-fit\n"
    "rules: [{qos: a, policy: best-fit}]\n";

// With a clock on which every decision is late, comments may name no policy by
// default; the administrator's own policies stay, with warnings.
TEST_F(FilesTest, DefaultCommentPoliciesTooSlowForTheDeadlineAreLeftOut) {
  Write("m.yaml", kMachine);
  auto setup = LoadDaemonFile(Write("d.yaml", kRulesOfTrial));
  ASSERT_TRUE(setup.ok()) << setup.status();
  const std::size_t comment_policies = setup->comment_policies.size();
  EXPECT_GT(comment_policies, 0U);
  std::chrono::steady_clock::time_point time;
  TryPolicies(*setup, [&time] { return time += std::chrono::seconds(1); });
  EXPECT_TRUE(setup->comment_policies.empty());
  EXPECT_EQ(setup->slow_comment_policies.size(), comment_policies);
  EXPECT_THAT(setup->warnings,
              ElementsAre(HasSubstr("policy: policy first-fit"),
                          HasSubstr("rule 1, line 3: policy best-fit")));
}

TEST_F(FilesTest, ListedCommentPoliciesTooSlowForTheDeadlineAreWarnings) {
  Write("m.yaml", kMachine);
  auto setup =
      LoadDaemonFile(Write("d.yaml", std::string(kRulesOfTrial) +
                                         "comment_policies: [free-list]\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  std::chrono::steady_clock::time_point time;
  TryPolicies(*setup, [&time] { return time += std::chrono::seconds(1); });
  EXPECT_TRUE(setup->comment_policies.contains("free-list"));
  EXPECT_TRUE(setup->slow_comment_policies.empty());
  EXPECT_THAT(setup->warnings,
              Contains(HasSubstr("comment_policies: free-list: policy")));
}

// A pause of the host during one trial leaves no policy out.
TEST_F(FilesTest, OnlyRepeatedlySlowPoliciesAreLeftOut) {
  Write("m.yaml", kMachine);
  auto setup = LoadDaemonFile(Write("d.yaml", kRulesOfTrial));
  ASSERT_TRUE(setup.ok()) << setup.status();
  std::chrono::steady_clock::time_point time;
  int looks = 0;
  TryPolicies(*setup, [&] {
    return time += std::chrono::seconds(++looks == 3 ? 1 : 0);
  });
  EXPECT_TRUE(setup->slow_comment_policies.empty());
  EXPECT_TRUE(setup->warnings.empty());
}

TEST_F(FilesTest, LongDeadlinesDoNotDelayTheStart) {
  Write("m.yaml", kMachine);
  auto setup = LoadDaemonFile(
      Write("d.yaml", "machine: m.yaml\npolicy: exact\ndeadline_ms: 60000\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  TryPolicies(*setup, []() -> std::chrono::steady_clock::time_point {
    ADD_FAILURE() << "a trial was made";
    return {};
  });
}

TEST_F(FilesTest, PoliciesTakeParametersAndLatencies) {
  Write("m.yaml",
        "name: two\ntopology: {kind: mesh, dims: [2]}\n"
        "nodes: \"n[1-2]\"\n");
  Write("l.txt", "0 3\n5 0\n");
  const auto setup = LoadDaemonFile(Write("d.yaml",
                                          "machine: m.yaml\n"
                                          "policy: bqp:alpha=1:beta=0\n"
                                          "latency_matrix: l.txt\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(setup->policy->name(), "bqp");
  ASSERT_NE(setup->latencies, nullptr);
  EXPECT_EQ(setup->latencies->Between(0, 1), 4);
  EXPECT_EQ(setup->OptionsWith(setup->ordering, SpanKind::kRing).latencies,
            setup->latencies);

  const auto error_of = [this](const std::string& more) {
    return std::string(
        LoadDaemonFile(Write("d.yaml", "machine: m.yaml\n" + more))
            .status()
            .message());
  };
  EXPECT_THAT(error_of("policy: bqp\n"),
              HasSubstr("d.yaml:2:9: policy: policy bqp needs the thermal "
                        "data of the room"));
  EXPECT_THAT(error_of("latency_matrix: absent.txt\n"),
              HasSubstr("d.yaml:2:17: latency_matrix: "));
  Write("l.txt", "0\n");
  EXPECT_THAT(error_of("latency_matrix: l.txt\n"),
              HasSubstr("l.txt: 1 row, 2 nodes in the machine"));
}

TEST_F(FilesTest, CheckDetectsTheKindOfFile) {
  const auto machine = CheckConfigFile(Write("m.yaml", kMachine));
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->kind, "machine");
  EXPECT_THAT(machine->summary, HasSubstr("8 nodes, mesh 4x2"));
  const auto daemon = CheckConfigFile(Write("d.yaml", "machine: m.yaml\n"));
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  EXPECT_EQ(daemon->kind, "daemon");
  EXPECT_THAT(daemon->summary, HasSubstr("policy coolspan, ordering hilbert"));
  const auto neither = CheckConfigFile(Write("x.yaml", "color: blue\n"));
  ASSERT_FALSE(neither.ok());
  EXPECT_THAT(std::string(neither.status().message()), HasSubstr("neither"));
}

TEST_F(FilesTest, RulesHaveTheirPolicyAndOrdering) {
  Write("m.yaml", kMachine);
  const std::string path = Write("d.yaml",
                                 "machine: m.yaml\n"
                                 "policy: first-fit\n"
                                 "rules:\n"
                                 "  - {name: a b, qos: high, policy: random}\n"
                                 "  - {nodes: 4-, ordering: snake}\n"
                                 "  - {nodes: 2, ordering: snake}\n"
                                 "  - {comment: x, span: linear}\n"
                                 "  - {comment: y, policy: first-fit}\n");
  const auto setup = LoadDaemonFile(path);
  ASSERT_TRUE(setup.ok()) << setup.status();
  ASSERT_EQ(setup->rules.size(), 5u);
  EXPECT_EQ(setup->rules[0].label, "rule 1 \"a b\", line 4");
  EXPECT_EQ(setup->rules[0].policy->name(), "random");
  EXPECT_EQ(setup->rules[0].ordering, setup->ordering);
  EXPECT_EQ(setup->rules[1].label, "rule 2, line 5");
  EXPECT_EQ(setup->rules[1].policy->name(), "first-fit");
  EXPECT_EQ(setup->rules[1].ordering->name(), "snake");
  // Rules share policies.
  EXPECT_EQ(setup->rules[2].policy, setup->rules[1].policy);
  EXPECT_NE(setup->rules[1].policy, setup->policy);
  EXPECT_NE(setup->rules[3].policy, setup->policy) << "another span";
  EXPECT_EQ(setup->rules[4].policy, setup->policy);
  EXPECT_THAT(Summary(*setup),
              HasSubstr("policy first-fit, ordering hilbert, rules: 5; "));
  const auto checked = CheckConfigFile(path);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_THAT(
      checked->rules,
      ElementsAre("rule 1 \"a b\", line 4: qos high: random on hilbert",
                  "rule 2, line 5: 4 or more nodes: first-fit on snake",
                  "rule 3, line 6: 2 nodes: first-fit on snake",
                  "rule 4, line 7: comment \"x\": first-fit on hilbert",
                  "rule 5, line 8: comment \"y\": first-fit on hilbert"));
}

TEST_F(FilesTest, PoliciesOfRulesAreValidated) {
  Write("m.yaml", kMachine);
  const auto setup =
      LoadDaemonFile(Write("d.yaml",
                           "machine: m.yaml\n"
                           "rules:\n"
                           "  - {qos: high, ordering: file:absent}\n"));
  EXPECT_THAT(std::string(setup.status().message()),
              HasSubstr("d.yaml:3:27: rules[].ordering: "));
}

constexpr const char* kRoom =
    "name: small\ntopology: {kind: mesh, dims: [2]}\nnodes: \"n[1-2]\"\n"
    "node_types:\n  - {name: a, nodes: \"n[1-2]\", idle_w: 100, compute_w: "
    "300, communicate_w: 200}\n"
    "thermal: {heat_distribution: D.txt, airflow_w_per_k: 100, supply_c: 15, "
    "redline_c: 30}\n";

TEST_F(FilesTest, TheDefaultPolicyIgnoresARoom) {
  const std::string d = Write("d.yaml", "machine: m.yaml\n");
  Write("m.yaml", kMachine);
  const auto without = LoadDaemonFile(d);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->file.policy.value, "coolspan");
  EXPECT_EQ(without->policy->name(), "coolspan");
  Write("D.txt", "0.001 0\n0 0.001\n");
  Write("m.yaml", kRoom);
  const auto in_room = LoadDaemonFile(d);
  ASSERT_TRUE(in_room.ok()) << in_room.status();
  EXPECT_EQ(in_room->file.policy.value, "coolspan:heat=0");
  EXPECT_EQ(in_room->policy->name(), "coolspan");
  EXPECT_THAT(CheckConfigFile(d)->summary,
              HasSubstr("policy coolspan:heat=0,"));
}

TEST_F(FilesTest, ReadsTelemetry) {
  Write("D.txt", "0.001 0\n0 0.001\n");
  Write("m.yaml", kRoom);
  const auto setup = LoadDaemonFile(Write(
      "d.yaml",
      "machine: m.yaml\n"
      "telemetry:\n"
      "  scrape: [\"http://{node}:9290/metrics\", \"http://a/b\"]\n"
      "  inlet: [t_celsius, \"ipmi_temperature_celsius{name=Front Air}\"]\n"
      "  interval_s: 2.5\n"
      "  bias_time_s: 90\n"));
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_THAT(setup->file.telemetry->inlet_metrics,
              ElementsAre(SensorMetric{"t_celsius", "", ""},
                          SensorMetric{"ipmi_temperature_celsius", "name",
                                       "Front Air"}));
  EXPECT_TRUE(setup->file.telemetry->power_metrics.empty());
  EXPECT_EQ(setup->file.telemetry->interval_s, 2.5);
  EXPECT_EQ(setup->file.telemetry->missing_after_s, 300);
  EXPECT_EQ(setup->file.telemetry->bias_time_s, 90);
  EXPECT_EQ(setup->file.telemetry->power_settles_s, 60);
}

TEST_F(FilesTest, TelemetryIsValidated) {
  Write("D.txt", "0.001 0\n0 0.001\n");
  Write("m.yaml", kMachine);
  const auto error = [this](const std::string& telemetry) {
    return std::string(
        LoadDaemonFile(
            Write("d.yaml", "machine: m.yaml\ntelemetry: " + telemetry + "\n"))
            .status()
            .message());
  };
  EXPECT_THAT(error("{scrape: [\"http://a/b\"]}"),
              HasSubstr("d.yaml:2:12: telemetry: machine small has no "
                        "thermal section"));
  Write("m.yaml", kRoom);
  EXPECT_EQ(error("{scrape: [\"http://a/b\"]}"), "");
  EXPECT_EQ(error("{missing_after_s: 60}"), "");
  for (const char* const url : {"https://a/b", "http://", "http:///b",
                                "http://:80/", "http://a b/", "a:80"}) {
    EXPECT_THAT(error(std::string("{scrape: [\"") + url + "\"]}"),
                HasSubstr("d.yaml:2:21: telemetry.scrape: \"" +
                          std::string(url) + "\" is not the URL of a page"))
        << url;
  }
  for (const char* const metric :
       {"", "a b", "1a", "a{", "a{b}", "a{=c}", "a{b=c", "{b=c}"}) {
    EXPECT_THAT(error(std::string("{scrape: [\"http://a\"], power: [\"") +
                      metric + "\"]}"),
                HasSubstr("telemetry.power: \"" + std::string(metric) +
                          "\" is not a metric"))
        << metric;
  }
}

TEST_F(FilesTest, NamedFilesAreValidated) {
  const std::string path =
      Write("d.yaml", "policy: best-fit\nmachine: absent.yaml\n");
  const auto setup = LoadDaemonFile(path);
  ASSERT_FALSE(setup.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(setup.status()));
  EXPECT_THAT(std::string(setup.status().message()),
              HasSubstr(path + ":2:10: machine: "));
  Write("m.yaml", "name: x\n");
  const auto bad = LoadDaemonFile(Write("d.yaml", "machine: m.yaml\n"));
  EXPECT_THAT(std::string(bad.status().message()),
              HasSubstr("m.yaml:1:1: topology: missing"));
  Write("m.yaml", kMachine);
  const auto order =
      LoadDaemonFile(Write("d.yaml", "machine: m.yaml\nordering: zigzag\n"));
  EXPECT_THAT(std::string(order.status().message()),
              HasSubstr("d.yaml:2:11: ordering: "));
}

}  // namespace
}  // namespace coolspan
