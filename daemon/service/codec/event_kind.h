// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_EVENT_KIND_H_
#define COOLSPAN_SERVICE_CODEC_EVENT_KIND_H_

namespace coolspan {

// Events of one job, sent by the resource manager.
enum class EventKind { kCommit, kRelease, kResize, kSuspend };

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_EVENT_KIND_H_
