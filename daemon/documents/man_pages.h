// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_DOCUMENTS_MAN_PAGES_H_
#define COOLSPAN_DOCUMENTS_MAN_PAGES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// The manual page coolspan-NAME(1) of a subcommand: its section of coolspan(1),
// whose text is page, with the help text of the table, and the options that all
// subcommands with --endpoint have. Error: INVALID_ARGUMENT if the section or
// one of its options is not in the page.
absl::StatusOr<std::string> SubcommandPage(const CLI::App& subcommand,
                                           std::string_view page);

}  // namespace coolspan

#endif  // COOLSPAN_DOCUMENTS_MAN_PAGES_H_
