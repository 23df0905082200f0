// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_DOCUMENTS_OPTION_VALUES_H_
#define COOLSPAN_DOCUMENTS_OPTION_VALUES_H_

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace coolspan {

// What a shell offers for the value of an option or a positional argument.
struct OptionValues {
  std::vector<std::string> words;  // in the order of their table
  bool takes_files = false;
  bool takes_folders = false;
  bool is_list = false;  // values separated by commas
};

// The words of policies, orderings, schedulers and so on come from their
// tables.
OptionValues ValuesOf(const CLI::App& subcommand, const CLI::Option& option);

}  // namespace coolspan

#endif  // COOLSPAN_DOCUMENTS_OPTION_VALUES_H_
