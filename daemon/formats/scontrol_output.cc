// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/scontrol_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "core/hostlist.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

// Removes the first line, which it returns.
std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::string_view Trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// The value of the first field with this name; values with blanks, such as that
// of OS, hide only fields after the ones that are read.
std::optional<std::string_view> Field(std::string_view line,
                                      std::string_view name) {
  for (std::string_view rest = line; !(rest = Trim(rest)).empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    rest.remove_prefix(word.size());
    if (word.size() > name.size() && word[name.size()] == '=' &&
        word.starts_with(name)) {
      return word.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

absl::StatusOr<SlurmNode> ParseNode(std::string_view line) {
  const auto name = Field(line, "NodeName");
  const auto cpus = Field(line, "CPUTot");
  const auto number = ParseNumber(cpus.value_or(""));
  if (!name.has_value() || !number.has_value()) {
    return absl::InvalidArgumentError(
        fmt::format("scontrol: {} is not a node (expected NodeName=NAME ... "
                    "CPUTot=NUMBER ...)",
                    Quoted(line)));
  }
  const auto names = ExpandHostlist(*name, 1);
  if (!names.ok() || names->size() != 1) {
    return absl::InvalidArgumentError(
        fmt::format("scontrol: NodeName={} is not a name", Printable(*name)));
  }
  const std::string_view features =
      Field(line, "AvailableFeatures").value_or("");
  return SlurmNode{
      .name = names->front(),
      .cpus = *number,
      .features = features == "(null)" ? "" : std::string(features)};
}

}  // namespace

absl::StatusOr<std::vector<SlurmNode>> ParseScontrolNodes(
    std::string_view output) {
  std::vector<SlurmNode> nodes;
  while (!output.empty()) {
    const std::string_view line = TakeLine(output);
    if (Trim(line).empty()) continue;
    auto node = ParseNode(line);
    if (!node.ok()) return node.status();
    nodes.push_back(*std::move(node));
  }
  if (nodes.empty()) {
    return absl::InvalidArgumentError(
        "scontrol: no nodes (expected lines NodeName=NAME ...)");
  }
  return nodes;
}

std::map<std::string, std::string, std::less<>> ParseScontrolConfig(
    std::string_view output) {
  std::map<std::string, std::string, std::less<>> settings;
  while (!output.empty()) {
    const std::string_view line = TakeLine(output);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key(Trim(line.substr(0, equals)));
    settings.try_emplace(absl::AsciiStrToLower(key),
                         Trim(line.substr(equals + 1)));
  }
  return settings;
}

}  // namespace coolspan
