// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_CONSOLE_H_
#define COOLSPAN_CLI_CONSOLE_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace coolspan {

// Where results and diagnostics go, and what they may look like.
struct Console {
  std::ostream& out;      // results only
  std::ostream& err;      // diagnostics and progress
  bool colour = false;    // escape codes are welcome on out
  bool progress = false;  // a progress bar is welcome on err
  unsigned columns = 80;  // width of out
  bool json = false;      // --json was given
};

// Writes a message as one line: control characters, which may come from what
// was read, become question marks.
inline void PrintMessage(std::ostream& err, std::string_view message) {
  for (const char c : message) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    err << (control ? '?' : c);
  }
  err << '\n';
}

// Each as "warning: ...", in a line of its own.
inline void PrintWarnings(std::ostream& err,
                          const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    PrintMessage(err, "warning: " + warning);
  }
}

// What the program tells its caller (docs/man/coolspan.1).
enum class Exit {
  kSuccess = 0,
  kCannotBeMet = 1,  // the question was fine, the answer is no
  kBadInput = 2,     // usage, files, values
  kUnreachable = 3,  // no daemon answered
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_CONSOLE_H_
