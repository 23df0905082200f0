// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/daemon_rules.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "config/daemon_file.h"
#include "formats/file_error.h"
#include "setup/daemon_setup.h"

namespace coolspan {
namespace {

std::string Label(const DaemonFile::Rule& rule, std::size_t number) {
  return fmt::format(
      "rule {}{}, line {}", number,
      rule.name.empty() ? "" : fmt::format(" {}", Quoted(rule.name)),
      rule.place.line);
}

// Makes each policy and ordering once, by its specification.
class Factory {
 public:
  explicit Factory(const DaemonSetup& setup)
      : setup_(setup),
        orderings_{{setup.file.ordering.value, setup.ordering}},
        policies_{{Key(setup.file.policy.value, setup.ordering.get(),
                       setup.file.span),
                   setup.policy}} {}

  absl::StatusOr<std::shared_ptr<const Ordering>> OrderingOf(
      const std::string& spec) {
    const auto known = orderings_.find(spec);
    if (known != orderings_.end()) return known->second;
    auto made = MakeOrdering(*setup_.machine, spec);
    if (made.ok()) orderings_.emplace(spec, *made);
    return made;
  }

  absl::StatusOr<std::shared_ptr<const Policy>> PolicyOf(
      const std::string& name, const std::shared_ptr<const Ordering>& ordering,
      SpanKind span) {
    const Key key(name, ordering.get(), span);
    const auto known = policies_.find(key);
    if (known != policies_.end()) return known->second;
    auto made =
        MakePolicy(name, setup_.machine, setup_.OptionsWith(ordering, span));
    if (!made.ok()) return made.status();
    return policies_.emplace(key, *std::move(made)).first->second;
  }

 private:
  using Key = std::tuple<std::string, const Ordering*, SpanKind>;

  const DaemonSetup& setup_;
  std::map<std::string, std::shared_ptr<const Ordering>> orderings_;
  std::map<Key, std::shared_ptr<const Policy>> policies_;
};

absl::Status MakeCommentPolicies(DaemonSetup& setup, const std::string& path,
                                 Factory& factory) {
  const auto& listed = setup.file.comment_policies;
  std::vector<std::string> specs;
  if (listed.has_value()) {
    specs = listed->value;
  } else {
    for (const std::string_view name : kDefaultCommentPolicies) {
      if (setup.machine->room() != nullptr || !FindPolicy(name)->uses_room)
        specs.emplace_back(name);
    }
  }
  for (const std::string& spec : specs) {
    auto policy = factory.PolicyOf(spec, setup.ordering, setup.file.span);
    if (!policy.ok()) {
      return ErrorAt(
          path, listed.has_value() ? listed->place : Place{},
          fmt::format("comment_policies: {}", MessageOf(policy.status())));
    }
    setup.comment_policies.emplace(spec, *std::move(policy));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MakeRules(DaemonSetup& setup, const std::string& path) {
  Factory factory(setup);
  for (const DaemonFile::Rule& rule : setup.file.rules) {
    auto ordering = factory.OrderingOf(rule.ordering.value.empty()
                                           ? setup.file.ordering.value
                                           : rule.ordering.value);
    if (!ordering.ok()) {
      return ErrorAt(
          path, rule.ordering.place,
          fmt::format("rules[].ordering: {}", MessageOf(ordering.status())));
    }
    auto policy = factory.PolicyOf(
        rule.policy.value.empty() ? setup.file.policy.value : rule.policy.value,
        *ordering, rule.span.value_or(setup.file.span));
    if (!policy.ok()) {
      return ErrorAt(
          path, rule.policy.value.empty() ? rule.place : rule.policy.place,
          fmt::format("rules[].policy: {}", MessageOf(policy.status())));
    }
    setup.rules.push_back({Label(rule, setup.rules.size() + 1), rule.jobs,
                           *std::move(ordering), *std::move(policy),
                           rule.mode.value_or(PlacementMode::kEnforce)});
  }
  return MakeCommentPolicies(setup, path, factory);
}

std::vector<std::string> RuleSummaries(const DaemonSetup& setup) {
  std::vector<std::string> lines;
  for (const DaemonRule& rule : setup.rules) {
    lines.push_back(
        fmt::format("{}: {}: {} on {}{}", rule.label, rule.jobs.Describe(),
                    rule.policy->spec(), rule.ordering->name(),
                    rule.mode == PlacementMode::kEnforce
                        ? ""
                        : fmt::format(", mode {}", NameOf(rule.mode))));
  }
  return lines;
}

}  // namespace coolspan
