// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "cli/console.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "core/counted.h"
#include "formats/file_error.h"
#include "state/state_export.h"
#include "state/state_import.h"

namespace coolspan {
namespace {

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

absl::Status ExportFileError(const std::string& path) {
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written ({}){}", path,
                  std::generic_category().message(errno),
                  errno == EEXIST ? "; --overwrite replaces it" : ""));
}

// User and group alone may read the names of jobs and users in it.
absl::Status MakeFile(const StateOptions& options) {
  const int exclusive = options.may_overwrite ? O_TRUNC : O_EXCL;
  const int file = open(options.file.c_str(),
                        O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, 0640);
  if (file < 0) return ExportFileError(options.file);
  close(file);
  return absl::OkStatus();
}

absl::StatusOr<StateRows> Export(const StateOptions& options,
                                 const Console& console) {
  if (options.file == "-") {
    return ExportState(options.ledger, ArchiveOf(options), console.out);
  }
  if (absl::Status status = MakeFile(options); !status.ok()) return status;
  std::ofstream out(options.file, std::ios::binary | std::ios::trunc);
  auto rows = ExportState(options.ledger, ArchiveOf(options), out);
  out.close();
  if (rows.ok() && out.fail()) return ExportFileError(options.file);
  // A part of a state must not be taken for one.
  if (!rows.ok()) unlink(options.file.c_str());
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
  if (is_export && options.file == "-") return Exit::kSuccess;
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
