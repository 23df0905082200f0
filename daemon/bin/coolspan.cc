// SPDX-License-Identifier: GPL-3.0-or-later
#include <langinfo.h>
#include <locale.h>  // NOLINT(*-deprecated-headers): newlocale is of POSIX
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include "absl/synchronization/mutex.h"
#include "cli/command_line.h"
#include "cli/render/printable_stream.h"

namespace {

// NO_COLOR counts if set and not empty (https://no-color.org).
bool ColourDisabled() {
  // Called before other threads start.
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-*)
  const char* term = std::getenv("TERM");          // NOLINT(concurrency-*)
  return (no_color != nullptr && *no_color != '\0') ||
         (term != nullptr && std::string_view(term) == "dumb");
}

unsigned TerminalColumns() {
  constexpr unsigned kDefaultColumns = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return kDefaultColumns;
}

// Whether the terminal takes UTF-8, by LC_ALL, LC_CTYPE or LANG.
bool TakesUtf8() {
  const locale_t named = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (named == nullptr) return false;
  const std::string_view charset = nl_langinfo_l(CODESET, named);
  const bool utf8 = charset == "UTF-8";
  freelocale(named);
  return utf8;
}

}  // namespace

int main(int argc, char** argv) {
  // Debian's build checks the order of locks, which takes 4 % of the time of a
  // call.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  using coolspan::Exit;
  // A progress bar returns to the beginning of its line.
  coolspan::PrintableStream out(std::cout, "");
  coolspan::PrintableStream err(std::cerr, "\r");
  err << std::unitbuf;
  const coolspan::Console console{
      .out = out,
      .err = err,
      .colour = isatty(STDOUT_FILENO) == 1 && !ColourDisabled(),
      .progress = isatty(STDERR_FILENO) == 1,
      .columns = TerminalColumns(),
      .blocks = isatty(STDOUT_FILENO) == 1 && TakesUtf8()};
  // Our messages report failures. Called before other threads start.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);  // NOLINT(concurrency-*)
  try {
    Exit code = coolspan::CommandLine().Run(argc, argv, console);
    if (!out.flush()) {
      std::cerr << "coolspan: cannot write the results to standard output\n";
      code = Exit::kBadInput;
    }
    return static_cast<int>(code);
  } catch (const std::exception& failure) {
    std::cerr << "coolspan: " << failure.what() << "\n";
    return static_cast<int>(Exit::kBadInput);
  }
}
