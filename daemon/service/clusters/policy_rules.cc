// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/policy_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "formats/file_error.h"
#include "policy/reference_policies.h"
#include "service/codec/job_comment.h"
#include "setup/daemon_setup.h"

namespace coolspan {
namespace {

// The warning about an invalid share in the comment; empty if the comment has
// none, or the request overrides it.
std::string ShareWarning(const JobComment& comment,
                         const v1::AllocateRequest& request) {
  if (request.has_communication_share() || !comment.comm_share.has_value() ||
      comment.CommunicationShare().has_value()) {
    return {};
  }
  return fmt::format(
      "invalid communication share {} in the job comment (ignored)",
      Quoted(*comment.comm_share));
}

std::string IgnoredPolicy(std::string_view spec) {
  return ReadPolicySpec(spec, {}).ok()
             ? fmt::format(
                   "policy {} in the job comment is not in comment_policies "
                   "(ignored)",
                   Quoted(spec))
             : fmt::format("invalid policy {} in the job comment (ignored)",
                           Quoted(spec));
}

std::string SlowPolicy(std::string_view spec) {
  return fmt::format(
      "policy {} in the job comment takes longer than deadline_ms (ignored)",
      Quoted(spec));
}

std::string UnknownSetting(const JobComment& comment) {
  if (!comment.unknown.has_value()) return {};
  return fmt::format("unknown setting {} in the job comment (ignored)",
                     Quoted(*comment.unknown));
}

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += "; ";
    text += part;
  }
  return text;
}

}  // namespace

PolicyRules::PolicyRules(const DaemonSetup& setup)
    : default_policy_(setup.policy),
      default_ordering_(setup.ordering->name()),
      rules_(setup.rules),
      comment_policies_(setup.comment_policies),
      slow_comment_policies_(setup.slow_comment_policies) {
  if (setup.machine->room() == nullptr) return;
  auto reference_policies =
      MakeReferencePolicies(setup.machine, {setup.ordering, setup.file.span});
  if (reference_policies.ok())
    reference_policies_ = *std::move(reference_policies);
}

PolicyChoice PolicyRules::Choose(const v1::AllocateRequest& request) const {
  const JobTraits job{request.partition(), request.qos(),
                      request.comment().substr(0, JobComment::kMaxBytes),
                      request.min_nodes()};
  const auto rule = std::find_if(
      rules_.begin(), rules_.end(),
      [&](const DaemonRule& each) { return each.jobs.Holds(job); });
  const bool is_ruled = rule != rules_.end();
  PolicyChoice choice{is_ruled ? rule->policy : default_policy_,
                      is_ruled ? rule->ordering->name() : default_ordering_,
                      is_ruled ? rule->label : "",
                      is_ruled ? rule->mode : PlacementMode::kEnforce};
  const JobComment comment = JobComment::Read(job.comment);
  std::string ignored;
  if (comment.policy.has_value()) {
    const auto allowed = comment_policies_.find(*comment.policy);
    if (allowed != comment_policies_.end()) {
      choice.policy = allowed->second;
      choice.ordering = default_ordering_;
      choice.rule = fmt::format("comment {}{}", JobComment::kPolicy,
                                Printable(*comment.policy));
    } else {
      ignored = slow_comment_policies_.contains(*comment.policy)
                    ? SlowPolicy(*comment.policy)
                    : IgnoredPolicy(*comment.policy);
    }
  }
  choice.rule = Joined({choice.rule, ignored, ShareWarning(comment, request),
                        UnknownSetting(comment)});
  return choice;
}

}  // namespace coolspan
