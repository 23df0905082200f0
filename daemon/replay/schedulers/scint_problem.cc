// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/scint_problem.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "replay/input/trace_time.h"
#include "replay/node_speed.h"

namespace coolspan {

NodeCount ScintRun::NodesAt(std::uint32_t site) const {
  for (const ScintPart& part : parts) {
    if (part.site == site) return part.nodes;
  }
  return 0;
}

void ScintRun::AddNodes(std::uint32_t site, NodeCount nodes) {
  if (nodes == 0) return;
  for (ScintPart& part : parts) {
    if (part.site != site) continue;
    part.nodes += nodes;
    return;
  }
  parts.push_back({site, nodes});
}

void ScintRun::TakeNodes(std::size_t index, NodeCount nodes) {
  parts[index].nodes -= nodes;
  if (parts[index].nodes > 0) return;
  parts[index] = parts.back();
  parts.pop_back();
}

ScintProblem::ScintProblem(const Room& room, std::vector<ScintJob> jobs,
                           TimeMs slot_ms, TimeMs min_end_ms,
                           TimeMs penalty_end_ms, TimeMs from_ms,
                           std::optional<float> communication_share)
    : room_(&room),
      jobs_(std::move(jobs)),
      begin_ms_(std::numeric_limits<TimeMs>::max()),
      from_ms_(from_ms),
      min_end_ms_(min_end_ms),
      slot_ms_(slot_ms) {
  for (const ScintJob& job : jobs_) {
    begin_ms_ = std::min(begin_ms_, job.arrival_ms);
  }
  from_ms_ = std::max(begin_ms_, from_ms);
  FindSites(communication_share.has_value() ? double{*communication_share}
                                            : room.communication_share());
  FindInlets();
  double it_w = 0;
  std::vector<double> rise_k(inlets_, 0.0);
  std::vector<double> watts(room.zone_count());
  for (ZoneId zone = 0; zone < watts.size(); ++zone) {
    watts[zone] = room.IdleWatts(zone);
  }
  for (const ScintSite& site : sites_) {
    watts[site.zone] += site.added_w * site.nodes;
  }
  for (ZoneId zone = 0; zone < watts.size(); ++zone) {
    it_w += watts[zone];
    for (std::size_t i = 0; i < inlets_; ++i) {
      rise_k[i] += watts[zone] * RisePerWatt(zone)[i];
    }
  }
  penalty_j_ =
      TotalWatts(it_w, *std::max_element(rise_k.begin(), rise_k.end())) *
      ToSeconds(std::max<TimeMs>(penalty_end_ms - begin_ms_, 1));
}

void ScintProblem::FindSites(double communication_share) {
  std::map<std::pair<ZoneId, std::uint16_t>, std::uint32_t> known;
  site_of_.resize(room_->node_count());
  for (NodeId node = 0; node < room_->node_count(); ++node) {
    const std::uint16_t type = room_->description().type_of[node];
    const auto [found, is_new] = known.try_emplace(
        {room_->ZoneOf(node), type}, static_cast<std::uint32_t>(sites_.size()));
    if (is_new) {
      sites_.push_back({.zone = room_->ZoneOf(node),
                        .nodes = 0,
                        .added_w = room_->AddedWatts(node, communication_share),
                        .speed = room_->PowerOf(node).speed,
                        .type = type});
    }
    site_of_[node] = found->second;
    ++sites_[found->second].nodes;
  }
}

// Row a of D is left out if another row is nowhere below it: then, with power
// of at least 0, inlet a is never above that one.
void ScintProblem::FindInlets() {
  const ZoneId zones = room_->zone_count();
  std::vector<std::vector<double>> rows(zones, std::vector<double>(zones));
  for (ZoneId zone = 0; zone < zones; ++zone) {
    room_->heat().CopyRow(zone, rows[zone]);
  }
  const auto exceeds = [&](ZoneId b, ZoneId a) {
    for (ZoneId j = 0; j < zones; ++j) {
      if (rows[b][j] < rows[a][j]) return false;
    }
    return true;
  };
  std::vector<ZoneId> kept;
  for (ZoneId a = 0; a < zones; ++a) {
    bool is_exceeded = false;
    for (ZoneId b = 0; b < zones && !is_exceeded; ++b) {
      // Of two equal rows the first is kept.
      is_exceeded = b != a && exceeds(b, a) && (b < a || !exceeds(a, b));
    }
    if (!is_exceeded) kept.push_back(a);
  }
  inlets_ = kept.size();
  rise_per_watt_.resize(inlets_ * zones);
  for (ZoneId zone = 0; zone < zones; ++zone) {
    for (std::size_t i = 0; i < inlets_; ++i) {
      rise_per_watt_[zone * inlets_ + i] = rows[kept[i]][zone];
    }
  }
}

double ScintProblem::SpeedOf(const ScintRun& run) const {
  double speed = sites_[run.parts.front().site].speed;
  for (const ScintPart& part : run.parts) {
    speed = std::min(speed, sites_[part.site].speed);
  }
  return speed;
}

TimeMs ScintProblem::EndOf(const ScintJob& job, const ScintRun& run) const {
  return run.start_ms + AtSpeed(job.work_ms, SpeedOf(run));
}

double ScintProblem::TotalWatts(double it_w, double max_rise_k) const {
  // Below it no supply temperature keeps the redline; the cost stays finite, so
  // that such plans can be compared.
  constexpr double kMinCop = 1e-3;
  const double cop = room_->CopAt(room_->redline_c() - max_rise_k);
  return it_w * (1 + 1 / std::max(cop, kMinCop));
}

ScintEnergy::ScintEnergy(const ScintProblem& problem)
    : problem_(problem),
      rise_k_(problem.inlet_count()),
      busy_(problem.room().zone_count()),
      used_(problem.sites().size()),
      free_(problem.sites().size()) {}

// By insertion: a plan differs little from the one before. The order is total,
// so that rounding does not depend on earlier plans.
void ScintEnergy::SortEvents(const ScintPlan& plan) {
  const bool is_new = events_.size() != 2 * plan.size();
  if (is_new) {
    events_.resize(2 * plan.size());
    for (std::uint32_t code = 0; code < events_.size(); ++code) {
      events_[code].code = code;
    }
  }
  for (Event& event : events_) {
    const ScintRun& run = plan[event.code / 2];
    event.at_ms = event.code % 2 == 1 ? run.start_ms : run.end_ms;
  }
  if (is_new) {
    std::sort(events_.begin(), events_.end(), Event::IsBefore);
    return;
  }
  for (std::size_t i = 1; i < events_.size(); ++i) {
    const Event moving = events_[i];
    std::size_t place = i;
    for (; place > 0 && Event::IsBefore(moving, events_[place - 1]); --place) {
      events_[place] = events_[place - 1];
    }
    events_[place] = moving;
  }
}

void ScintEnergy::Apply(const ScintRun& run, double sign) {
  const bool idle_on = problem_.room().idle_on();
  for (const ScintPart& part : run.parts) {
    const ScintSite& site = problem_.sites()[part.site];
    double watts = site.added_w * part.nodes;
    NodeCount& busy = busy_[site.zone];
    if (sign > 0) {
      if (busy == 0 && !idle_on) watts += problem_.room().IdleWatts(site.zone);
      busy += part.nodes;
    } else {
      busy -= part.nodes;
      if (busy == 0 && !idle_on) watts += problem_.room().IdleWatts(site.zone);
    }
    watts *= sign;
    it_w_ += watts;
    const double* const per_watt = problem_.RisePerWatt(site.zone).data();
    double* const rise_k = rise_k_.data();
    for (std::size_t i = 0; i < rise_k_.size(); ++i) {
      rise_k[i] += watts * per_watt[i];
    }
  }
}

double ScintEnergy::MaxRise() const {
  double max_k = rise_k_[0];
  for (const double rise_k : rise_k_) max_k = std::max(max_k, rise_k);
  return max_k;
}

double ScintEnergy::Joules(const ScintPlan& plan) {
  SortEvents(plan);
  std::fill(rise_k_.begin(), rise_k_.end(), 0.0);
  std::fill(busy_.begin(), busy_.end(), 0);
  it_w_ = 0;
  const Room& room = problem_.room();
  for (ZoneId zone = 0; room.idle_on() && zone < busy_.size(); ++zone) {
    it_w_ += room.IdleWatts(zone);
    for (std::size_t i = 0; i < rise_k_.size(); ++i) {
      rise_k_[i] += room.IdleWatts(zone) * problem_.RisePerWatt(zone)[i];
    }
  }
  double joules = 0;
  TimeMs now_ms = problem_.from_ms();
  const auto advance = [&](TimeMs to_ms) {
    if (to_ms <= now_ms) return;
    joules += problem_.TotalWatts(it_w_, MaxRise()) * ToSeconds(to_ms - now_ms);
    now_ms = to_ms;
  };
  for (const Event& event : events_) {
    advance(event.at_ms);
    Apply(plan[event.code / 2], event.code % 2 == 1 ? 1 : -1);
  }
  advance(problem_.min_end_ms());
  return joules;
}

double ScintEnergy::Cost(const ScintPlan& plan, double must_meet_weight) {
  double missed = 0;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    const ScintJob& job = problem_.jobs()[k];
    if (plan[k].end_ms <= job.deadline_ms) continue;
    missed += job.must_meet ? must_meet_weight : 1;
  }
  return Joules(plan) + missed * problem_.penalty_j();
}

std::span<const NodeCount> ScintEnergy::FreeIn(const ScintPlan& plan,
                                               std::size_t without,
                                               TimeMs start_ms, TimeMs end_ms) {
  window_.clear();
  std::fill(used_.begin(), used_.end(), 0);
  const std::span<const ScintSite> sites = problem_.sites();
  for (std::size_t s = 0; s < sites.size(); ++s) free_[s] = sites[s].nodes;
  const auto start = [&](const ScintRun& run) {
    for (const ScintPart& part : run.parts) {
      NodeCount& used = used_[part.site];
      used += part.nodes;
      free_[part.site] =
          std::min(free_[part.site], sites[part.site].nodes - used);
    }
  };
  for (std::uint32_t k = 0; k < plan.size(); ++k) {
    const ScintRun& run = plan[k];
    if (k == without || run.end_ms <= start_ms || run.start_ms >= end_ms) {
      continue;
    }
    if (run.start_ms <= start_ms) {
      start(run);
    } else {
      window_.push_back({run.start_ms, 2 * k + 1});
    }
    if (run.end_ms < end_ms) window_.push_back({run.end_ms, 2 * k});
  }
  std::sort(window_.begin(), window_.end(), Event::IsBefore);
  for (const Event& event : window_) {
    const ScintRun& run = plan[event.code / 2];
    if (event.code % 2 == 1) {
      start(run);
    } else {
      for (const ScintPart& part : run.parts) used_[part.site] -= part.nodes;
    }
  }
  return free_;
}

}  // namespace coolspan
