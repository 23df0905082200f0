// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_EXPLANATION_H_
#define COOLSPAN_REPLIES_EXPLANATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coolspan/v1/allocator.pb.h"
#include "replies/json.h"

namespace coolspan {

// The text of coolspan explain about one start or one decision. Its first line
// is before, a time, after.
struct ExplanationPart {
  std::string before;
  std::int64_t at_ms = 0;
  std::string after;
  std::vector<std::pair<std::string, std::string>> fields;  // name, value
};

// In the order in which they are shown.
std::vector<ExplanationPart> ExplanationOf(const v1::ExplainReply& reply);

// The document of coolspan explain --json. job: as asked for. REQUIRES a start
// or a decision.
Json ExplanationJson(const v1::ExplainReply& reply, std::string_view job);

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_EXPLANATION_H_
