// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/load_book.h"

#include <bit>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"

namespace coolspan {

bool LoadBook::Take(std::uint32_t job_id, std::vector<NodeId> nodes) {
  Give(job_id);
  bool has_room = true;
  for (const NodeId node : nodes) has_room &= ++taken_[node] <= units_;
  busy_ += nodes.size();
  jobs_[job_id] = std::move(nodes);
  return has_room;
}

void LoadBook::Give(std::uint32_t job_id) {
  const auto job = jobs_.find(job_id);
  if (job == jobs_.end()) return;
  for (const NodeId node : job->second) --taken_[node];
  busy_ -= job->second.size();
  jobs_.erase(job);
}

std::vector<NodeId> NodesOfBitmap(std::string_view bitmap) {
  std::vector<NodeId> nodes;
  for (std::size_t byte = 0; byte < bitmap.size(); ++byte) {
    auto bits = static_cast<unsigned char>(bitmap[byte]);
    for (; bits != 0; bits &= static_cast<unsigned char>(bits - 1)) {
      nodes.push_back(static_cast<NodeId>(byte * 8) +
                      static_cast<NodeId>(std::countr_zero(bits)));
    }
  }
  return nodes;
}

std::string WithoutNumbers(std::string_view reason) {
  std::string text;
  bool in_number = false;
  for (const char c : reason) {
    const bool is_digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
    if (!is_digit) text += c;
    if (is_digit && !in_number) text += 'N';
    in_number = is_digit;
  }
  return text;
}

}  // namespace coolspan
