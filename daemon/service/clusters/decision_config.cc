// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_config.h"

#include <algorithm>
#include <iterator>

#include "policy/table.h"

namespace coolspan {
namespace {

std::shared_ptr<const Policy> RedlineFallbackOf(const DaemonSetup& setup) {
  if (setup.machine->room() == nullptr) return nullptr;
  auto fallback =
      MakePolicy("mpit", setup.machine, {setup.ordering, setup.file.span});
  return fallback.ok() ? *std::move(fallback) : nullptr;
}

}  // namespace

DecisionConfig::DecisionConfig(const DaemonSetup& setup)
    : rules(setup),
      policies(setup),
      default_policy(setup.policy),
      default_ordering(setup.ordering),
      redline_fallback(RedlineFallbackOf(setup)),
      decision_limit(setup.file.deadline_ms) {}

void CurrentConfig::Replace(Ptr next) {
  const std::lock_guard lock(mutex_);
  replaced_.push_back(std::exchange(current_, std::move(next)));
}

void CurrentConfig::FreeUnused() {
  std::vector<Ptr> unused;  // freed after the mutex is unlocked
  const std::lock_guard lock(mutex_);
  const auto first =
      std::partition(replaced_.begin(), replaced_.end(),
                     [](const Ptr& config) { return config.use_count() > 1; });
  std::move(first, replaced_.end(), std::back_inserter(unused));
  replaced_.erase(first, replaced_.end());
}

}  // namespace coolspan
