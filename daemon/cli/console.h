// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_CONSOLE_H_
#define COOLSPAN_CLI_CONSOLE_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace coolspan {

// Output streams of a subcommand and how it may use them.
struct Console {
  std::ostream& out;              // results only
  std::ostream& err;              // diagnostics and progress
  bool colour = false;            // out takes escape codes
  bool progress = false;          // err takes a status line
  unsigned columns = 80;          // width of out
  bool json = false;              // --json was given
  bool blocks = false;            // out shows Unicode block elements
  std::string command_line = {};  // as a shell would read it
};

// Writes a message as one line. Control characters, which may come from input
// files, become question marks.
inline void PrintMessage(std::ostream& err, std::string_view message) {
  for (const char c : message) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    err << (control ? '?' : c);
  }
  err << '\n';
}

// One line per warning, "warning: ...".
inline void PrintWarnings(std::ostream& err,
                          const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    PrintMessage(err, "warning: " + warning);
  }
}

// Exit codes (docs/man/coolspan.1).
enum class Exit {
  kSuccess = 0,
  kCannotBeMet = 1,  // a valid request that cannot be met
  kBadInput = 2,     // bad usage, file or value
  kUnreachable = 3,  // no daemon answered
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_CONSOLE_H_
