// SPDX-License-Identifier: GPL-3.0-or-later
#include "documents/man_pages.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <vector>

namespace coolspan {
namespace {

using Lines = std::vector<std::string_view>;

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '-') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string UpperCase(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

Lines SplitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// The lines after ".SS name", up to the next section.
Lines Section(std::string_view page, std::string_view name) {
  Lines lines;
  bool inside = false;
  for (const std::string_view line : SplitLines(page)) {
    const bool begins = line.starts_with(".SS ") || line.starts_with(".SH ");
    if (begins) {
      inside = line == fmt::format(".SS {}", name);
    } else if (inside) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string Joined(Lines::const_iterator first, Lines::const_iterator last) {
  std::string text;
  for (auto line = first; line != last; ++line) {
    text += *line;
    text += '\n';
  }
  return text;
}

struct Parts {
  std::string synopsis;
  std::string description;
  std::string options;
};

// The synopses are the first paragraphs, which begin with the command; the
// options begin with the first ".TP".
Parts Split(const Lines& lines, std::string_view name) {
  const std::string command = ".B coolspan " + Escaped(name);
  auto at = lines.begin();
  Parts parts;
  while (at != lines.end() && at->starts_with(command)) {
    const auto end = std::find(at, lines.end(), ".PP");
    parts.synopsis += (parts.synopsis.empty() ? "" : ".br\n") + Joined(at, end);
    at = end == lines.end() ? end : end + 1;
  }
  if (parts.synopsis.empty()) parts.synopsis = command + "\n.RI [ OPTIONS ]\n";
  const auto options = std::find(at, lines.end(), ".TP");
  parts.description = Joined(at, options);
  parts.options = Joined(options, lines.end());
  return parts;
}

std::string TlsOptions(std::string_view page) {
  const Lines lines = Section(page, "Endpoints");
  return Joined(std::find(lines.begin(), lines.end(), ".TP"), lines.end());
}

std::string Title(std::string_view page) {
  for (const std::string_view line : SplitLines(page)) {
    if (line.starts_with(".TH COOLSPAN "))
      return std::string(line.substr(std::string_view(".TH COOLSPAN ").size()));
  }
  return "1";
}

}  // namespace

absl::StatusOr<std::string> SubcommandPage(const CLI::App& subcommand,
                                           std::string_view page) {
  const std::string& name = subcommand.get_name();
  const Lines lines = Section(page, Escaped(name));
  if (lines.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("coolspan.1 has no section {}", name));
  }
  Parts parts = Split(lines, name);
  if (subcommand.get_option_no_throw("--tls-cert") != nullptr) {
    parts.options += TlsOptions(page);
  }
  for (const CLI::Option* const option : subcommand.get_options()) {
    const std::string option_name = option->get_name();
    if (option->get_positional() || option_name == "--help" ||
        option_name == "--json" ||
        parts.options.find(Escaped(option_name)) != std::string::npos) {
      continue;
    }
    return absl::InvalidArgumentError(
        fmt::format("coolspan.1: section {} lacks {}", name, option_name));
  }
  return fmt::format(
      ".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
      ".\\\" Made from coolspan.1 and the table of subcommands.\n"
      ".TH COOLSPAN\\-{} {}\n"
      ".SH NAME\n"
      "coolspan\\-{} \\- {}\n"
      ".SH SYNOPSIS\n"
      "{}"
      ".SH DESCRIPTION\n"
      "{}"
      ".SH OPTIONS\n"
      "{}"
      ".TP\n"
      ".B \\-\\-json\n"
      "Print the result as one JSON object on one line.\n"
      ".TP\n"
      ".BR \\-h \", \" \\-\\-help\n"
      "Print the options and exit.\n"
      ".SH SEE ALSO\n"
      ".BR coolspan (1)\n"
      "for lists of nodes, endpoints, exit status and environment,\n"
      ".BR coolspan\\-machine (5),\n"
      ".BR coolspand (8)\n",
      UpperCase(Escaped(name)), Title(page), Escaped(name),
      Escaped(subcommand.get_description()), parts.synopsis, parts.description,
      parts.options);
}

}  // namespace coolspan
