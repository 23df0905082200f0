// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/interval_policy.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "policy/linear/required_span.h"

namespace coolspan {
namespace {

void NoteInterval(const Interval& interval, Rank first, NodeCount nodes,
                  Trace& trace) {
  trace.Note("interval_ranks", std::int64_t{interval.size});
  trace.Note("first_rank", std::int64_t{first});
  trace.Note("left_over_ranks", std::int64_t{interval.size - nodes});
}

void NoteFallback(SpanKind kind, NodeCount span, Rank start, Trace& trace) {
  trace.Note("fallback", kind == SpanKind::kRing ? "minimum ring span"
                                                 : "minimum linear span");
  trace.Note("span_ranks", std::int64_t{span});
  trace.Note("first_rank", std::int64_t{start});
}

std::vector<Rank> RanksFrom(Rank first, NodeCount count) {
  std::vector<Rank> ranks(count);
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

}  // namespace

IntervalPolicy::IntervalPolicy(std::string_view name, ChooseInterval choose,
                               const Machine& machine,
                               const PolicyOptions& options)
    : name_(name),
      choose_(choose),
      span_(SpanOn(options.span, *options.ordering, machine.topology())),
      indexes_(options.ordering) {}

std::optional<Allocation> IntervalPolicy::Place(const MachineView& view,
                                                const Request& request,
                                                Budget& /*budget*/,
                                                Trace& trace) const {
  return PlaceDemand(view, request, trace,
                     [this](const Choice& choice, Trace& facts) {
                       return ChooseRanks(choice, facts);
                     });
}

std::vector<NodeId> IntervalPolicy::ChooseRanks(const Choice& choice,
                                                Trace& trace) const {
  const IndexPool::Lease index = indexes_.Take(choice.available);
  trace.Note("free_intervals", std::int64_t{index->interval_count()});
  std::vector<Rank> ranks = choice.required_count == 0
                                ? WithoutRequired(*index, choice.nodes, trace)
                                : WithRequired(*index, choice, trace);
  for (Rank& rank : ranks) rank = index->ordering().NodeAt(rank);
  return ranks;
}

std::vector<Rank> IntervalPolicy::WithoutRequired(FreeIntervals& index,
                                                  NodeCount nodes,
                                                  Trace& trace) const {
  if (const std::optional<Interval> interval = choose_(index, nodes)) {
    NoteInterval(*interval, interval->start, nodes, trace);
    return RanksFrom(interval->start, nodes);
  }
  const SpanWindow window = index.MinimumSpan(nodes, span_);
  NoteFallback(span_, window.span, window.start, trace);
  std::vector<Rank> ranks;
  index.AppendFreeRanks(window.start, nodes, ranks);
  return ranks;
}

std::vector<Rank> IntervalPolicy::WithRequired(const FreeIntervals& index,
                                               const Choice& choice,
                                               Trace& trace) const {
  std::vector<Rank> required;
  required.reserve(choice.required_count);
  choice.required.ForEach(
      [&](NodeId node) { required.push_back(index.ordering().RankOf(node)); });
  std::sort(required.begin(), required.end());

  const Interval interval = index.IntervalAround(required.front());
  const Rank required_end = required.back() + 1;
  if (interval.size >= choice.nodes &&
      required_end <= interval.start + interval.size &&
      required_end - required.front() <= choice.nodes) {
    const Rank first = required_end - interval.start <= choice.nodes
                           ? interval.start
                           : required_end - choice.nodes;
    NoteInterval(interval, first, choice.nodes, trace);
    return RanksFrom(first, choice.nodes);
  }
  std::vector<Rank> free;
  index.AppendFreeRanks(0, index.free_count(), free);
  RequiredSpan found = MinimumSpanWith(free, required, choice.nodes,
                                       index.ordering().size(), span_);
  NoteFallback(span_, found.span, found.start, trace);
  return std::move(found.ranks);
}

}  // namespace coolspan
