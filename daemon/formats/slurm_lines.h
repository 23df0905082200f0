// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_LINES_H_
#define COOLSPAN_FORMATS_SLURM_LINES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {

// One KEY=VALUE of a Slurm configuration line.
struct SlurmSetting {
  std::string key;          // in lower case
  std::string written_key;  // as in the file
  std::string value;
  Place key_place;
  Place value_place;
};

// Reads a Slurm configuration file line by line: KEY=VALUE pairs, optional
// blanks around the = and double quotes around the value, # comments, a
// backslash at the end of a line to continue it.
class SlurmLines {
 public:
  // Errors: as LineReader::Open.
  static absl::StatusOr<SlurmLines> Open(const std::string& path);

  // The settings of the next line that has any; empty at the end.
  // Errors: as LineReader::Next; INVALID_ARGUMENT for anything that is not a
  // setting and for a continued line of more than DataLines::kMaxLineBytes.
  absl::StatusOr<std::vector<SlurmSetting>> Next();

 private:
  SlurmLines(std::string path, LineReader lines)
      : path_(std::move(path)), lines_(std::move(lines)) {}

  absl::StatusOr<bool> JoinNext();
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

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_LINES_H_
