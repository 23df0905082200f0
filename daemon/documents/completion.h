// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_DOCUMENTS_COMPLETION_H_
#define COOLSPAN_DOCUMENTS_COMPLETION_H_

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// Completion of coolspan, from its command line with all subcommands: a file
// for /usr/share/bash-completion/completions, which needs no function of the
// package bash-completion, and one for a folder of zsh's fpath.
std::string BashCompletion(const CLI::App& app);
std::string ZshCompletion(const CLI::App& app);

}  // namespace coolspan

#endif  // COOLSPAN_DOCUMENTS_COMPLETION_H_
