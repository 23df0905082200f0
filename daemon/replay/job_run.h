// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_JOB_RUN_H_
#define COOLSPAN_REPLAY_JOB_RUN_H_

#include <optional>

#include "core/types.h"

namespace coolspan {

// How a job runs on its nodes.
struct JobRun {
  TimeMs run_ms = 0;
  // Share of run time; none: the share given to Choose.
  std::optional<float> communication_share;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_JOB_RUN_H_
