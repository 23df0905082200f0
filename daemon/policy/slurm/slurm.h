// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_SLURM_H_
#define COOLSPAN_POLICY_SLURM_SLURM_H_

#include <array>
#include <string>
#include <string_view>

#include "core/machine.h"
#include "policy/policy_options.h"

namespace coolspan {

// The options of policy slurm. Their values are indexes of these words.
inline constexpr std::array<std::string_view, 5> kSlurmTopologyWords = {
    "auto", "default", "tree", "block", "torus3d"};
inline constexpr std::array<std::string_view, 2> kSlurmReleaseWords = {"24.11",
                                                                       "22.05"};

// Why the topology plugin of the options cannot run on the machine, with what
// is expected; empty: it can.
std::string SlurmMisfit(const Machine& machine, const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_SLURM_H_
