// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/trace_reader.h"

#include <fmt/format.h>

#include <utility>

#include "formats/line_reader.h"
#include "replay/input/sacct_fields.h"
#include "replay/input/sacct_reader.h"
#include "replay/input/swf_reader.h"

namespace coolspan {
namespace {

// The header of sacct without --parsable2, which separates columns by spaces
// and cuts long values off.
bool IsTableHeader(std::string_view line) {
  return EqualsInAnyCase(line.substr(0, line.find_first_of(" \t")), "JobID");
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceReader>> OpenTrace(
    const std::string& path) {
  absl::StatusOr<LineReader> lines = LineReader::Open(path);
  if (!lines.ok()) return lines.status();
  for (;;) {
    const absl::StatusOr<bool> more = lines->Next();
    if (!more.ok()) return more.status();
    if (!*more) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no jobs (expected a log in the Standard Workload "
                      "Format, or the output of sacct --parsable2)",
                      path));
    }
    const std::string_view line = Trimmed(lines->line());
    if (line.empty() || line.front() == ';') continue;
    if (IsTableHeader(line) && line.find('|') == std::string_view::npos) {
      return absl::InvalidArgumentError(
          lines->At("no '|' between the columns (expected the output of sacct "
                    "--parsable2)"));
    }
    if (line.find('|') == std::string_view::npos) {
      return std::make_unique<SwfReader>(*std::move(lines), true);
    }
    absl::StatusOr<SacctReader> reader =
        SacctReader::AfterHeader(*std::move(lines));
    if (!reader.ok()) return reader.status();
    return std::make_unique<SacctReader>(*std::move(reader));
  }
}

}  // namespace coolspan
