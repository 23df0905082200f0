// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_LIVE_FILES_H_
#define COOLSPAN_SERVICE_LIVE_LIVE_FILES_H_

#include <string>
#include <string_view>

namespace coolspan {

// A file of the live page, compiled in: those of daemon/service/live/page, and
// modules of daemon/report/page that the reports of replays use too.
struct LiveFile {
  std::string_view path;
  const char* content_type;
  std::string_view bytes;
};

// nullptr: no such file.
const LiveFile* FindLiveFile(std::string_view path);

// An entity tag, with its quotes: equal for equal bytes.
std::string TagOf(std::string_view bytes);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_LIVE_FILES_H_
