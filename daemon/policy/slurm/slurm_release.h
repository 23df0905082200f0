// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_SLURM_RELEASE_H_
#define COOLSPAN_POLICY_SLURM_SLURM_RELEASE_H_

namespace coolspan {

// The releases of Slurm whose choices were compared with those of a cluster.
enum class SlurmRelease { k2205, k2411 };

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_SLURM_RELEASE_H_
