// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "telemetry/prometheus_text.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsPageTest, HasHelpTypeAndValue) {
  MetricsPage page;
  page.Add(Metric::kNodesFree, {"c"}, 7);
  EXPECT_EQ(page.Text(),
            "# HELP coolspan_nodes_free Nodes that are available and held by "
            "no job.\n"
            "# TYPE coolspan_nodes_free gauge\n"
            "coolspan_nodes_free{cluster=\"c\"} 7\n");
}

TEST(MetricsPageTest, BucketsOfHistogramsAreCumulative) {
  LatencyHistogram histogram;
  histogram.Add(0.0001);
  histogram.Add(0.0002);
  histogram.Add(100);
  MetricsPage page;
  page.Add(Metric::kDecisionSeconds, {"mc"}, histogram.Read());
  const std::string text = page.Text();
  const std::string name = "coolspan_decision_seconds";
  EXPECT_THAT(text, HasSubstr(name + "_count{policy=\"mc\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{policy=\"mc\",le=\"0.0001\"} 1"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{policy=\"mc\",le=\"5\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{policy=\"mc\",le=\"+Inf\"} 3\n"));
  const auto samples = ParsePrometheusText(text);
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(samples->size(), LatencyHistogram::kBuckets + 2);
}

TEST(MetricsPageTest, SummariesHaveCountAndSum) {
  MetricsPage page;
  page.AddSummary(Metric::kDecisionPairwiseHops, {"mc"}, 3, 10.5);
  EXPECT_THAT(
      page.Text(),
      HasSubstr("coolspan_decision_pairwise_hops_count{policy=\"mc\"} 3\n"
                "coolspan_decision_pairwise_hops_sum{policy=\"mc\"} 10.5\n"));
}

// Prometheus refuses a page with invalid UTF-8, and terminals obey ESC and CSI.
TEST(MetricsPageTest, LabelsAreHarmlessAndDistinct) {
  EXPECT_EQ(LabelText("linux-1 a_b"), "linux-1 a_b");
  EXPECT_EQ(LabelText("a\x1b[31m\n\r\t"), "a\\x1b[31m\\x0a\\x0d\\x09");
  EXPECT_EQ(LabelText("\xc2\x9b\x7f\xff"), "\\xc2\\x9b\\x7f\\xff");
  EXPECT_EQ(LabelText(std::string_view("\0", 1)), "\\x00");
  EXPECT_NE(LabelText("\x1b"), LabelText("\\x1b"));
  MetricsPage page;
  page.Add(Metric::kNodes, {"a\"} 1\ncoolspan_nodes{cluster=\"b"}, 2);
  page.Add(Metric::kNodes, {"\\"}, 3);
  const auto samples = ParsePrometheusText(page.Text());
  ASSERT_TRUE(samples.ok()) << samples.status();
  ASSERT_EQ(samples->size(), 2u);
  EXPECT_EQ((*samples)[0].value, 2);
  for (const char byte : page.Text()) {
    EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~'));
  }
}

TEST(MetricTableTest, NamesFollowTheConventions) {
  std::set<std::string_view> names;
  for (const MetricInfo& info : MetricTable()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.name.starts_with("coolspan_") ||
                info.name.starts_with("process_"))
        << info.name;
    EXPECT_EQ(info.name.ends_with("_total"), info.kind == MetricKind::kCounter)
        << info.name;
    EXPECT_TRUE(info.help.ends_with('.')) << info.name;
    EXPECT_THAT(std::string(info.help), Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace coolspan
