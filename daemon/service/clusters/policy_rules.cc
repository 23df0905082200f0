// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/policy_rules.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

#include "formats/file_error.h"
#include "policy/reference_policies.h"
#include "service/codec/job_comment.h"
#include "setup/daemon_setup.h"

namespace coolspan {
namespace {

// What is wrong with the comment's share, where it would count.
std::string WrongShare(const JobComment& comment,
                       const v1::AllocateRequest& request) {
  if (request.has_communication_share() || !comment.comm_share.has_value() ||
      comment.CommunicationShare().has_value()) {
    return {};
  }
  return fmt::format("the comment's {} is no communication share",
                     Quoted(*comment.comm_share));
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

PolicyRules::PolicyRules(const DaemonSetup& setup, PolicyCache& policies)
    : own_(setup.policy),
      own_ordering_(setup.ordering->name()),
      rules_(setup.rules),
      policies_(policies) {
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
  const JobComment comment = JobComment::Read(job.comment);
  const std::string share = WrongShare(comment, request);
  std::string said;
  if (comment.policy.has_value()) {
    auto policy = policies_.Named(std::string(*comment.policy));
    if (policy.ok()) {
      said = fmt::format("comment {}{}", JobComment::kPolicy,
                         Printable(*comment.policy));
      return {*std::move(policy), own_ordering_, Joined({said, share})};
    }
    said =
        fmt::format("the comment's {} is no policy", Quoted(*comment.policy));
  }
  for (const DaemonRule& rule : rules_) {
    if (!rule.jobs.Holds(job)) continue;
    return {rule.policy, rule.ordering->name(),
            Joined({rule.label, said, share})};
  }
  return {own_, own_ordering_, Joined({said, share})};
}

}  // namespace coolspan
