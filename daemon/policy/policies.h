// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_POLICIES_H_
#define COOLSPAN_POLICY_POLICIES_H_

#include <memory>

#include "core/machine.h"
#include "core/policy.h"
#include "policy/policy_options.h"

namespace coolspan {

// Factories of the policies in PolicyTable(), each in the file of its name.

std::unique_ptr<Policy> MakeFreeList(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeFirstFit(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeBestFit(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeSumOfSquares(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeMc(const std::shared_ptr<const Machine>& machine,
                               const PolicyOptions& options);
std::unique_ptr<Policy> MakeMc1x1(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
std::unique_ptr<Policy> MakeMm(const std::shared_ptr<const Machine>& machine,
                               const PolicyOptions& options);
std::unique_ptr<Policy> MakeMmInc(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
std::unique_ptr<Policy> MakeGenalg(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeBqp(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& options);
std::unique_ptr<Policy> MakeCoolspan(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeExact(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
std::unique_ptr<Policy> MakeExact1d(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeMbs(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& options);
std::unique_ptr<Policy> MakePtas(const std::shared_ptr<const Machine>& machine,
                                 const PolicyOptions& options);
std::unique_ptr<Policy> MakeRandom(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeCoolestInlet(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeLrh(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& options);
std::unique_ptr<Policy> MakeMinHr(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
std::unique_ptr<Policy> MakeMpit(const std::shared_ptr<const Machine>& machine,
                                 const PolicyOptions& options);
std::unique_ptr<Policy> MakeHybrid(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);
std::unique_ptr<Policy> MakeXint(const std::shared_ptr<const Machine>& machine,
                                 const PolicyOptions& options);
std::unique_ptr<Policy> MakeSlurm(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_POLICIES_H_
