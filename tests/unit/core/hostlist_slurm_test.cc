// SPDX-License-Identifier: GPL-3.0-or-later
// Compares hostlists with those of Slurm's scontrol.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/hostlist.h"

namespace coolspan {
namespace {

// Runs scontrol against a configuration that names no cluster on this host.
class HostlistSlurmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v scontrol > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "needs Slurm's scontrol, which is not on this host";
    }
    folder_ = std::filesystem::temp_directory_path() /
              ("coolspan-hostlist-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "slurm.conf")
        << "ClusterName=none\nSlurmctldHost=localhost\nNodeName=n1\n"
        << "PartitionName=all Nodes=n1\n";
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // Lines of "scontrol show WHAT LIST"; none if it rejects the list, with exit
  // code 0.
  std::vector<std::string> Ask(const std::string& what,
                               const std::string& list) const {
    const std::string command = "SLURM_CONF='" + folder_.string() +
                                "/slurm.conf' scontrol show " + what + " '" +
                                list + "' 2>/dev/null";
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::vector<std::string> lines;
    if (pipe == nullptr) return lines;
    std::array<char, 4096> buffer{};
    std::string text;
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
      text += buffer.data();
      if (text.back() != '\n') continue;
      text.pop_back();
      lines.push_back(std::exchange(text, {}));
    }
    pclose(pipe);
    return lines;
  }

  void ExpectSameNames(const std::string& expression) const {
    const auto theirs = Ask("hostnames", expression);
    const auto ours = ExpandHostlist(expression);
    ASSERT_TRUE(ours.ok()) << expression << ": " << ours.status();
    EXPECT_EQ(*ours, theirs) << expression;
  }

  void ExpectSameList(const std::vector<std::string>& names) const {
    std::string separated;
    for (const std::string& name : names) {
      separated += (separated.empty() ? "" : ",") + name;
    }
    const auto theirs = Ask("hostlist", separated);
    ASSERT_EQ(theirs.size(), 1U) << separated;
    const std::vector<std::string_view> views(names.begin(), names.end());
    EXPECT_EQ(CompressHostlist(views), theirs.front()) << separated;
  }

 private:
  std::filesystem::path folder_;
};

// Draws lists that both Slurm 22.05 and Coolspan accept: brackets last, no wide
// ranges.
class ExpressionSource {
 public:
  std::string Next() {
    std::string expression;
    for (int names = Draw(1, 3); names > 0; --names) {
      if (!expression.empty()) expression += ',';
      for (int brackets = Draw(0, 3); brackets > 0; --brackets) {
        expression += Text() + Bracket();
      }
      if (expression.empty() || expression.back() == ',') expression += Text();
    }
    return expression;
  }

  // Numbers near a change of width, some padded.
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const std::string prefix = Text();
    int number = Draw(0, 110);
    for (int left = Draw(1, 12); left > 0; --left) {
      std::string digits = std::to_string(number);
      if (Draw(0, 3) == 0) digits.insert(0, "0");
      names.push_back(Draw(0, 9) == 0 ? Text() : prefix + digits);
      number += Draw(0, 5) == 0 ? Draw(0, 3) : 1;
    }
    return names;
  }

 private:
  int Draw(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  std::string Text() {
    static constexpr std::array<const char*, 6> kTexts = {
        "n", "node", "rack-a", "x.y", "cn_", "gpu"};
    return kTexts[static_cast<std::size_t>(Draw(0, 5))];
  }
  std::string Bracket() {
    std::string bracket;
    for (int ranges = Draw(1, 3); ranges > 0; --ranges) {
      bracket += bracket.empty() ? "[" : ",";
      const int low = Draw(0, 12);
      std::string digits = std::to_string(low);
      if (Draw(0, 2) == 0) digits.insert(0, "0");
      bracket += digits;
      if (Draw(0, 1) == 0) bracket += "-" + std::to_string(low + Draw(0, 4));
    }
    return bracket + "]";
  }

  std::mt19937 random_{22'05'8};
};

TEST_F(HostlistSlurmTest, ExpandsAsSlurmDoes) {
  for (const char* expression :
       {"n1", "n[01-03,7]", "r[1-2]c[0-1]", "n[1-3,5],m7", "n[08-11]",
        "n[8-011]", "n[009-10]", "[1-3]", "n1, n2", "n1 n2", "n[1-3][1-2]",
        "a[1-2]b[3-4]c[5-6]", "a[1-2]b[3-4]c[5-6]d[7-8]", "a[1,3-4]b[3-4,9]",
        "a[1-2]b3c[5-6]", "n[3,1,2,2]", "n[1-65536]",
        "n[999999999999999998-999999999999999999]"}) {
    ExpectSameNames(expression);
  }
  ExpressionSource source;
  for (int i = 0; i < 60; ++i) ExpectSameNames(source.Next());
}

TEST_F(HostlistSlurmTest, CompressesAsSlurmDoes) {
  ExpectSameList({"n1", "n3", "n2"});
  ExpectSameList({"n09", "n10", "n11", "n99", "n100"});
  ExpectSameList({"n1-ib", "n2-ib", "r1c1", "r1c2"});
  ExpectSameList({"n1", "n1", "n2", "n2", "n3"});
  ExpectSameList({"1", "2", "3"});
  ExpressionSource source;
  for (int i = 0; i < 60; ++i) ExpectSameList(source.Names());
}

TEST_F(HostlistSlurmTest, RejectsWhatSlurmRejects) {
  for (const char* expression :
       {"n[3-1]", "n[]", "n[1,,2]", "n[1-2,]", "n[a-b]", "n[1-a]", "n[-1]",
        "n[1-2-3]", "n[[1-2]]", "n[1-1000000000]"}) {
    EXPECT_TRUE(Ask("hostnames", expression).empty()) << expression;
    EXPECT_FALSE(ExpandHostlist(expression).ok()) << expression;
  }
}

}  // namespace
}  // namespace coolspan
