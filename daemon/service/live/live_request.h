// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_LIVE_REQUEST_H_
#define COOLSPAN_SERVICE_LIVE_LIVE_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/http_server.h"

namespace coolspan {

// Checks of what browsers send.

// Whether the value of a Host header is an address, localhost or a name below
// it, each with a port or without. Another name may have been pointed to this
// host by a page of someone else, which could then read the answers.
bool IsAddressOrLocalhost(std::string_view host);

// Empty if the live page answers the request, else the reason why not.
// allow_remote: any Host is accepted.
std::string WhyRefused(const HttpRequest& request, bool allow_remote);

// The number of an event id, "START-NUMBER"; nullopt: not one of this start of
// the daemon.
std::optional<std::uint64_t> ParseEventId(std::string_view id,
                                          std::string_view start);

// Whether an If-None-Match header names the tag, with its quotes.
bool Matches(std::string_view if_none_match, std::string_view tag);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_LIVE_REQUEST_H_
