// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocation.h"

#include <fmt/format.h>

namespace coolspan {
namespace {

void AppendWords(std::string_view snake_case, std::string& text) {
  for (const char c : snake_case) text.push_back(c == '_' ? ' ' : c);
}

}  // namespace

std::string Describe(std::string_view policy, const Trace& trace) {
  std::string text(policy);
  std::string_view separator = ": ";
  for (const Trace::Fact& fact : trace.facts()) {
    text += separator;
    separator = ", ";
    AppendWords(fact.name, text);
    std::visit(
        [&text](const auto& value) { text += fmt::format(" {}", value); },
        fact.value);
  }
  return text;
}

}  // namespace coolspan
