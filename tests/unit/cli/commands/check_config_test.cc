// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folders.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

using CheckConfigTest = CliTest;

TEST_F(CheckConfigTest, AValidFileIsDescribed) {
  const std::string machine = WriteMesh("4, 4", "n[01-16]");
  const CliResult result = RunCli({"check-config", machine});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out, HasSubstr("valid machine file"));
  EXPECT_EQ(result.err, "");
}

TEST_F(CheckConfigTest, RulesAreListed) {
  WriteMesh("4, 4", "n[01-16]");
  const std::string daemon =
      WriteFile("d.yaml",
                "machine: machine.yaml\n"
                "rules:\n"
                "  - {name: wide, nodes: 8-, policy: first-fit}\n"
                "  - {qos: low, policy: random}\n");
  const CliResult text = RunCli({"check-config", daemon});
  EXPECT_EQ(text.exit, Exit::kSuccess) << text.err;
  EXPECT_THAT(text.out,
              HasSubstr(": valid daemon file: machine test, 16 nodes; policy "
                        "coolspan, ordering hilbert, rules: 2; listens on "
                        "unix:///run/coolspan/coolspand.sock; allocations in "
                        "/var/lib/coolspan/state.db\n"));
  EXPECT_THAT(
      text.out,
      HasSubstr("\n  rule 1 \"wide\", line 3: 8 or more nodes: first-fit on "
                "hilbert\n  rule 2, line 4: qos low: random on hilbert\n"));
  const auto file =
      RunCli({"check-config", daemon, "--json"}).Json().at("files").at(0);
  ASSERT_EQ(file.at("rules").size(), 2U);
  EXPECT_EQ(file.at("rules").at(1),
            "rule 2, line 4: qos low: random on hilbert");
}

TEST_F(CheckConfigTest, ThePluginsFileIsRecognized) {
  const std::string text =
      "# the daemon\n\nEndpoints=unix:///run/c.sock\nMode=advise\n";
  for (const char* name : {"coolspan.conf", "of-the-site.txt"}) {
    const CliResult result = RunCli({"check-config", WriteFile(name, text)});
    EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
    EXPECT_THAT(result.out,
                HasSubstr(": valid coolspan.conf: mode advise, endpoints "
                          "unix:///run/c.sock, deadline 20 ms, underlying "
                          "cons_tres\n"));
  }
}

TEST_F(CheckConfigTest, AnErrorInThePluginsFileHasItsLine) {
  const std::string path =
      WriteFile("coolspan.conf", "Endpoints=unix:///c\nMode: off\n");
  const CliResult text = RunCli({"check-config", path});
  EXPECT_EQ(text.exit, Exit::kBadInput);
  EXPECT_EQ(text.err, path +
                          ":2: 'Mode: off' is not a setting (expected "
                          "Key=Value)\n");
  const auto file =
      RunCli({"check-config", path, "--json"}).Json().at("files").at(0);
  EXPECT_EQ(file.at("ok"), false);
  EXPECT_THAT(file.at("error").get<std::string>(), HasSubstr(":2: "));
}

TEST_F(CheckConfigTest, SlurmsFileNeedsItsOption) {
  const std::string path = WriteFile("slurm.conf", "ClusterName=c\n");
  EXPECT_EQ(RunCli({"check-config", path}).err,
            path + " is a Slurm file (use --slurm " + path + ")\n");
}

TEST_F(CheckConfigTest, SlurmConfIsComparedWithTheMachine) {
  const std::string machine = WriteMesh("4, 4", "n[01-16]");
  const std::string slurm = WriteFile(
      "slurm.conf", "SelectType=select/coolspan\nNodeName=n[02-17]\n");
  const std::string conf = WriteFile("coolspan.conf", "Endpoints=unix:///c\n");
  const CliResult text = RunCli({"check-config", machine, "--slurm", slurm});
  EXPECT_EQ(text.exit, Exit::kSuccess) << text.err;
  EXPECT_THAT(text.out, HasSubstr(conf + ": valid coolspan.conf: "));
  EXPECT_THAT(
      text.out,
      HasSubstr(slurm +
                ": works with Coolspan: 16 nodes, named plugin (other settings "
                "are not checked)\n"));
  EXPECT_THAT(text.err,
              HasSubstr("warning: " + slurm + ": 1 node (n17) not in " +
                        machine + ": Coolspan never chooses them\n"));
  const auto json =
      RunCli({"check-config", machine, "--slurm", slurm, "--json"}).Json();
  EXPECT_EQ(json.at("files").size(), 2U);
  const auto& check = json.at("slurm");
  EXPECT_EQ(check.at("file"), slurm);
  EXPECT_EQ(check.at("ok"), true);
  EXPECT_EQ(check.at("nodes"), 16);
  EXPECT_EQ(check.at("select_type"), "select/coolspan");
  EXPECT_EQ(check.at("plugin"), "named");
  EXPECT_EQ(check.at("errors").size(), 0U);
  EXPECT_EQ(check.at("warnings").size(), 3U);  // of PluginDir too
  EXPECT_EQ(check.at("machines").at(0).at("file"), machine);
  EXPECT_EQ(check.at("machines").at(0).at("missing_in_machine"), "n17");
  EXPECT_EQ(check.at("machines").at(0).at("missing_in_slurm"), "n01");
}

TEST_F(CheckConfigTest, WhatOtherHostsNeedIsANote) {
  for (const char* folder : {"dropin", "stock"}) {
    std::filesystem::create_directories(folder_ / folder);
  }
  WriteFile("dropin/select_cons_tres.so", "libcoolspan_client.so");
  WriteFile("dropin/libcoolspan_client.so", "");
  WriteFile("stock/select_cons_tres.so", "");
  WriteFile("coolspan.conf", "Endpoints=unix:///c\n");
  const std::string machine = WriteMesh("4, 4", "n[01-16]");
  const std::string dropin = folder_ / "dropin";
  const std::string slurm = WriteFile(
      "slurm.conf",
      "SelectType=select/cons_tres\nNodeName=n[01-16]\nPluginDir=" + dropin +
          ":" + (folder_ / "stock").string() + "\n");
  const CliResult result = RunCli({"check-config", machine, "--slurm", slurm});
  EXPECT_EQ(result.exit, Exit::kSuccess);
  EXPECT_THAT(result.err, testing::StartsWith("note: " + slurm +
                                              ":3: PluginDir: " + dropin +
                                              " must exist on each host "));
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  const auto check =
      RunCli({"check-config", machine, "--slurm", slurm, "--json"})
          .Json()
          .at("slurm");
  EXPECT_EQ(check.at("notes").size(), 1U);
  EXPECT_EQ(check.at("warnings").size(), 0U);
}

TEST_F(CheckConfigTest, WhatKeepsThePluginFromWorkingIsBadInput) {
  const std::string machine = WriteMesh("4, 4", "n[01-16]");
  const std::string slurm =
      WriteFile("slurm.conf", "SelectType=select/linear\nNodeName=n[01-16]\n");
  const CliResult result =
      RunCli({"check-config", machine, "--slurm", slurm, "--json"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err,
              HasSubstr((folder_ / "coolspan.conf").string() +
                        ": No such file or directory (expected a file with "));
  EXPECT_THAT(result.err,
              HasSubstr(slurm + ":1: SelectType=select/linear does not use "
                                "Coolspan (expected "));
  EXPECT_EQ(result.Json().at("slurm").at("ok"), false);
  EXPECT_TRUE(result.Json().at("slurm").at("plugin").is_null());
}

TEST_F(CheckConfigTest, AnotherPluginsFileReplacesTheOneBesideSlurmConf) {
  const std::string slurm =
      WriteFile("slurm.conf", "SelectType=select/coolspan\nNodeName=n1\n");
  std::filesystem::create_directories(folder_ / "new");
  const std::string conf =
      WriteFile("new/coolspan.conf", "Endpoints=unix:///c\n");
  const CliResult result =
      RunCli({"check-config", conf, "--slurm", slurm, "--json"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_EQ(result.Json().at("files").size(), 1U);
}

TEST_F(CheckConfigTest, TheExamplesAreValid) {
  for (const char* example :
       {"coolspand.yaml", "coolspand-rules.yaml", "coolspan.conf"}) {
    const CliResult result =
        RunCli({"check-config", SourceDir() / "config" / example});
    EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  }
}

TEST_F(CheckConfigTest, EveryFileIsChecked) {
  const std::string bad =
      WriteFile("bad.yaml",
                "name: x\ntopology: {kind: mesh, dims: [2]}\n"
                "nodes: \"n[1-2]\"\ncolour: red\n");
  const std::string good = WriteMesh("4, 4", "n[01-16]");
  const CliResult result = RunCli({"check-config", bad, good, "--json"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr(bad + ":4:1: "));
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  const auto files = result.Json().at("files");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].at("ok"), false);
  EXPECT_THAT(files[0].at("error").get<std::string>(), HasSubstr("colour"));
  EXPECT_EQ(files[1].at("ok"), true);
  EXPECT_EQ(files[1].at("kind"), "machine");
}

TEST_F(CheckConfigTest, AValidFileMayHaveWarnings) {
  const std::string switches = WriteFile(
      "topology.conf", "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=m1\n");
  const std::string tree = WriteFile(
      "tree.yaml",
      "name: x\ntopology: {kind: fat-tree, slurm_topology: topology.conf}\n");
  const CliResult result = RunCli({"check-config", tree, "--json"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.err, testing::StartsWith("warning: " + switches +
                                              ": 2 top-level switches (a, b)"));
  const auto file = result.Json().at("files").at(0);
  EXPECT_EQ(file.at("summary"), "machine x, 3 nodes, fat-tree");
  EXPECT_EQ(file.at("warnings").size(), 1U);
}

TEST_F(CheckConfigTest, JunkIsOneLineOfText) {
  const std::string junk =
      WriteFile("junk.yaml", std::string("\"\\\0\x1b[31m\n\x7f", 10));
  const CliResult result = RunCli({"check-config", junk});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  EXPECT_THAT(result.err, testing::StartsWith(junk + ":"));
  EXPECT_EQ(result.err.find_first_of(std::string("\0\x1b\x7f", 3)),
            std::string::npos);
}

TEST_F(CheckConfigTest, AFileThatIsNotText) {
  const std::string path = WriteFile("m.yaml", "\xff\xfe");
  EXPECT_EQ(RunCli({"check-config", path}).err,
            path + ":1:1: not a text file (expected UTF-8)\n");
}

TEST_F(CheckConfigTest, ADaemonFileIsNotAMachineFile) {
  const std::string path =
      WriteFile("d.yaml", "listen: [\"unix:///c\"]\nmachine: d.yaml\n");
  EXPECT_EQ(RunCli({"check-config", path}).err,
            path + ":2:10: machine: " + path +
                " is a daemon file (expected a machine file)\n");
}

TEST_F(CheckConfigTest, JsonIsUtf8WhateverTheFileIs) {
  const std::string junk = WriteFile("junk.yaml", "\xff\xfe: {\xc3\n");
  const CliResult result = RunCli({"check-config", junk, "--json"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_EQ(result.Json().at("files").at(0).at("ok"), false);
}

TEST_F(CheckConfigTest, MissingFileIsBadInput) {
  EXPECT_EQ(RunCli({"check-config", folder_ / "none.yaml"}).exit,
            Exit::kBadInput);
  EXPECT_EQ(RunCli({"check-config"}).exit, Exit::kBadInput);
}

}  // namespace
}  // namespace coolspan
