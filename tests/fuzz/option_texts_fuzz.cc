// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary text for the parsers of short texts: values of command-line
// options, job comments, columns of the state file. The first byte selects the
// parser.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands/load_sizes.h"
#include "cli/flags/node_list.h"
#include "cli/flags/shared_options.h"
#include "cli/flags/sweep.h"
#include "client/endpoints.h"
#include "config/placement_mode.h"
#include "formats/telemetry_file.h"
#include "fuzz/expect.h"
#include "replay/estimates.h"
#include "service/codec/job_comment.h"
#include "state/units_text.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

// A value, or a message. The console makes it one line (cli/console.h).
template <typename Value>
void ExpectValueOrError(const absl::StatusOr<Value>& value) {
  Expect(value.ok() || !value.status().message().empty());
}

void CheckEndpoints(std::string_view text) {
  const auto endpoints = ParseEndpoints(std::string(text));
  // A line of slurmctld's log.
  if (!endpoints.ok()) return ExpectOneLine(endpoints.status(), "endpoint '");
  Expect(!endpoints->empty());
  for (const Endpoint& endpoint : *endpoints) Expect(!endpoint.target.empty());
}

void CheckSeeds(std::string_view text) {
  const auto seeds = ParseSeeds(text);
  ExpectValueOrError(seeds);
  if (seeds.ok()) Expect(!seeds->empty() && seeds->size() <= 10'000);
}

void CheckSpan(std::string_view text) { ExpectValueOrError(ParseSpan(text)); }

void CheckNodeList(std::string_view text) {
  static const auto machine = LineMachine(12);
  // Files have fuzzers of their own.
  if (text.starts_with('@')) return;
  ExpectValueOrError(ParseNodeList(*machine, "--busy", std::string(text)));
}

void CheckEstimateRule(std::string_view text) {
  ExpectValueOrError(ReadEstimateRule(text));
}

void CheckSweep(std::string_view text) {
  ExpectValueOrError(SweepPolicies({"bqp"}, {std::string(text)}));
  const auto range = ParseNumberOrRange(text);
  Expect(!range || (range->count >= 1 && range->count <= kMaxSweepCount));
}

void CheckLoadSizes(std::string_view text) {
  const auto sizes = LoadSizes::Parse(text, 100);
  ExpectValueOrError(sizes);
  if (!sizes.ok()) return;
  std::mt19937_64 random(1);
  const NodeCount drawn = sizes->Draw(random);
  Expect(drawn >= 1 && drawn <= 100);
}

void CheckTelemetryColumns(std::string_view text) {
  ExpectValueOrError(TelemetryColumns::Parse(text));
}

void CheckUnits(std::string_view text) {
  const auto units = ParseUnits(text);
  if (units.has_value()) Expect(ParseUnits(FormatUnits(*units)) == units);
}

void CheckPlacementMode(std::string_view text) {
  const auto mode = ParsePlacementMode(text);
  if (mode.has_value()) Expect(NameOf(*mode) == text);
}

void CheckJobComment(std::string_view text) {
  const auto share = JobComment::Read(text).CommunicationShare();
  Expect(!share.has_value() || (*share >= 0 && *share <= 1));
}

constexpr void (*kChecks[])(std::string_view) = {
    CheckEndpoints,    CheckSeeds,
    CheckSpan,         CheckNodeList,
    CheckEstimateRule, CheckSweep,
    CheckLoadSizes,    CheckTelemetryColumns,
    CheckUnits,        CheckPlacementMode,
    CheckJobComment};

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1,
                              size - 1);
  coolspan::kChecks[bytes[0] % std::size(coolspan::kChecks)](text);
  return 0;
}
