// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/policy_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "config/option_value.h"
#include "policy/alternatives.h"

namespace coolspan {
namespace {

constexpr std::string_view kWord = "coolspan:policy=";
constexpr std::string_view kBetweenWords = " \t\r\n,;";

// The name after the first such word.
std::optional<std::string_view> PolicyNamedIn(std::string_view comment) {
  while (!comment.empty()) {
    const std::string_view word =
        comment.substr(0, comment.find_first_of(kBetweenWords));
    if (word.substr(0, kWord.size()) == kWord) {
      return word.substr(kWord.size());
    }
    comment.remove_prefix(std::min(word.size() + 1, comment.size()));
  }
  return std::nullopt;
}

}  // namespace

PolicyRules::PolicyRules(const DaemonSetup& setup, PolicyShelf& policies)
    : own_(setup.policy),
      own_ordering_(setup.ordering->name()),
      rules_(setup.rules),
      policies_(policies) {
  if (setup.machine->room() == nullptr) return;
  auto alternatives =
      MakeAlternatives(setup.machine, {setup.ordering, setup.file.span});
  if (alternatives.ok()) alternatives_ = *std::move(alternatives);
}

PolicyChoice PolicyRules::Choose(const v1::AllocateRequest& request) const {
  const JobTraits job{request.partition(), request.qos(),
                      request.comment().substr(0, kMaxCommentBytes),
                      request.min_nodes()};
  std::string said;
  if (const auto name = PolicyNamedIn(job.comment); name.has_value()) {
    auto policy = policies_.Named(std::string(*name));
    if (policy.ok()) {
      return {*std::move(policy), own_ordering_,
              fmt::format("comment {}{}", kWord, Printable(*name))};
    }
    said = fmt::format("the comment's {} is no policy", Quoted(*name));
  }
  for (const DaemonRule& rule : rules_) {
    if (!rule.jobs.Holds(job)) continue;
    return {
        rule.policy, rule.ordering->name(),
        said.empty() ? rule.label : fmt::format("{}; {}", rule.label, said)};
  }
  return {own_, own_ordering_, said};
}

}  // namespace coolspan
