// SPDX-License-Identifier: GPL-3.0-or-later
#include "replies/job_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace coolspan {
namespace {

// A number that takes up all of the text; nullopt: it is not one.
std::optional<std::uint32_t> ParseNumber(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// JOB.RESTART.ATTEMPT, as in slurmctld's log.
bool IsDecisionId(std::string_view text) {
  constexpr std::ptrdiff_t kDots = 2;
  return std::ranges::count(text, '.') == kDots && !text.starts_with('.') &&
         !text.ends_with('.') && text.find("..") == std::string_view::npos &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::optional<v1::ExplainRequest> ParseJobName(std::string_view text) {
  if (IsDecisionId(text)) text = text.substr(0, text.find('.'));
  const std::size_t separator = text.find_first_of("_+");
  const auto job_id = ParseNumber(text.substr(0, separator));
  if (!job_id.has_value()) return std::nullopt;
  v1::ExplainRequest request;
  request.set_job_id(*job_id);
  if (separator == std::string_view::npos) return request;
  const auto member = ParseNumber(text.substr(separator + 1));
  if (!member.has_value()) return std::nullopt;
  if (text[separator] == '_') {
    request.set_array_task_id(*member);
  } else {
    request.set_het_job_offset(*member);
  }
  return request;
}

std::string JobName(std::uint32_t job_id, const v1::JobStart& start) {
  if (start.has_array_task_id()) {
    return fmt::format("{}_{}", start.array_job_id(), start.array_task_id());
  }
  if (start.has_het_job_offset()) {
    return fmt::format("{}+{}", start.het_job_id(), start.het_job_offset());
  }
  return std::to_string(job_id);
}

std::string JobName(const v1::ExplainRequest& request) {
  v1::JobStart start;
  if (request.has_array_task_id()) {
    start.set_array_job_id(request.job_id());
    start.set_array_task_id(request.array_task_id());
  } else if (request.has_het_job_offset()) {
    start.set_het_job_id(request.job_id());
    start.set_het_job_offset(request.het_job_offset());
  }
  return JobName(request.job_id(), start);
}

}  // namespace coolspan
