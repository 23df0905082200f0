// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/metrics_page.h"

#include <fmt/format.h>
#include <prometheus/metric_type.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

prometheus::MetricType TypeOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return prometheus::MetricType::Counter;
    case MetricKind::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricKind::kHistogram:
      return prometheus::MetricType::Histogram;
    case MetricKind::kSummary:
      break;
  }
  return prometheus::MetricType::Summary;
}

}  // namespace

std::string LabelText(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (absl::ascii_isprint(static_cast<unsigned char>(byte)) && byte != '\\') {
      out += byte;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                     static_cast<unsigned char>(byte));
    }
  }
  return out;
}

MetricsPage::MetricsPage() {
  for (const MetricInfo& info : MetricTable()) {
    prometheus::MetricFamily& family = families_.emplace_back();
    family.name = info.name;
    family.help = info.help;
    family.type = TypeOf(info.kind);
  }
}

prometheus::ClientMetric& MetricsPage::Append(Metric metric,
                                              LabelValues labels) {
  prometheus::ClientMetric& appended =
      families_[static_cast<std::size_t>(metric)].metric.emplace_back();
  auto name = InfoOf(metric).labels.begin();
  for (const std::string_view value : labels) {
    appended.label.push_back({std::string(*name++), LabelText(value)});
  }
  return appended;
}

void MetricsPage::Add(Metric metric, LabelValues labels, double value) {
  prometheus::ClientMetric& appended = Append(metric, labels);
  appended.counter.value = value;
  appended.gauge.value = value;
}

void MetricsPage::Add(Metric metric, LabelValues labels,
                      const LatencyHistogram::Reading& reading) {
  auto& histogram = Append(metric, labels).histogram;
  histogram.sample_sum = reading.sum_s;
  for (std::size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
    histogram.sample_count += reading.counts[i];
    const bool is_last = i + 1 == LatencyHistogram::kBuckets;
    histogram.bucket.push_back(
        {histogram.sample_count, is_last
                                     ? std::numeric_limits<double>::infinity()
                                     : kLatencyBoundsS[i]});
  }
}

void MetricsPage::AddSummary(Metric metric, LabelValues labels,
                             std::uint64_t count, double sum) {
  auto& summary = Append(metric, labels).summary;
  summary.sample_count = count;
  summary.sample_sum = sum;
}

std::string MetricsPage::Text() const {
  std::vector<prometheus::MetricFamily> filled;
  std::copy_if(families_.begin(), families_.end(), std::back_inserter(filled),
               [](const auto& family) { return !family.metric.empty(); });
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, filled);
  return out.str();
}

}  // namespace coolspan
