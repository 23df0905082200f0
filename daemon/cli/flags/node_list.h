// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_NODE_LIST_H_
#define COOLSPAN_CLI_FLAGS_NODE_LIST_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/node_set.h"

namespace coolspan {

// Parses the value of --busy, --require or --exclude: a Slurm hostlist, ids
// separated by commas, or @FILE with either, separated by commas or white
// space. Errors: INVALID_ARGUMENT or NOT_FOUND, beginning with the option, or
// with file:line:column of the first bad entry.
absl::StatusOr<NodeSet> ParseNodeList(const Machine& machine,
                                      std::string_view option,
                                      const std::string& list);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_NODE_LIST_H_
