// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace coolspan {
namespace {

struct Unit {
  std::string_view suffix;
  std::string_view symbol;
};
constexpr std::array kUnits = {
    Unit{"_c", "C"},   Unit{"_k", "K"}, Unit{"_w", "W"},      Unit{"_us", "us"},
    Unit{"_ms", "ms"}, Unit{"_s", "s"}, Unit{"_hops", "hops"}};

// Texts for fact names that are unclear as words. The names themselves are keys
// of an interface and do not change.
struct Phrase {
  std::string_view name;  // without its unit
  std::string_view words;
};
constexpr std::array kPhrases = {
    Phrase{"bound", "lower bound"},
    Phrase{"centres_worked_out", "centres evaluated"},
    Phrase{"least", "optimal"}, Phrase{"least_peak", "lowest peak"},
    Phrase{"left_over_ranks", "unused ranks"}};

Unit TakeUnit(std::string_view& name) {
  for (const Unit& unit : kUnits) {
    if (!name.ends_with(unit.suffix)) continue;
    name.remove_suffix(unit.suffix.size());
    return unit;
  }
  return {};
}

std::string WordsOf(std::string_view name) {
  for (const Phrase& phrase : kPhrases) {
    if (phrase.name == name) return std::string(phrase.words);
  }
  std::string words(name);
  for (char& c : words) {
    if (c == '_') c = ' ';
  }
  return words;
}

// Two decimals, three digits below 1.
std::string Rounded(double value) {
  if (value == 0) return "0";  // no "-0"
  if (std::fabs(value) < 1) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.2f}", value);
  if (!std::isfinite(value)) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string ValueText(const Trace::Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return Rounded(*real);
  return std::visit([](const auto& other) { return fmt::format("{}", other); },
                    value);
}

}  // namespace

std::string Describe(std::string_view policy, const Trace& trace) {
  std::string text(policy);
  std::string_view separator = ": ";
  for (const Trace::Fact& fact : trace.facts()) {
    std::string_view name = fact.name;
    const Unit unit = TakeUnit(name);
    text += fmt::format("{}{} {}{}{}", separator, WordsOf(name),
                        ValueText(fact.value), unit.symbol.empty() ? "" : " ",
                        unit.symbol);
    separator = ", ";
  }
  return text;
}

}  // namespace coolspan
