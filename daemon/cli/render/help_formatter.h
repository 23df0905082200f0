// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_HELP_FORMATTER_H_
#define COOLSPAN_CLI_RENDER_HELP_FORMATTER_H_

#include <CLI/CLI.hpp>
#include <string>

namespace coolspan {

// Help texts of at most 80 columns: descriptions are wrapped, and followed by
// the default value of the option, where it has one.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_subcommand(const CLI::App* subcommand) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_HELP_FORMATTER_H_
