// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_HAPPENING_JSON_H_
#define COOLSPAN_SERVICE_LIVE_HAPPENING_JSON_H_

#include <string_view>

#include "coolspan/v1/allocator.pb.h"
#include "replies/json.h"

namespace coolspan {

// "decision", "committed", "released", ...: the name of an event.
std::string_view NameOf(const v1::Happening& happening);
// Its data. Lists of nodes are cut after some hundred bytes.
Json HappeningJson(const v1::Happening& happening);

// The jobs that hold nodes, and the nodes that are unavailable, as [first,
// count, first, count, ...]. Lists of nodes are cut.
Json HoldingsJson(const v1::JobsReply& reply);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_HAPPENING_JSON_H_
