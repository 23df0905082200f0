// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_file.h"

namespace coolspan {
namespace {

using D = DaemonFile;
using Reading = OptionReading;
using Names = std::vector<std::string_view>;
using Texts = std::vector<std::string>;

constexpr OptionType kText = OptionType::kText;
constexpr OptionType kGroup = OptionType::kGroup;

Names SpanNames() { return {"ring", "linear"}; }
Names LogLevels() { return {"debug", "info", "warning", "error"}; }
Names LogFormats() { return {"json", "text"}; }

SpanKind SpanOf(const Reading& reading) {
  return reading.As<std::string>() == "linear" ? SpanKind::kLinear
                                               : SpanKind::kRing;
}

// The rule being read.
D::Rule& Rule(D& d) { return d.rules.back(); }

void Ignore(D&, const Reading&) {}

const Option<D> kTable[] = {
    {{.name = "listen",
      .type = OptionType::kTextList,
      .description = "Where the daemon listens: unix:///PATH and "
                     "ipv4:HOST:PORT, one or several. A Unix socket gets the "
                     "permissions 0660.",
      .default_text = "[\"unix:///run/coolspan/coolspand.sock\"]"},
     [](D& d, const Reading& r) {
       d.listen = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "machine",
      .type = kText,
      .description = "The machine file (coolspan-machine(5)).",
      .presence = Presence::kRequired},
     [](D& d, const Reading& r) { d.machine = r.PlacedAs<std::string>(); }},
    {{.name = "policy",
      .type = kText,
      .description = "Chooses the nodes: a policy's name, where it has "
                     "numbers with those wanted, as in bqp:alpha=1:beta=0 "
                     "(coolspan(1)).",
      .default_text = "best-fit"},
     [](D& d, const Reading& r) { d.policy = r.PlacedAs<std::string>(); }},
    {{.name = "ordering",
      .type = kText,
      .description =
          "The ordering of the nodes: a name (coolspan(1)) or "
          "file:PATH. Left out: hilbert on meshes, spectral elsewhere."},
     [](D& d, const Reading& r) { d.ordering = r.PlacedAs<std::string>(); }},
    {{.name = "span",
      .type = kText,
      .description = "Which span is kept small when no interval is long "
                     "enough.",
      .default_text = "ring",
      .choices = SpanNames},
     [](D& d, const Reading& r) { d.span = SpanOf(r); }},
    {{.name = "latency_matrix",
      .type = kText,
      .description = "A matrix of measured latencies, for bqp, row and column "
                     "i those of the machine's i-th node; text or MatrixMarket "
                     "(as thermal.heat_distribution, coolspan-machine(5)). "
                     "Left out: hops."},
     [](D& d, const Reading& r) {
       d.latency_matrix = r.PlacedAs<std::string>();
     }},
    {{.name = "rules",
      .type = OptionType::kRecords,
      .description = "Policies for some jobs. The first rule counts whose "
                     "conditions (partition, qos, nodes, comment) all hold; "
                     "where none does, policy, ordering and span above. See "
                     "RULES."},
     [](D& d, const Reading& r) { d.rules.emplace_back().place = r.place; }},
    {{.name = "rules[].name",
      .type = kText,
      .description = "What the rule is called where a decision is explained."},
     [](D& d, const Reading& r) { Rule(d).name = r.As<std::string>(); }},
    {{.name = "rules[].partition",
      .type = OptionType::kTextList,
      .description = "The job's partition is one of these. Left out: any."},
     [](D& d, const Reading& r) { Rule(d).jobs.partitions = r.As<Texts>(); }},
    {{.name = "rules[].qos",
      .type = OptionType::kTextList,
      .description = "The job's quality of service is one of these. Left out: "
                     "any."},
     [](D& d, const Reading& r) { Rule(d).jobs.qos = r.As<Texts>(); }},
    {{.name = "rules[].nodes",
      .type = kText,
      .description = "The nodes that the job asks for, the fewest where it "
                     "leaves that open: 64-512 (both included), 64- (and "
                     "more), -512 (and fewer) or 64. Left out: any number."},
     [](D& d, const Reading& r) { Rule(d).nodes = r.PlacedAs<std::string>(); }},
    {{.name = "rules[].comment",
      .type = kText,
      .description = "A pattern of shells (* for any text, ? for any byte, "
                     "[...], glob(7)) that the whole of the job's comment "
                     "matches. Left out: any."},
     [](D& d, const Reading& r) {
       Rule(d).jobs.comment = r.As<std::string>();
     }},
    {{.name = "rules[].policy",
      .type = kText,
      .description = "Chooses the nodes of these jobs. Left out: policy "
                     "above; so for the two that follow."},
     [](D& d, const Reading& r) {
       Rule(d).policy = r.PlacedAs<std::string>();
     }},
    {{.name = "rules[].ordering",
      .type = kText,
      .description = "The ordering that it uses."},
     [](D& d, const Reading& r) {
       Rule(d).ordering = r.PlacedAs<std::string>();
     }},
    {{.name = "rules[].span",
      .type = kText,
      .description = "The span that it keeps small.",
      .choices = SpanNames},
     [](D& d, const Reading& r) { Rule(d).span = SpanOf(r); }},
    {{.name = "deadline_ms",
      .type = OptionType::kInteger,
      .description = "Longest time for one decision, in milliseconds; what "
                     "was found by then is answered and marked. A client's "
                     "own shorter deadline counts too.",
      .default_text = "20",
      .min = 1,
      .max = 60000},
     [](D& d, const Reading& r) { d.deadline_ms = r.As<std::int64_t>(); }},
    {{.name = "state",
      .type = kGroup,
      .description = "Where allocations and decisions are kept.",
      .default_text = "{}"},
     Ignore},
    {{.name = "state.sqlite",
      .type = kText,
      .description = "An SQLite file; made where there is none.",
      .default_text = "/var/lib/coolspan/state.db"},
     [](D& d, const Reading& r) { d.sqlite = r.PlacedAs<std::string>(); }},
    {{.name = "state.etcd",
      .type = kText,
      .description = "Endpoints of etcd.",
      .presence = Presence::kLater},
     Ignore},
    {{.name = "log",
      .type = kGroup,
      .description = "One line for each decision and event.",
      .default_text = "{}"},
     Ignore},
    {{.name = "log.level",
      .type = kText,
      .description = "The least severe lines that are written.",
      .default_text = "info",
      .choices = LogLevels},
     [](D& d, const Reading& r) { d.log.level = r.As<std::string>(); }},
    {{.name = "log.file",
      .type = kText,
      .description = "A file that lines are added to, opened anew after "
                     "SIGHUP. Left out: standard error."},
     [](D& d, const Reading& r) { d.log.file = r.As<std::string>(); }},
    {{.name = "log.format",
      .type = kText,
      .description = "json: an object a line; text: key=value.",
      .default_text = "json",
      .choices = LogFormats},
     [](D& d, const Reading& r) { d.log.format = r.As<std::string>(); }},
    {{.name = "retention_days",
      .type = OptionType::kNumber,
      .description = "How long decisions are kept for coolspan explain, in "
                     "days.",
      .default_text = "30",
      .min = 0,
      .max = 36500},
     [](D& d, const Reading& r) { d.retention_days = r.As<double>(); }},
    {{.name = "tls",
      .type = kGroup,
      .description = "Certificates.",
      .presence = Presence::kLater},
     Ignore},
    {{.name = "http",
      .type = kText,
      .description = "Metrics and live view.",
      .presence = Presence::kLater},
     Ignore},
    {{.name = "telemetry",
      .type = kGroup,
      .description = "What the nodes' sensors say of their inlets and power, "
                     "for machines with a thermal part. Without, the model of "
                     "the room stands alone. See TELEMETRY."},
     [](D& d, const Reading& r) { d.telemetry.emplace().place = r.place; }},
    {{.name = "telemetry.scrape",
      .type = OptionType::kTextList,
      .description = "Pages in Prometheus' text format, "
                     "http://HOST:PORT/PATH. One with {node} in it stands for "
                     "a page of each node. Left out: only what agents push."},
     [](D& d, const Reading& r) {
       d.telemetry->scrape = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "telemetry.inlet",
      .type = OptionType::kTextList,
      .description = "Metrics that are inlet temperatures, in degrees "
                     "Celsius: METRIC, or METRIC{LABEL=TEXT} where the label "
                     "has that text in it, in any case. Left out: the names of "
                     "ipmi_exporter, redfish exporters and idrac_exporter."},
     [](D& d, const Reading& r) {
       d.telemetry->inlet = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "telemetry.power",
      .type = OptionType::kTextList,
      .description = "Metrics that are a node's power in watts; the first "
                     "that a page has counts. Left out: as for inlet."},
     [](D& d, const Reading& r) {
       d.telemetry->power = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "telemetry.interval_s",
      .type = OptionType::kNumber,
      .description = "Seconds from one reading of a page to the next.",
      .default_text = "15",
      .min = 0.1,
      .max = 3600},
     [](D& d, const Reading& r) { d.telemetry->interval_s = r.As<double>(); }},
    {{.name = "telemetry.timeout_s",
      .type = OptionType::kNumber,
      .description = "Longest time for one page, in seconds.",
      .default_text = "5",
      .min = 0.1,
      .max = 60},
     [](D& d, const Reading& r) { d.telemetry->timeout_s = r.As<double>(); }},
    {{.name = "telemetry.missing_after_s",
      .type = OptionType::kNumber,
      .description = "Seconds without a reading after which a sensor is "
                     "missing, and its inlet falls back to the model.",
      .default_text = "300",
      .min = 1,
      .max = 86400},
     [](D& d, const Reading& r) {
       d.telemetry->missing_after_s = r.As<double>();
     }},
    {{.name = "telemetry.most_deviation_k",
      .type = OptionType::kNumber,
      .description = "Kelvins by which an inlet may be further from the model "
                     "than the room's median is; one beyond is named and left "
                     "out.",
      .default_text = "6",
      .min = 0.1,
      .max = 100},
     [](D& d, const Reading& r) {
       d.telemetry->most_deviation_k = r.As<double>();
     }},
    {{.name = "telemetry.bias_time_s",
      .type = OptionType::kNumber,
      .description = "Seconds in which a difference between an inlet's sensor "
                     "and the model is believed to two thirds, if it lasts. "
                     "Longer than the room takes to settle.",
      .default_text = "600",
      .min = 1,
      .max = 86400},
     [](D& d, const Reading& r) { d.telemetry->bias_time_s = r.As<double>(); }},
    {{.name = "telemetry.power_settles_s",
      .type = OptionType::kNumber,
      .description = "Seconds after a job's start or end on a node in which "
                     "its power is not believed: at least what its exporter "
                     "averages over.",
      .default_text = "60",
      .min = 0,
      .max = 3600},
     [](D& d, const Reading& r) {
       d.telemetry->power_settles_s = r.As<double>();
     }},
};

}  // namespace

std::span<const Option<DaemonFile>> DaemonOptionTable() { return kTable; }

}  // namespace coolspan
