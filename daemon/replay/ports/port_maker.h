// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PORTS_PORT_MAKER_H_
#define COOLSPAN_REPLAY_PORTS_PORT_MAKER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "replay/ports/allocator_port.h"
#include "replay/run_spec.h"

namespace coolspan {

// Makes the allocator of a run, with other policies to preview. Errors:
// INVALID_ARGUMENT for an unknown policy; those of the allocator. Thread-safe.
using PortMaker = std::function<absl::StatusOr<std::unique_ptr<AllocatorPort>>(
    const RunSpec& run, const std::vector<std::string>& previewed)>;

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PORTS_PORT_MAKER_H_
