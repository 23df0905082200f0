// SPDX-License-Identifier: GPL-3.0-or-later
// Dependencies point inward only: reads every include under daemon/ and
// plugin/ and holds it against the arrows of docs/architecture.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "folders.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

// The arrows of the first flowchart in docs/architecture.md. A folder may
// include what it can reach over them.
std::map<std::string, std::set<std::string>> ReadArrows() {
  std::map<std::string, std::set<std::string>> arrows;
  std::ifstream in(SourceDir() / "docs/architecture.md");
  std::string line;
  while (std::getline(in, line) && line != "flowchart LR") continue;
  while (std::getline(in, line) && line != "```") {
    std::istringstream words(line);
    std::string from;
    std::string to;
    words >> from;
    std::set<std::string>& targets = arrows[from];
    while (words >> to) {
      if (to == "-->" || to == "&") continue;
      targets.insert(to);
      arrows.try_emplace(to);
    }
  }
  return arrows;
}

const std::map<std::string, std::set<std::string>>& Arrows() {
  static const auto* const arrows = new auto(ReadArrows());
  return *arrows;
}

std::set<std::string> Reachable(const std::string& folder) {
  std::set<std::string> reached;
  std::vector<std::string> open = {folder};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (!reached.insert(next).second) continue;
    const auto arrows = Arrows().find(next);
    if (arrows == Arrows().end()) continue;
    open.insert(open.end(), arrows->second.begin(), arrows->second.end());
  }
  return reached;
}

struct Include {
  fs::path file;
  int line;
  std::string target;  // first folder of the included path
  std::string text;
};

std::vector<Include> IncludesUnder(const fs::path& folder) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Include> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cc" && extension != ".h" && extension != ".c") continue;
    std::ifstream in(entry.path());
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      std::smatch match;
      if (!std::regex_search(text, match, kInclude)) continue;
      const std::string path = match[1];
      std::string target = path.substr(0, path.find('/'));
      if (target == "coolspan") target = "proto";  // coolspan/v1/*.pb.h
      found.push_back({entry.path(), line, target, path});
    }
  }
  return found;
}

std::vector<std::string> WrongWayIncludes(const std::string& folder,
                                          const fs::path& path) {
  const std::set<std::string> allowed = Reachable(folder);
  std::vector<std::string> wrong;
  for (const Include& include : IncludesUnder(path)) {
    if ((Arrows().contains(include.target) &&
         !allowed.contains(include.target)) ||
        include.target == "..") {
      wrong.push_back(include.file.string() + ":" +
                      std::to_string(include.line) + " includes " +
                      include.text);
    }
  }
  return wrong;
}

TEST(Architecture, EveryFolderHasItsArrows) {
  for (const auto& entry : fs::directory_iterator(SourceDir() / "daemon")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(Arrows().contains(entry.path().filename().string()))
        << entry.path() << " is not in the flowchart";
  }
  for (const auto& [folder, arrows] : Arrows()) {
    EXPECT_TRUE(fs::is_directory(SourceDir() / "daemon" / folder) ||
                fs::is_directory(SourceDir() / folder))
        << folder << " is in the flowchart only";
  }
}

TEST(Architecture, IncludesPointInwardOnly) {
  const fs::path source = SourceDir();
  for (const auto& [folder, arrows] : Arrows()) {
    const fs::path path =
        folder == "plugin" ? source / "plugin" : source / "daemon" / folder;
    EXPECT_THAT(WrongWayIncludes(folder, path), testing::IsEmpty());
  }
}

TEST(Architecture, TheCheckFindsAForbiddenInclude) {
  const fs::path folder =
      fs::path(testing::TempDir()) / "architecture_test_core";
  fs::create_directories(folder);
  std::ofstream(folder / "wrong.cc") << "#include \"policy/table.h\"\n"
                                     << "#include \"../service/wire.h\"\n";
  EXPECT_EQ(WrongWayIncludes("core", folder).size(), 2U);
  EXPECT_EQ(WrongWayIncludes("config", folder).size(), 1U);
  fs::remove_all(folder);
}

// The core is pure: containers, strings, numbers, and a mutex for its pools.
TEST(Architecture, CoreIncludesNothingThatReadsOrWaits) {
  const std::set<std::string> pure = {"absl/container/btree_set.h",
                                      "absl/container/flat_hash_map.h",
                                      "absl/container/flat_hash_set.h",
                                      "absl/container/inlined_vector.h",
                                      "absl/functional/function_ref.h",
                                      "absl/status/status.h",
                                      "absl/status/statusor.h",
                                      "absl/strings/ascii.h",
                                      "absl/strings/escaping.h",
                                      "absl/strings/numbers.h",
                                      "absl/strings/str_cat.h",
                                      "absl/strings/str_join.h",
                                      "algorithm",
                                      "array",
                                      "atomic",
                                      "bit",
                                      "charconv",
                                      "cmath",
                                      "cstddef",
                                      "cstdint",
                                      "cstring",
                                      "deque",
                                      "fmt/format.h",
                                      "functional",
                                      "iterator",
                                      "limits",
                                      "map",
                                      "memory",
                                      "mutex",
                                      "numeric",
                                      "optional",
                                      "queue",
                                      "random",
                                      "set",
                                      "span",
                                      "string",
                                      "string_view",
                                      "type_traits",
                                      "utility",
                                      "variant",
                                      "vector"};
  for (const Include& include :
       IncludesUnder(SourceDir() / "daemon" / "core")) {
    EXPECT_TRUE(include.target == "core" || pure.contains(include.text))
        << include.file << ":" << include.line << " includes " << include.text;
  }
}

// Lines of plugin/ outside slurm_job.h that name a field of a record of
// slurmctld.
std::vector<std::string> SlurmFieldsNamedIn(const fs::path& folder) {
  static const std::regex kField(
      R"((job_ptr|\bjob|details|job_resrcs|part_ptr|qos_ptr|\bnode|node_ptr)->)");
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".c") continue;
    if (entry.path().filename() == "slurm_job.h") continue;
    std::ifstream in(entry.path());
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      if (!std::regex_search(text, kField)) continue;
      found.push_back(entry.path().string() + ":" + std::to_string(line) +
                      ": " + text);
    }
  }
  return found;
}

TEST(Architecture, OneFileNamesTheFieldsOfSlurmsRecords) {
  EXPECT_THAT(SlurmFieldsNamedIn(SourceDir() / "plugin"), testing::IsEmpty());
}

TEST(Architecture, TheCheckFindsAFieldOfASlurmRecord) {
  const fs::path folder =
      fs::path(testing::TempDir()) / "architecture_test_plugin";
  fs::create_directories(folder);
  std::ofstream(folder / "wrong.c") << "uint32_t id = test->job_ptr->job_id;\n"
                                    << "x = node->tot_cores;\n"
                                    << "call(test->job_ptr);\n";
  std::ofstream(folder / "slurm_job.h") << "return job->job_id;\n";
  EXPECT_EQ(SlurmFieldsNamedIn(folder).size(), 2U);
  fs::remove_all(folder);
}

// Only daemon/solver may include <glpk.h>; only daemon/client speaks gRPC as a
// client of coolspand, and daemon/etcd as a client of etcd, both over the
// channels of daemon/channel (generated service stubs are used by these and
// service alone).
TEST(Architecture, EachLibraryIsIncludedByOneFolder) {
  const fs::path daemon = SourceDir() / "daemon";
  for (const auto& entry : fs::directory_iterator(daemon)) {
    const std::string folder = entry.path().filename().string();
    for (const Include& include : IncludesUnder(entry.path())) {
      if (include.text == "glpk.h") {
        EXPECT_EQ(folder, "solver");
      }
      if (include.text == "metis.h") {
        EXPECT_EQ(folder, "mapping");
      }
      if (include.text == "sqlite3.h") {
        EXPECT_EQ(folder, "state");
      }
      if (include.target == "systemd") {
        EXPECT_EQ(folder, "service");
      }
      if (include.target == "yaml-cpp") {
        EXPECT_EQ(folder, "config");
      }
      if (include.target == "grpcpp" || include.text.ends_with(".grpc.pb.h")) {
        EXPECT_TRUE(folder == "channel" || folder == "client" ||
                    folder == "service" || folder == "etcd")
            << include.file << ":" << include.line;
      }
      const std::string subfolder =
          include.file.parent_path().lexically_relative(daemon).string();
      if (include.target == "prometheus") {
        EXPECT_EQ(subfolder, "service/metrics");
      }
      if (include.text == "microhttpd.h") {
        EXPECT_EQ(subfolder, "service/http");
      }
    }
  }
}

// Two types of one name in one program break the one-definition rule: the
// linker keeps one copy of each template and inline function made for them.
TEST(ArchitectureTest, NoTypeNameIsDefinedTwice) {
  // Outside functions and other types, so without a space before it; not the
  // definition of a nested type (class Outer::Inner).
  const std::regex definition(
      R"(^(struct|class|enum class|enum|union) (\w+)( final)?( : .*)? ?(\{.*)?$)");
  std::map<std::string, std::set<std::string>> files_of;
  std::size_t count = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(SourceDir() / "daemon")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    std::ifstream in(entry.path());
    bool is_local = false;  // in an unnamed namespace
    for (std::string line; std::getline(in, line);) {
      if (line == "namespace {") is_local = true;
      if (line == "}  // namespace") is_local = false;
      std::smatch match;
      if (is_local || !std::regex_match(line, match, definition)) continue;
      files_of[match[2]].insert(entry.path().string());
      ++count;
    }
  }
  EXPECT_GT(count, 300u);
  for (const auto& [name, files] : files_of) {
    EXPECT_EQ(files.size(), 1u)
        << name << ": " << ::testing::PrintToString(files);
  }
}

}  // namespace
}  // namespace coolspan
