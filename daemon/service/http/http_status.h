// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_HTTP_HTTP_STATUS_H_
#define COOLSPAN_SERVICE_HTTP_HTTP_STATUS_H_

namespace coolspan {

inline constexpr int kHttpNotModified = 304;
inline constexpr int kHttpBadRequest = 400;
inline constexpr int kHttpForbidden = 403;
inline constexpr int kHttpNotFound = 404;
inline constexpr int kHttpBadMethod = 405;
inline constexpr int kHttpInternalError = 500;
inline constexpr int kHttpUnavailable = 503;

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_HTTP_HTTP_STATUS_H_
