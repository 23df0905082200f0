// SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

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
Names ModeNames() {
  return {std::begin(kPlacementModes), std::end(kPlacementModes)};
}
Names Booleans() { return {"true", "false"}; }
Names LogLevels() { return {"debug", "info", "warning", "error"}; }
Names LogFormats() { return {"json", "text", "journal"}; }

constexpr std::string_view kAnyNetwork = "any-network";
Names PlaintextNames() { return {"loopback", kAnyNetwork}; }

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
      .description = "Endpoints to listen on: unix:///PATH or "
                     "ipv4:HOST:PORT, one or several. Unix sockets have the "
                     "permissions 0660; the group is access.socket_group. "
                     "Clients on TCP are authenticated by tls. See ACCESS.",
      .default_text = "[\"unix:///run/coolspan/coolspand.sock\"]"},
     [](D& d, const Reading& r) {
       d.listen = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "machine",
      .type = kText,
      .description = "Path of the machine file (coolspan-machine(5)).",
      .presence = Presence::kRequired},
     [](D& d, const Reading& r) { d.machine = r.PlacedAs<std::string>(); }},
    {{.name = "policy",
      .type = kText,
      .description = "Allocation policy, with its parameters if it takes "
                     "any, as in bqp:alpha=1:beta=0 (coolspan(1)). Default: "
                     "coolspan; on machines with a thermal section "
                     "coolspan:heat=0, which ignores heat below the redline.",
      .reloadable = true},
     [](D& d, const Reading& r) { d.policy = r.PlacedAs<std::string>(); }},
    {{.name = "ordering",
      .type = kText,
      .description = "Ordering of the nodes: a name (coolspan(1)) or "
                     "file:PATH. Default: hilbert on meshes, spectral on "
                     "other machines.",
      .reloadable = true},
     [](D& d, const Reading& r) { d.ordering = r.PlacedAs<std::string>(); }},
    {{.name = "span",
      .type = kText,
      .description = "Span to minimize if no interval of free nodes is long "
                     "enough. Default: ring if the first and the last node of "
                     "the ordering are at most one hop apart, else linear.",
      .choices = SpanNames,
      .reloadable = true},
     [](D& d, const Reading& r) { d.span = SpanOf(r); }},
    {{.name = "latency_matrix",
      .type = kText,
      .description = "File with a matrix of measured latencies for the "
                     "policy bqp; row and column i belong to node i of the "
                     "machine. Dense text or MatrixMarket, as for "
                     "thermal.heat_distribution in coolspan-machine(5). "
                     "Default: hop distances.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.latency_matrix = r.PlacedAs<std::string>();
     }},
    {{.name = "rules",
      .type = OptionType::kRecords,
      .description = "Policies for selected jobs. The first matching rule "
                     "applies; a rule matches if all its conditions "
                     "(partition, qos, nodes, comment) do. Without a "
                     "matching rule, policy, ordering and span above apply. "
                     "See RULES.",
      .reloadable = true},
     [](D& d, const Reading& r) { d.rules.emplace_back().place = r.place; }},
    {{.name = "rules[].name",
      .type = kText,
      .description = "Name of the rule in explanations of decisions.",
      .reloadable = true},
     [](D& d, const Reading& r) { Rule(d).name = r.As<std::string>(); }},
    {{.name = "rules[].partition",
      .type = OptionType::kTextList,
      .description = "Partitions of the jobs that the rule applies to. "
                     "Default: any.",
      .reloadable = true},
     [](D& d, const Reading& r) { Rule(d).jobs.partitions = r.As<Texts>(); }},
    {{.name = "rules[].qos",
      .type = OptionType::kTextList,
      .description = "QOS (quality of service) of the jobs that the rule "
                     "applies to. Default: any.",
      .reloadable = true},
     [](D& d, const Reading& r) { Rule(d).jobs.qos = r.As<Texts>(); }},
    {{.name = "rules[].nodes",
      .type = kText,
      .description = "Number of nodes that the job requests, or the minimum "
                     "of a requested range: 64-512 (both included), 64- (at "
                     "least), -512 (at most) or 64. Default: any.",
      .reloadable = true},
     [](D& d, const Reading& r) { Rule(d).nodes = r.PlacedAs<std::string>(); }},
    {{.name = "rules[].comment",
      .type = kText,
      .description = "Shell pattern that matches the whole comment of the "
                     "job: * is any text, ? any byte, [...] a set (glob(7)). "
                     "Default: any.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       Rule(d).jobs.comment = r.As<std::string>();
     }},
    {{.name = "rules[].policy",
      .type = kText,
      .description = "Policy for these jobs. Default: policy above.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       Rule(d).policy = r.PlacedAs<std::string>();
     }},
    {{.name = "rules[].ordering",
      .type = kText,
      .description = "Ordering for these jobs. Default: ordering above.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       Rule(d).ordering = r.PlacedAs<std::string>();
     }},
    {{.name = "rules[].span",
      .type = kText,
      .description = "Span to minimize for these jobs. Default: span above.",
      .choices = SpanNames,
      .reloadable = true},
     [](D& d, const Reading& r) { Rule(d).span = SpanOf(r); }},
    {{.name = "rules[].mode",
      .type = kText,
      .description = "Mode for these jobs, if it changes less than the mode "
                     "that is set by coolspan mode or in coolspan.conf(5): "
                     "advise leaves the choice of their nodes to Slurm, off "
                     "makes no decisions. Default: enforce.",
      .choices = ModeNames,
      .reloadable = true},
     [](D& d, const Reading& r) {
       Rule(d).mode = ParsePlacementMode(r.As<std::string>());
     }},
    {{.name = "comment_policies",
      .type = OptionType::kTextList,
      .description = "Policies that the comment of a job may name, each "
                     "exactly as written here, with its parameters if it "
                     "takes any. The word none alone allows no policy. "
                     "Default: free-list, first-fit, best-fit, sum-of-squares, "
                     "random, exact-1d, mbs, and in a room coolest-inlet, "
                     "which decide within 2 ms on 10,000 nodes; those that "
                     "take longer than deadline_ms on this machine when the "
                     "daemon starts are left out. slurmctld waits for "
                     "decisions, so a slow policy delays all users.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.comment_policies = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "deadline_ms",
      .type = OptionType::kInteger,
      .description = "Maximum time for one decision, in milliseconds. At the "
                     "deadline the best allocation found so far is returned "
                     "and marked. A shorter deadline set by the client takes "
                     "precedence.",
      .default_text = "20",
      .min = 1,
      .max = 60000,
      .reloadable = true},
     [](D& d, const Reading& r) { d.deadline_ms = r.As<std::int64_t>(); }},
    {{.name = "state",
      .type = kGroup,
      .description = "Storage of allocations and decisions.",
      .default_text = "{}"},
     Ignore},
    {{.name = "state.sqlite",
      .type = kText,
      .description = "SQLite file of the allocations; created if it does not "
                     "exist.",
      .default_text = "/var/lib/coolspan/state.db"},
     [](D& d, const Reading& r) { d.sqlite = r.PlacedAs<std::string>(); }},
    {{.name = "state.archive",
      .type = kText,
      .description = "SQLite file of the history of decisions and job starts; "
                     "created if it does not exist. Default: the path of "
                     "state.sqlite with \"-archive\" appended."},
     [](D& d, const Reading& r) { d.archive = r.PlacedAs<std::string>(); }},
    {{.name = "state.archive_max_mb",
      .type = OptionType::kInteger,
      .description = "Maximum size of the history on the disk, with its "
                     "write-ahead log, in units of 2^20 bytes. When it is "
                     "reached, the oldest entries are deleted, before "
                     "retention_days have passed. A decision takes about 2 "
                     "kB.",
      .default_text = "1024",
      .min = 32,
      .max = 1048576},
     [](D& d, const Reading& r) { d.archive_max_mb = r.As<std::int64_t>(); }},
    {{.name = "state.etcd",
      .type = OptionType::kTextList,
      .description = "Endpoints of the members of an etcd cluster, as "
                     "HOST:PORT, with an IPv6 address in brackets. The "
                     "allocations are stored there instead of "
                     "in state.sqlite, and several daemons with the same "
                     "etcd and state.etcd_prefix share them: one at a time "
                     "decides for a cluster, and another takes over if it "
                     "fails. See HIGH AVAILABILITY."},
     [](D& d, const Reading& r) {
       d.etcd.endpoints = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "state.etcd_prefix",
      .type = kText,
      .description = "Start of all keys in etcd. Requires state.etcd.",
      .default_text = "/coolspan/"},
     [](D& d, const Reading& r) { d.etcd.prefix = r.PlacedAs<std::string>(); }},
    {{.name = "state.etcd_ca",
      .type = kText,
      .description = "File in PEM format with the authorities that have signed "
                     "the certificates of etcd's members. Without it, etcd is "
                     "called without TLS. Requires state.etcd."},
     [](D& d, const Reading& r) { d.etcd.ca = r.PlacedAs<std::string>(); }},
    {{.name = "state.etcd_cert",
      .type = kText,
      .description = "Certificate of the daemon for etcd, in PEM format. "
                     "Requires state.etcd_ca and state.etcd_key."},
     [](D& d, const Reading& r) { d.etcd.cert = r.PlacedAs<std::string>(); }},
    {{.name = "state.etcd_key",
      .type = kText,
      .description = "Private key of state.etcd_cert."},
     [](D& d, const Reading& r) { d.etcd.key = r.PlacedAs<std::string>(); }},
    {{.name = "state.lease_s",
      .type = OptionType::kInteger,
      .description = "Time in seconds after which another daemon takes the "
                     "place of one that has failed. etcd grants no less than "
                     "one and a half times its election timeout. Requires "
                     "state.etcd.",
      .default_text = "2",
      .min = 1,
      .max = 60},
     [](D& d, const Reading& r) {
       d.etcd.lease_s = r.As<std::int64_t>();
       d.etcd.lease_place = r.place;
     }},
    {{.name = "state.advertise",
      .type = kText,
      .description = "The endpoint at which clients reach this daemon, as "
                     "they specify it; different for each daemon. Requires "
                     "state.etcd. Default: the first endpoint of listen on "
                     "TCP, else the first."},
     [](D& d, const Reading& r) {
       d.etcd.advertise = r.PlacedAs<std::string>();
     }},
    {{.name = "log",
      .type = kGroup,
      .description = "Log of decisions and events, one line each.",
      .default_text = "{}",
      .reloadable = true},
     Ignore},
    {{.name = "log.level",
      .type = kText,
      .description = "Minimum severity of the lines that are written.",
      .default_text = "info",
      .choices = LogLevels,
      .reloadable = true},
     [](D& d, const Reading& r) { d.log.level = r.As<std::string>(); }},
    {{.name = "log.file",
      .type = kText,
      .description = "File to append to; reopened on SIGHUP. Default: "
                     "standard error.",
      .reloadable = true},
     [](D& d, const Reading& r) { d.log.file = r.As<std::string>(); }},
    {{.name = "log.format",
      .type = kText,
      .description = "json: one object per line; text: key=value; journal: "
                     "entries of the systemd journal, with a field for each "
                     "value (LOG in coolspand(8)), which excludes log.file. "
                     "Default: journal if standard error is connected to the "
                     "journal and log.file is not set, else json.",
      .choices = LogFormats,
      .reloadable = true},
     [](D& d, const Reading& r) { d.log.format = r.As<std::string>(); }},
    {{.name = "retention_days",
      .type = OptionType::kNumber,
      .description = "Number of days that decisions, starts and ends of jobs "
                     "are kept for coolspan explain and coolspan jobs "
                     "--history.",
      .default_text = "30",
      .min = 0,
      .max = 36500,
      .reloadable = true},
     [](D& d, const Reading& r) { d.retention_days = r.As<double>(); }},
    {{.name = "cluster_expiry_days",
      .type = OptionType::kNumber,
      .description = "Number of days after which a cluster is removed, with "
                     "its history: since the last contact, and since the time "
                     "limits of its last jobs. Jobs without a time limit keep "
                     "it. 0: never. coolspan cluster remove removes one at "
                     "once.",
      .default_text = "30",
      .min = 0,
      .max = 36500,
      .reloadable = true},
     [](D& d, const Reading& r) { d.cluster_expiry_days = r.As<double>(); }},
    {{.name = "tls",
      .type = kGroup,
      .description = "Mutual TLS on all TCP endpoints: the daemon and its "
                     "clients show each other certificates. Files are PEM; "
                     "changed files are read within ten seconds and apply to "
                     "new connections. Without tls, TCP endpoints are "
                     "plaintext."},
     [](D& d, const Reading& r) { d.tls.emplace().place = r.place; }},
    {{.name = "tls.cert",
      .type = kText,
      .description = "Certificate of the daemon, followed by those of "
                     "intermediate authorities, if any. It must name the host "
                     "or address that clients connect to.",
      .presence = Presence::kRequired},
     [](D& d, const Reading& r) { d.tls->cert = r.PlacedAs<std::string>(); }},
    {{.name = "tls.key",
      .type = kText,
      .description = "Private key of the certificate.",
      .presence = Presence::kRequired},
     [](D& d, const Reading& r) { d.tls->key = r.PlacedAs<std::string>(); }},
    {{.name = "tls.client_ca",
      .type = kText,
      .description = "Certificates of the authorities that sign the "
                     "certificates of clients.",
      .presence = Presence::kRequired},
     [](D& d, const Reading& r) {
       d.tls->client_ca = r.PlacedAs<std::string>();
     }},
    {{.name = "access",
      .type = kGroup,
      .description = "Who may do what, and limits. See ACCESS.",
      .default_text = "{}"},
     Ignore},
    {{.name = "access.socket_group",
      .type = kText,
      .description = "Group of the Unix sockets, a name or a number: only its "
                     "members, the user of the daemon and root can connect. "
                     "Default: the group of the daemon's process."},
     [](D& d, const Reading& r) {
       d.access.socket_group = r.PlacedAs<std::string>();
     }},
    {{.name = "access.resource_manager",
      .type = OptionType::kTextList,
      .description = "Clients that allocate nodes, report starts and ends of "
                     "jobs, and send Syncs: SlurmUser of slurm.conf, and the "
                     "certificate of slurmctld's host. Default: slurm, if "
                     "that user exists."},
     [](D& d, const Reading& r) {
       d.access.roles[Role::kResourceManager] = r.PlacedAs<Texts>();
     }},
    {{.name = "access.operator",
      .type = OptionType::kTextList,
      .description = "Clients that may change how the daemon works, such as "
                     "coolspan mode. Default: none but root and the user of "
                     "the daemon."},
     [](D& d, const Reading& r) {
       d.access.roles[Role::kOperator] = r.PlacedAs<Texts>();
     }},
    {{.name = "access.reader",
      .type = OptionType::kTextList,
      .description = "Clients that may ask what the daemon does and what it "
                     "would do: coolspan status, explain, jobs, map-view, "
                     "replay --endpoint.",
      .default_text = "[\"*\"]"},
     [](D& d, const Reading& r) {
       d.access.roles[Role::kReader] = r.PlacedAs<Texts>();
     }},
    {{.name = "access.sensor",
      .type = OptionType::kTextList,
      .description = "Clients that may report temperatures and power. "
                     "Default: none but resource managers, root and the user "
                     "of the daemon."},
     [](D& d, const Reading& r) {
       d.access.roles[Role::kSensor] = r.PlacedAs<Texts>();
     }},
    {{.name = "access.plaintext_tcp",
      .type = kText,
      .description = "Where TCP endpoints without tls may listen. Everyone "
                     "who reaches such an endpoint has every role: on "
                     "loopback all users of this host.",
      .default_text = "loopback",
      .choices = PlaintextNames},
     [](D& d, const Reading& r) {
       d.access.allows_plaintext_on_any_network =
           r.As<std::string>() == kAnyNetwork;
     }},
    {{.name = "access.max_connections",
      .type = OptionType::kInteger,
      .description = "Maximum number of open connections, of which 64 are "
                     "kept for resource managers on Unix sockets. Lowered to "
                     "a quarter of the limit of open files (LimitNOFILE in "
                     "the unit of systemd), if that is less.",
      .default_text = "1024",
      .min = 128,
      .max = 65536},
     [](D& d, const Reading& r) {
       d.access.max_connections = r.As<std::int64_t>();
     }},
    {{.name = "access.max_connections_per_user",
      .type = OptionType::kInteger,
      .description = "Maximum number of open connections of one user on Unix "
                     "sockets, and of one address on TCP; half of all if that "
                     "is less. Resource managers have no such limit.",
      .default_text = "512",
      .min = 1,
      .max = 65536},
     [](D& d, const Reading& r) {
       d.access.max_connections_per_user = r.As<std::int64_t>();
     }},
    {{.name = "access.max_calls_per_s",
      .type = OptionType::kInteger,
      .description = "Maximum rate of calls of one user, or one certificate, "
                     "other than those of resource managers; bursts of twice "
                     "as many are accepted.",
      .default_text = "500",
      .min = 1,
      .max = 1000000},
     [](D& d, const Reading& r) {
       d.access.max_calls_per_s = r.As<std::int64_t>();
     }},
    {{.name = "http",
      .type = kGroup,
      .description = "Pages over HTTP: /metrics, /healthz and /readyz for "
                     "monitoring, and a live page. Without it, the daemon "
                     "opens no port. See "
                     "MONITORING."},
     [](D& d, const Reading& r) { d.http.emplace().listen.place = r.place; }},
    {{.name = "http.listen",
      .type = kText,
      .description = "Address to listen on: HOST:PORT with a numeric address "
                     "or localhost, such as 127.0.0.1:9643 or [::1]:9643.",
      .presence = Presence::kRequired},
     [](D& d, const Reading& r) {
       d.http->listen = r.PlacedAs<std::string>();
     }},
    {{.name = "http.allow_remote",
      .type = kText,
      .description = "Whether listen may be an address that other hosts can "
                     "reach. The pages have no encryption or authentication.",
      .default_text = "false",
      .choices = Booleans},
     [](D& d, const Reading& r) {
       d.http->allow_remote = r.As<std::string>() == "true";
     }},
    {{.name = "http.live",
      .type = kText,
      .description = "Whether / is a live page for browsers: machine map, "
                     "decisions as they happen, explanations. It shows job "
                     "ids, nodes, rules and file names to whoever reaches "
                     "listen, on loopback to all users of this host, "
                     "regardless of access.reader. See LIVE PAGE.",
      .default_text = "false",
      .choices = Booleans},
     [](D& d, const Reading& r) {
       d.http->live = r.As<std::string>() == "true";
     }},
    {{.name = "telemetry",
      .type = kGroup,
      .description = "Sensor readings of inlet temperatures and node power, "
                     "for machines with a thermal section. Without "
                     "telemetry, inlet temperatures come from the thermal "
                     "model alone. See TELEMETRY.",
      .reloadable = true},
     [](D& d, const Reading& r) { d.telemetry.emplace().place = r.place; }},
    {{.name = "telemetry.scrape",
      .type = OptionType::kTextList,
      .description = "Pages in the Prometheus text format, "
                     "http://HOST:PORT/PATH. An address that contains {node} "
                     "stands for one page per node. Default: none; only "
                     "readings pushed by agents are used.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.telemetry->scrape = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "telemetry.inlet",
      .type = OptionType::kTextList,
      .description = "Metrics that are inlet temperatures, in degrees "
                     "Celsius: METRIC, or METRIC{LABEL=TEXT} for samples "
                     "with a label LABEL that contains TEXT, ignoring case. "
                     "Default: the metrics of ipmi_exporter, the redfish "
                     "exporters and idrac_exporter.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.telemetry->inlet = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "telemetry.power",
      .type = OptionType::kTextList,
      .description = "Metrics that are the power of a node, in watts; the "
                     "first metric of the list that a page has is used. "
                     "Default: as for inlet.",
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.telemetry->power = r.PlacedAs<std::vector<std::string>>();
     }},
    {{.name = "telemetry.interval_s",
      .type = OptionType::kNumber,
      .description = "Time between two readings of a page, in seconds.",
      .default_text = "15",
      .min = 0.1,
      .max = 3600,
      .reloadable = true},
     [](D& d, const Reading& r) { d.telemetry->interval_s = r.As<double>(); }},
    {{.name = "telemetry.timeout_s",
      .type = OptionType::kNumber,
      .description = "Maximum time for reading one page, in seconds.",
      .default_text = "5",
      .min = 0.1,
      .max = 60,
      .reloadable = true},
     [](D& d, const Reading& r) { d.telemetry->timeout_s = r.As<double>(); }},
    {{.name = "telemetry.missing_after_s",
      .type = OptionType::kNumber,
      .description = "Time without a reading after which a sensor is missing "
                     "and its inlet temperature is taken from the model, in "
                     "seconds.",
      .default_text = "300",
      .min = 1,
      .max = 86400,
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.telemetry->missing_after_s = r.As<double>();
     }},
    {{.name = "telemetry.most_deviation_k",
      .type = OptionType::kNumber,
      .description = "Maximum deviation of an inlet sensor from the model, "
                     "in kelvins, relative to the median deviation in the "
                     "room. A sensor beyond it is reported as an outlier and "
                     "ignored.",
      .default_text = "6",
      .min = 0.1,
      .max = 100,
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.telemetry->most_deviation_k = r.As<double>();
     }},
    {{.name = "telemetry.bias_time_s",
      .type = OptionType::kNumber,
      .description = "Bias time constant, in seconds: time in which the "
                     "correction of the model reaches two thirds of a "
                     "constant difference to an inlet sensor. Choose it "
                     "longer than the room takes to settle.",
      .default_text = "600",
      .min = 1,
      .max = 86400,
      .reloadable = true},
     [](D& d, const Reading& r) { d.telemetry->bias_time_s = r.As<double>(); }},
    {{.name = "telemetry.power_settles_s",
      .type = OptionType::kNumber,
      .description = "Time after the start or end of a job on a node during "
                     "which its power readings are ignored, in seconds; at "
                     "least the averaging period of the exporter.",
      .default_text = "60",
      .min = 0,
      .max = 3600,
      .reloadable = true},
     [](D& d, const Reading& r) {
       d.telemetry->power_settles_s = r.As<double>();
     }},
};

}  // namespace

std::span<const Option<DaemonFile>> DaemonOptionTable() { return kTable; }

}  // namespace coolspan
