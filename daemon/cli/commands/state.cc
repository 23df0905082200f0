// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "core/counted.h"
#include "formats/file_error.h"
#include "replay/output/replaced_file.h"
#include "state/sqlite_file.h"
#include "state/state_export.h"
#include "state/state_import.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

struct StateOptions {
  std::string action;
  std::string file;
  std::string ledger = "/var/lib/coolspan/state.db";
  std::string archive;  // empty: ledger with "-archive"
  bool without_history = false;
  bool may_overwrite = false;
};

std::string ArchiveOf(const StateOptions& options) {
  if (options.without_history) return "";
  return options.archive.empty() ? options.ledger + "-archive"
                                 : options.archive;
}

// Error: the export would replace a file that it must not.
absl::Status CheckTarget(const StateOptions& options) {
  std::error_code error;
  for (const std::string& state : {options.ledger, ArchiveOf(options)}) {
    std::vector<std::string> parts = {LockPath(state)};
    for (const char* const suffix : kSqliteSuffixes) {
      parts.push_back(state + suffix);
    }
    for (const std::string& part : parts) {
      // The part may not exist at the moment.
      const bool is_part = ResolvedPath(options.file) == ResolvedPath(part) ||
                           fs::equivalent(options.file, part, error);
      if (!is_part) continue;
      return absl::InvalidArgumentError(fmt::format(
          "{}: is a part of the state (expected another file)", options.file));
    }
  }
  if (options.may_overwrite || !fs::is_regular_file(options.file, error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: exists (expected a new file; --overwrite replaces it)",
                  options.file));
}

absl::StatusOr<StateRows> Export(const StateOptions& options,
                                 const Console& console) {
  if (options.file == kStandardOutput) {
    return ExportState(options.ledger, ArchiveOf(options),
                       [&console](const std::string& line) {
                         console.out << line;
                         return console.out.good()
                                    ? absl::OkStatus()
                                    : absl::UnavailableError(
                                          "the export could not be written");
                       });
  }
  if (absl::Status status = CheckTarget(options); !status.ok()) return status;
  // User and group alone may read the names of jobs and users in it.
  umask(umask(S_IRWXO) | S_IRWXO);
  auto file = ReplacedFile::Create(options.file);
  if (!file.ok()) return file.status();
  auto rows = ExportState(
      options.ledger, ArchiveOf(options),
      [&file](const std::string& line) { return (*file)->Write(line); });
  if (!rows.ok()) return rows;
  if (absl::Status status = (*file)->Finish(); !status.ok()) return status;
  return rows;
}

absl::StatusOr<StateRows> Import(const StateOptions& options) {
  std::ifstream in(options.file, std::ios::binary);
  if (!in) {
    return absl::InvalidArgumentError(
        fmt::format("{}: cannot be read ({})", options.file,
                    std::generic_category().message(errno)));
  }
  return ImportState(
      in, options.file,
      {options.ledger, ArchiveOf(options), options.may_overwrite});
}

absl::StatusOr<Exit> State(const StateOptions& options,
                           const Console& console) {
  const bool is_export = options.action == "export";
  if (!is_export && options.action != "import") {
    return absl::InvalidArgumentError(
        fmt::format("coolspan state: ACTION: {} is not valid (expected export "
                    "or import)",
                    Quoted(options.action)));
  }
  const auto rows = is_export ? Export(options, console) : Import(options);
  if (absl::IsFailedPrecondition(rows.status()) ||
      absl::IsAlreadyExists(rows.status()) ||
      absl::IsUnavailable(rows.status())) {
    PrintMessage(console.err, std::string(rows.status().message()));
    return Exit::kCannotBeMet;
  }
  if (!rows.ok()) return rows.status();
  if (is_export && options.file == kStandardOutput) return Exit::kSuccess;
  Json counts = Json::object();
  std::string text;
  for (const auto& [table, count] : *rows) {
    counts[table] = count;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, table);
  }
  if (console.json) {
    PrintJsonLine(Json{{"file", options.file}, {"rows", std::move(counts)}},
                  console.out);
  } else {
    console.out << fmt::format("{}: {} {}\n", options.file,
                               is_export ? "exported" : "imported",
                               text.empty() ? "nothing" : text);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpState(CLI::App& app) {
  auto options = std::make_shared<StateOptions>();
  app.add_option("ACTION", options->action, "export or import")->required();
  app.add_option("FILE", options->file,
                 "the export, JSON Lines; - writes it to standard output")
      ->required();
  app.add_option("--state", options->ledger,
                 "state.sqlite of the daemon file (default: "
                 "/var/lib/coolspan/state.db)")
      ->type_name("FILE");
  app.add_option("--archive", options->archive,
                 "state.archive of the daemon file (default: that of --state "
                 "with \"-archive\" appended)")
      ->type_name("FILE");
  app.add_flag("--without-history", options->without_history,
               "without decisions and job starts");
  app.add_flag("--overwrite", options->may_overwrite,
               "replace existing files; import renames them");
  return [options](const Console& console) { return State(*options, console); };
}

}  // namespace coolspan
