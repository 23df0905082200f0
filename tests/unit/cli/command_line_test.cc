// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/daemon_call.h"
#include "config/daemon_file.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Sets a variable of the environment for the time of a test.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, /*overwrite=*/1);
  }
  ~EnvironmentVariable() {
    if (before_.has_value()) {
      setenv(name_, before_->c_str(), /*overwrite=*/1);
    } else {
      unsetenv(name_);
    }
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Bad usage: exit 2, nothing on out, one line on err.
void ExpectBadUsage(std::vector<std::string> arguments,
                    const testing::Matcher<const std::string&>& message) {
  const CliResult result = RunCli(std::move(arguments));
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  EXPECT_THAT(result.err, message);
}

TEST(CommandLine, NoSubcommandNamesThem) {
  ExpectBadUsage({}, AllOf(HasSubstr("a subcommand is required"),
                           HasSubstr("allocate"), HasSubstr("map-view")));
}

TEST(CommandLine, UnknownSubcommandSuggestsTheNearest) {
  ExpectBadUsage({"alocate", "--machine", "m.yaml"},
                 AllOf(HasSubstr("unknown subcommand 'alocate'"),
                       HasSubstr("did you mean 'allocate'?")));
  ExpectBadUsage({"frobnicate"}, HasSubstr("(expected one of check-config, "));
}

TEST(CommandLine, UnknownSubcommandIsReportedBeforeHelp) {
  ExpectBadUsage({"watch", "--help"}, HasSubstr("unknown subcommand 'watch'"));
  ExpectBadUsage({"help", "status"},
                 AllOf(HasSubstr("coolspan: unknown subcommand 'help'"),
                       HasSubstr("(see coolspan --help)")));
  EXPECT_EQ(RunCli({"--help", "status"}).exit, Exit::kSuccess);
}

TEST(CommandLine, AFlagTakesNoValue) {
  ExpectBadUsage({"machine", "--from-slurm=yes"},
                 HasSubstr("coolspan machine: --from-slurm: takes no value "));
  ExpectBadUsage({"status", "--json=no"},
                 HasSubstr("coolspan status: --json: takes no value (see "));
}

TEST(CommandLine, UnknownOptionSuggestsTheNearest) {
  ExpectBadUsage({"allocate", "--machin", "m.yaml", "--nodes", "4"},
                 AllOf(HasSubstr("unknown option '--machin'"),
                       HasSubstr("did you mean '--machine'?")));
  ExpectBadUsage({"order", "--machine", "m.yaml", "--comapre=yes"},
                 HasSubstr("did you mean '--compare'?"));
  ExpectBadUsage({"jobs", "--job", "3"},
                 HasSubstr("unknown option '--job' (expected one of "));
}

TEST(CommandLine, OptionsFollowTheirSubcommand) {
  ExpectBadUsage({"--json", "allocate", "--machine", "m.yaml"},
                 HasSubstr("option '--json' must follow the subcommand"));
}

TEST(CommandLine, StrayArgumentIsNamed) {
  ExpectBadUsage({"order", "--machine", "m.yaml", "hilbert"},
                 HasSubstr("coolspan order: unexpected argument 'hilbert' "
                           "(expected an option) (see "));
  ExpectBadUsage({"replay", "--machine", "m.yaml", "log.swf"},
                 HasSubstr("coolspan replay: unexpected argument 'log.swf' "
                           "(expected an option, such as --trace FILE) (see "));
  ExpectBadUsage({"mode", "enforce", "off"},
                 HasSubstr("coolspan mode: too many arguments: 'off' (see "));
}

TEST(CommandLine, MissingRequiredOptionIsNamed) {
  ExpectBadUsage({"order"}, HasSubstr("--machine is required"));
  ExpectBadUsage({"explain", "--endpoint", "unix:///x"},
                 HasSubstr("JOB is required"));
}

TEST(CommandLine, RejectsInvalidNumbers) {
  const std::vector<std::string> stem = {"allocate", "--machine", "m.yaml",
                                         "--policy", "best-fit",  "--nodes"};
  for (const char* wrong :
       {"four", "-1", "4x", "1.5", "99999999999999999999", ""}) {
    std::vector<std::string> arguments = stem;
    arguments.emplace_back(wrong);
    SCOPED_TRACE(wrong);
    ExpectBadUsage(arguments, HasSubstr("--nodes"));
  }
}

TEST(CommandLine, RejectsInvalidJobIds) {
  for (const char* const job : {"111_", "x", "-1", "99999999999"}) {
    ExpectBadUsage({"explain", "--endpoint", "unix:///x", "--", job},
                   HasSubstr(std::string("JOB: '") + job +
                             "' is not valid (expected a job id such as 111, "
                             "an array task such as 111_3, a component of a "
                             "heterogeneous job such as 111+1, or a decision "
                             "id)"));
  }
}

TEST(CommandLine, RejectsInvalidSeeds) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"allocate", "--machine", "m.yaml", "--policy",
                                 "random", "--nodes", "1"},
        {"generate", "--model", "bqp", "--jobs", "1", "--nodes", "1"},
        {"load", "--endpoint", "unix:///x", "--machine", "m.yaml"}}) {
    std::vector<std::string> with_seed = arguments;
    with_seed.insert(with_seed.end(), {"--seed", "-1"});
    ExpectBadUsage(with_seed, HasSubstr("--seed: '-1' is not valid (expected a "
                                        "whole number of at least 0)"));
    with_seed.back() = "99999999999999999999";
    ExpectBadUsage(with_seed, HasSubstr("(expected a whole number from 0 to "
                                        "18446744073709551615)"));
  }
}

TEST(CommandLine, ANumberOutOfRangeHasItsBounds) {
  const std::vector<std::string> stem = {"calibrate",   "--machine", "m.yaml",
                                         "--telemetry", "t.csv",     "--out",
                                         "D.txt",       "--hold-out"};
  std::vector<std::string> arguments = stem;
  arguments.emplace_back("0.9");
  ExpectBadUsage(arguments, HasSubstr("--hold-out: 0.9 is out of range "
                                      "(expected 0.05 to 0.5)"));
  arguments.back() = "much";
  ExpectBadUsage(arguments, HasSubstr("--hold-out: 'much' is not valid "
                                      "(expected a number from 0.05 to 0.5)"));
}

TEST(CommandLine, ARepeatedOptionIsRefused) {
  ExpectBadUsage({"order", "--machine", "a.yaml", "--machine", "b.yaml"},
                 HasSubstr("--machine: specified more than once (see "));
}

TEST(CommandLine, AMissingValueIsDescribed) {
  ExpectBadUsage({"allocate", "--nodes"},
                 HasSubstr("--nodes: value missing (expected a whole number)"));
  ExpectBadUsage({"calibrate", "--out"},
                 HasSubstr("--out: value missing (expected a file)"));
}

TEST(CommandLine, ATooLargeNumberHasItsBound) {
  ExpectBadUsage({"allocate", "--machine", "m.yaml", "--policy", "best-fit",
                  "--nodes", "99999999999"},
                 HasSubstr("--nodes: '99999999999' is not valid (expected a "
                           "whole number, at most 4294967295)"));
}

TEST(CommandLine, HelpAndVersionAreResults) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"order", "--help"}}) {
    const CliResult help = RunCli(arguments);
    EXPECT_EQ(help.exit, Exit::kSuccess);
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("--"));
  }
  const CliResult version = RunCli({"--version"});
  EXPECT_EQ(version.exit, Exit::kSuccess);
  EXPECT_THAT(version.out,
              testing::MatchesRegex("coolspan [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(CommandLine, EverySubcommandHasHelpWithJson) {
  for (const SubcommandEntry& entry : SubcommandTable()) {
    const CliResult help = RunCli({std::string(entry.name), "--help"});
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(help.exit, Exit::kSuccess);
    EXPECT_THAT(help.out,
                AllOf(HasSubstr("--json"), HasSubstr(std::string(entry.help))));
  }
}

TEST(CommandLine, HelpFitsIn80Columns) {
  std::vector<std::vector<std::string>> calls = {{"--help"}};
  for (const SubcommandEntry& entry : SubcommandTable()) {
    calls.push_back({std::string(entry.name), "--help"});
  }
  for (const std::vector<std::string>& call : calls) {
    std::istringstream help(RunCli(call).out);
    for (std::string line; std::getline(help, line);) {
      EXPECT_LE(line.size(), 80U) << call.front() << ": " << line;
    }
  }
}

TEST(CommandLine, HelpShowsDefaults) {
  EXPECT_THAT(RunCli({"allocate", "--help"}).out,
              testing::ContainsRegex("--time-limit SECONDS +[^(]*"
                                     "\\(default: 10\\)\n"));
}

TEST(CommandLine, NoDaemonIsExitThree) {
  for (const char* subcommand : {"status", "jobs", "map-view"}) {
    const CliResult result = RunCli(
        {subcommand, "--endpoint", "unix:///nonexistent/coolspand.sock"});
    EXPECT_EQ(result.exit, Exit::kUnreachable) << subcommand;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  }
}

TEST(CommandLine, TheEndpointHasADefault) {
  EXPECT_EQ(ParseDaemonFile("machine: m\n", "d.yaml")->listen.value,
            std::vector<std::string>{std::string(kDefaultEndpoint)});
  const EnvironmentVariable unset("COOLSPAN_ENDPOINT", "");
  for (const char* subcommand : {"status", "jobs", "map-view"}) {
    const CliResult result = RunCli({subcommand});
    if (result.exit == Exit::kSuccess) GTEST_SKIP() << "a coolspand runs here";
    EXPECT_EQ(result.exit, Exit::kUnreachable);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("unix:///run/coolspan/coolspand.sock: "),
                      HasSubstr(" (default endpoint; --endpoint or "
                                "COOLSPAN_ENDPOINT selects another)\n")));
  }
}

TEST(CommandLine, TheEndpointOfTheEnvironment) {
  {
    const EnvironmentVariable set("COOLSPAN_ENDPOINT", "unix:///nonexistent/c");
    const CliResult unreachable = RunCli({"status"});
    EXPECT_EQ(unreachable.exit, Exit::kUnreachable);
    EXPECT_THAT(unreachable.err,
                AllOf(HasSubstr("unix:///nonexistent/c: "),
                      HasSubstr(" (endpoint of COOLSPAN_ENDPOINT)\n")));
    EXPECT_THAT(RunCli({"status", "--endpoint", "unix:///nonexistent/d"}).err,
                AllOf(HasSubstr("unix:///nonexistent/d: "),
                      Not(HasSubstr("COOLSPAN_ENDPOINT"))));
  }
  const EnvironmentVariable set("COOLSPAN_ENDPOINT", "http://x");
  const CliResult bad = RunCli({"mode", "off"});
  EXPECT_EQ(bad.exit, Exit::kBadInput);
  EXPECT_THAT(bad.err, HasSubstr("(endpoint of COOLSPAN_ENDPOINT)\n"));
  EXPECT_THAT(RunCli({"load", "--machine", "m.yaml"}).err,
              HasSubstr("--endpoint is required"));
}

TEST(CommandLine, BadEndpointIsBadInput) {
  const CliResult result = RunCli({"status", "--endpoint", "http://x"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr("http://x"));
}

}  // namespace
}  // namespace coolspan
