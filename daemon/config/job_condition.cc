// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/job_condition.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "formats/file_error.h"

namespace coolspan {
namespace {

bool IsOneOf(const std::string& name, const std::vector<std::string>& names) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

bool ParseCount(std::string_view text, NodeCount& count) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  return error == std::errc() && stop == end && count >= 1;
}

std::string DescribeNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", Printable(name));
  }
  return text;
}

}  // namespace

bool JobCondition::Holds(const JobTraits& job) const {
  return job.nodes >= min_nodes && job.nodes <= max_nodes &&
         IsOneOf(job.partition, partitions) && IsOneOf(job.qos, qos) &&
         (!comment.has_value() ||
          fnmatch(comment->c_str(), job.comment.c_str(), 0) == 0);
}

bool JobCondition::HoldsForAll() const {
  return partitions.empty() && qos.empty() && !comment.has_value() &&
         min_nodes == 1 && max_nodes == kNoLimit;
}

std::string JobCondition::Describe() const {
  std::vector<std::string> parts;
  if (!partitions.empty()) {
    parts.push_back(fmt::format("partition {}", DescribeNames(partitions)));
  }
  if (!qos.empty()) parts.push_back(fmt::format("qos {}", DescribeNames(qos)));
  if (max_nodes != kNoLimit) {
    parts.push_back(min_nodes == max_nodes
                        ? fmt::format("{} nodes", min_nodes)
                        : fmt::format("{} to {} nodes", min_nodes, max_nodes));
  } else if (min_nodes > 1) {
    parts.push_back(fmt::format("{} or more nodes", min_nodes));
  }
  if (comment.has_value()) {
    parts.push_back(fmt::format("comment {}", Quoted(*comment)));
  }
  if (parts.empty()) return "every job";
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool ParseNodeRange(std::string_view text, JobCondition& condition) {
  const std::size_t dash = text.find('-');
  const std::string_view min = text.substr(0, dash);
  if (dash == std::string_view::npos) {
    return ParseCount(min, condition.min_nodes) &&
           ParseCount(min, condition.max_nodes);
  }
  const std::string_view max = text.substr(dash + 1);
  if (min.empty() && max.empty()) return false;
  return (min.empty() || ParseCount(min, condition.min_nodes)) &&
         (max.empty() || ParseCount(max, condition.max_nodes)) &&
         condition.min_nodes <= condition.max_nodes;
}

}  // namespace coolspan
