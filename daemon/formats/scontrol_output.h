// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SCONTROL_OUTPUT_H_
#define COOLSPAN_FORMATS_SCONTROL_OUTPUT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/slurm_node.h"

namespace coolspan {

// The nodes in the output of `scontrol --oneliner show nodes`.
// Errors: INVALID_ARGUMENT "scontrol: ..." for a line of another form, an
// invalid name, and if there is no node.
absl::StatusOr<std::vector<SlurmNode>> ParseScontrolNodes(
    std::string_view output);

// The settings in the output of `scontrol show config`: values by key in lower
// case. Lines of another form are ignored.
std::map<std::string, std::string, std::less<>> ParseScontrolConfig(
    std::string_view output);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SCONTROL_OUTPUT_H_
