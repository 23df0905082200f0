// SPDX-License-Identifier: GPL-3.0-or-later
// Every RPC and every parser has a fuzzer: reads the services and the headers,
// and the sources of the fuzzers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "folders.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

// Parsers that a fuzzer reaches through another function, and those that read
// no text from outside.
const std::map<std::string, std::string>& ReachedThrough() {
  static const auto* const reached = new std::map<std::string, std::string>{
      {"ParseNodeRange", "ParseDaemonFile"},
      {"ReadRules", "ParseDaemonFile"},
      {"ReadHttp", "ParseDaemonFile"},
      {"ReadAccess", "ParseDaemonFile"},
      {"ReadEtcd", "ParseDaemonFile"},
      {"ReadTelemetry", "ParseDaemonFile"},
      {"ReadOptions", "ParseDaemonFile"},
      {"ReadInto", "ParseDaemonFile"},
      {"ReadOptionValue", "ParseDaemonFile"},
      {"ReadNodeNames", "ParseMachineFile"},
      {"ReadSpecValues", "ReadPolicySpec"},
      {"ReadTextFile", "ReadSlurmConf"},
      {"ReadMatrixMarket", "ReadMatrixFile"},
      {"ReadHeatFactors", "ReadHeatFile"},
      {"ReadEdgeList", "CheckMachine"},
      {"ReadHopsFile", "CheckMachine"},
      {"ReadCoordinatesFile", "CheckMachine"},
      {"ReadInterconnect", "CheckMachine"},
      {"ReadSlurmBlocks", "CheckMachine"},
      {"ReadSlurmTopology", "CheckMachine"},
      {"ReadSlurmTopologyOption", "CheckMachine"},
      {"ReadTopologyYaml", "CheckMachine"},
      {"ReadSlurmLines", "CheckMachine"},
      {"ParseYaml", "ParseDaemonFile"},
      {"ParseNumber", "CheckMachine"},
      {"ReadWhole", "ParseSeeds"},
      {"ParseRange", "ParseNumberOrRange"},
      {"ParseSacctTimeS", "LoadWorkload"},
      {"ParseSacctDurationS", "LoadWorkload"},
      {"ParseSacctCount", "LoadWorkload"},
      {"ParseSacctNumber", "LoadWorkload"},
      {"ParseSacctJobId", "LoadWorkload"},
      // Values that are parsed already.
      {"ReadWorkloadFlags", "ReadEstimateRule"},
      {"ReadRuntimeFlags", "ReadPolicySpec"},
      {"ReadPolicyFlags", "ReadPolicySpec"},
      {"ParseFailure", "ParseSeeds"},
      {"ReadLearned", "DecodeLearned"},
      // Rows of the daemon's own database: tests/unit/state.
      {"ReadClusters", "ParseUnits"},
      {"ReadDecisions", "ParseUnits"},
      {"ReadStarts", "ParseUnits"},
      {"ReadLatestStarts", "ParseUnits"},
      {"ReadRecentStarts", "ParseUnits"},
      {"ReadHistory", "ParseUnits"},
  };
  return *reached;
}

std::string TextOf(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string TextOfFuzzers() {
  std::string text;
  for (const auto& entry :
       fs::directory_iterator(SourceDir() / "tests" / "fuzz")) {
    if (entry.is_regular_file()) text += TextOf(entry.path());
  }
  return text;
}

std::set<std::string> Matches(const std::string& text,
                              const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end;
       match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

// Functions of a namespace that are named as parsers.
std::set<std::string> ParsersIn(const std::string& header) {
  static const std::regex kParser(
      R"((?:^|\n)(?:[\w:][\w:<>,* ]*[ \n])?((?:Parse|Read)[A-Z]\w*)\()");
  return Matches(header, kParser);
}

TEST(FuzzersTest, EveryRpcHasOne) {
  const std::string fuzzer = TextOf(SourceDir() / "tests/fuzz/rpc_fuzz.cc");
  static const std::regex kEntry(R"re(\{"(\w+)", &Target::)re");
  const std::set<std::string> fuzzed = Matches(fuzzer, kEntry);
  std::set<std::string> rpcs;
  for (const char* file : {"allocator.proto", "telemetry.proto"}) {
    static const std::regex kRpc(R"(\n  rpc (\w+)\()");
    rpcs.merge(Matches(TextOf(SourceDir() / "proto/coolspan/v1" / file), kRpc));
  }
  EXPECT_GT(rpcs.size(), 14U);
  EXPECT_EQ(fuzzed, rpcs);
}

TEST(FuzzersTest, EveryParserHasOne) {
  const std::string fuzzers = TextOfFuzzers();
  std::set<std::string> parsers;
  for (const auto& entry :
       fs::recursive_directory_iterator(SourceDir() / "daemon")) {
    if (entry.path().extension() != ".h") continue;
    parsers.merge(ParsersIn(TextOf(entry.path())));
  }
  EXPECT_GT(parsers.size(), 40U);
  for (const std::string& parser : parsers) {
    const auto other = ReachedThrough().find(parser);
    const std::string& called =
        other == ReachedThrough().end() ? parser : other->second;
    EXPECT_THAT(fuzzers, testing::HasSubstr(called + "("))
        << "no fuzzer in tests/fuzz calls " << parser;
  }
}

TEST(FuzzersTest, TheCheckFindsParsers) {
  EXPECT_THAT(ParsersIn("absl::StatusOr<std::vector<int>> ReadX(\n    int);\n"
                        "std::optional<int>\nParseY(int);\n"
                        "  int ReadMember();\nint Place();\n"),
              testing::ElementsAre("ParseY", "ReadX"));
}

}  // namespace
}  // namespace coolspan
