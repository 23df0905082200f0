// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/option_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>
#include <utility>

namespace coolspan {
namespace {

constexpr const char* kNoText = "default";

struct TextOfValue {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const std::string& text) const { return text; }
  template <typename Number>
  std::string operator()(const Number& number) const {
    return fmt::format("{}", number);
  }
  std::string operator()(const std::vector<bool>& flags) const {
    std::vector<std::string_view> words;
    words.reserve(flags.size());
    for (const bool flag : flags) words.push_back(flag ? "true" : "false");
    return (*this)(words);
  }
  template <typename Entry>
  std::string operator()(const std::vector<Entry>& entries) const {
    return fmt::format("[{}]", fmt::join(entries, ", "));
  }
};

}  // namespace

std::vector<OptionText> OptionTexts(std::span<const OptionReading> readings,
                                    std::span<const OptionSpec> options) {
  constexpr std::string_view kRecord = "[]";
  std::vector<OptionText> texts;
  // By the name of the list. The reading of a record precedes those of its
  // options.
  std::map<std::string_view, int> records;
  for (const OptionReading& reading : readings) {
    const OptionSpec& option = options[reading.option];
    if (option.type == OptionType::kRecords) ++records[option.name];
    if (option.type == OptionType::kRecords ||
        option.type == OptionType::kGroup) {
      continue;
    }
    std::string name(option.name);
    if (const auto at = name.find(kRecord); at != std::string::npos) {
      name.replace(at, kRecord.size(),
                   fmt::format("[{}]", records[option.name.substr(0, at)]));
    }
    texts.push_back({std::move(name), std::visit(TextOfValue(), reading.value),
                     reading.place, option.reloadable});
  }
  return texts;
}

std::vector<OptionDifference> DifferencesBetween(
    std::span<const OptionText> before, std::span<const OptionText> after) {
  std::map<std::string_view, const OptionText*> earlier;
  for (const OptionText& option : before) earlier[option.name] = &option;
  std::vector<OptionDifference> differences;
  for (const OptionText& option : after) {
    const auto found = earlier.find(option.name);
    const bool is_new = found == earlier.end();
    if (is_new || found->second->text != option.text) {
      differences.push_back({option.name,
                             is_new ? kNoText : found->second->text,
                             option.text, option.place, option.reloadable});
    }
    if (!is_new) earlier.erase(found);
  }
  for (const OptionText& option : before) {
    if (!earlier.contains(option.name)) continue;
    differences.push_back(
        {option.name, option.text, kNoText, {}, option.reloadable});
  }
  return differences;
}

}  // namespace coolspan
