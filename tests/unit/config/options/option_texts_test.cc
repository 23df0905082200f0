// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/option_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/options/option_reader.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

OptionSpec Spec(std::string_view name, OptionType type,
                std::string_view default_text = {}) {
  OptionSpec spec;
  spec.name = name;
  spec.type = type;
  spec.default_text = default_text;
  spec.reloadable = name == "log.level";
  return spec;
}

const OptionSpec kOptions[] = {
    Spec("names", OptionType::kTextList, "[a]"),
    Spec("flags", OptionType::kFlagList),
    Spec("log", OptionType::kGroup, "{}"),
    Spec("log.level", OptionType::kText, "info"),
    Spec("rules", OptionType::kRecords),
    Spec("rules[].share", OptionType::kNumber),
};

std::vector<OptionText> TextsIn(const std::string& yaml) {
  const auto readings = ReadOptions(yaml, "f.yaml", kOptions);
  EXPECT_TRUE(readings.ok()) << readings.status();
  return OptionTexts(*readings, kOptions);
}

// "name before after line:column"
std::vector<std::string> Between(const std::string& before,
                                 const std::string& after) {
  std::vector<std::string> lines;
  for (const OptionDifference& each :
       DifferencesBetween(TextsIn(before), TextsIn(after))) {
    lines.push_back(each.name + " " + each.before + " " + each.after + " " +
                    std::to_string(each.place.line) + ":" +
                    std::to_string(each.place.column) +
                    (each.reloadable ? " reloadable" : ""));
  }
  return lines;
}

TEST(OptionTextsTest, NumbersTheRecordsOfAList) {
  std::vector<std::string> texts;
  for (const OptionText& each :
       TextsIn("flags: [true, false]\nrules: [{}, {share: 0.25}]\n")) {
    texts.push_back(each.name + "=" + each.text);
  }
  EXPECT_THAT(texts, ElementsAre("names=[a]", "flags=[true, false]",
                                 "log.level=info", "rules[2].share=0.25"));
}

TEST(OptionTextsTest, DifferencesAreThoseOfValues) {
  EXPECT_THAT(Between("names: a", "names: [a]\nlog: {level: info}"),
              ElementsAre());
  EXPECT_THAT(Between("names: a", "names: [a, b]"),
              ElementsAre("names [a] [a, b] 1:8"));
  EXPECT_THAT(Between("names: a", "log:\n  level: debug"),
              ElementsAre("log.level info debug 2:10 reloadable"));
}

TEST(OptionTextsTest, WithoutAValueIsDefault) {
  EXPECT_THAT(
      Between("rules: [{share: 1}]", "flags: [true]"),
      ElementsAre("flags default [true] 1:8", "rules[1].share 1 default 0:0"));
}

}  // namespace
}  // namespace coolspan
