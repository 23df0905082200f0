// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_METRICS_METRICS_PAGE_H_
#define COOLSPAN_SERVICE_METRICS_METRICS_PAGE_H_

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "service/metrics/latency_histogram.h"
#include "service/metrics/metric_table.h"

namespace coolspan {

// The values of all metrics at one time, and their text in the exposition
// format 0.0.4 of Prometheus. Not thread-safe.
class MetricsPage {
 public:
  using LabelValues = std::initializer_list<std::string_view>;

  MetricsPage();

  // A counter or gauge. labels: one value for each label of the metric, any
  // bytes; the same ones at most once.
  void Add(Metric metric, LabelValues labels, double value);
  void Add(Metric metric, double value) { Add(metric, {}, value); }
  void Add(Metric metric, LabelValues labels,
           const LatencyHistogram::Reading& reading);
  void AddSummary(Metric metric, LabelValues labels, std::uint64_t count,
                  double sum);

  // Without metrics that have no values.
  std::string Text() const;

 private:
  prometheus::ClientMetric& Append(Metric metric, LabelValues labels);

  std::vector<prometheus::MetricFamily> families_;  // by Metric
};

// A label value that every reader of the format accepts: printable ASCII, other
// bytes and backslashes as \xNN, so that different texts stay different.
std::string LabelText(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_METRICS_METRICS_PAGE_H_
