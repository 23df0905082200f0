// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/node_failures.h"

#include <algorithm>

namespace coolspan {

void NodeFailures::Ended(const JobEnd& end) {
  if (!end.failed || end.now_ms < begin_ms_) return;
  ++requeues_;
  lost_node_s_ += static_cast<double>(end.nodes.size()) *
                  ToSeconds(end.now_ms - std::max(end.start_ms, begin_ms_));
}

void NodeFailures::Report(RunReport& report) const {
  report.metrics.push_back({"requeues", static_cast<double>(requeues_)});
  report.metrics.push_back({"lost_node_s", lost_node_s_});
}

}  // namespace coolspan
