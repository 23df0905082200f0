// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_LINES_H_
#define COOLSPAN_FORMATS_SLURM_LINES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {

// One KEY=VALUE of a Slurm configuration line, or the line "Include FILE".
struct SlurmSetting {
  std::string key;          // in lower case
  std::string written_key;  // as in the file
  std::string value;
  Place key_place;
  Place value_place;
  bool is_include = false;  // the only setting of its line
};

using SlurmLine = std::vector<SlurmSetting>;

// Reads a Slurm configuration file line by line: KEY=VALUE pairs, optional
// blanks around the = and double quotes around the value, # comments (\# starts
// none), a backslash at the end of a line to continue it. An operator of Slurm
// before the =, as in +=, is ignored. Does not open included files.
class SlurmLines {
 public:
  // Errors: as LineReader::Open.
  static absl::StatusOr<SlurmLines> Open(const std::string& path);

  // The settings of the next line that has any; empty at the end.
  // Errors: as LineReader::Next; INVALID_ARGUMENT for anything that is not a
  // setting and for a continued line of more than DataLines::kMaxLineBytes.
  absl::StatusOr<SlurmLine> Next();

 private:
  SlurmLines(std::string path, LineReader lines)
      : path_(std::move(path)), lines_(std::move(lines)) {}

  absl::StatusOr<bool> JoinNext();
  // The setting at an offset of line_, which moves past it.
  absl::StatusOr<SlurmSetting> SettingAt(std::size_t& at) const;
  // The line if it is an Include.
  std::optional<SlurmSetting> IncludeAt(std::size_t& at) const;
  absl::Status NotASetting(std::size_t at) const;
  Place PlaceAt(std::size_t offset) const;

  struct Piece {
    std::size_t offset;  // of its start in line_
    int line_number;
  };

  std::string path_;
  LineReader lines_;
  std::string line_;  // with its continuations, without comments
  std::vector<Piece> pieces_;
};

// All lines of the file that have settings. Errors: as SlurmLines.
absl::StatusOr<std::vector<SlurmLine>> ReadSlurmLines(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_LINES_H_
