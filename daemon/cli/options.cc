// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "ordering/ordering.h"

namespace coolspan {
namespace {

// Text with commas wherever commas or white space separated something.
absl::StatusOr<std::string> ReadList(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(fmt::format("{}: cannot be read", path));
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto separates = [](char c) {
    return c == ',' || absl::ascii_isspace(static_cast<unsigned char>(c));
  };
  std::string list;
  int depth = 0;  // of brackets, whose commas belong to the hostlist
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (depth > 0 || !separates(c)) {
      list += c;
    } else if (!list.empty() && list.back() != ',') {
      list += ',';
    }
  }
  if (!list.empty() && list.back() == ',') list.pop_back();
  return list;
}

}  // namespace

CLI::Option* AddMachineOption(CLI::App& app, std::string& path) {
  return app.add_option("--machine", path, "machine file (YAML)")
      ->type_name("FILE")
      ->required();
}

CLI::Option* AddOrderingOption(CLI::App& app, std::string& spec) {
  std::string names;
  for (const OrderingEntry& entry : OrderingTable()) {
    const bool takes_path = entry.name.back() == ':';
    names += fmt::format("{}{}, ", entry.name, takes_path ? "PATH" : "");
  }
  return app
      .add_option(
          "--ordering", spec,
          fmt::format("order of the nodes: {}default hilbert on meshes", names))
      ->type_name("NAME");
}

CLI::Option* AddPolicyOption(CLI::App& app, std::string& name) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : PolicyTable()) names.push_back(entry.name);
  return app
      .add_option("--policy", name,
                  fmt::format("chooses the nodes: {}", fmt::join(names, ", ")))
      ->type_name("NAME")
      ->required();
}

CLI::Option* AddSpanOption(CLI::App& app, std::string& span) {
  return app
      .add_option("--span", span,
                  "span to keep small when no interval fits: ring (default) or "
                  "linear")
      ->type_name("KIND");
}

CLI::Option* AddEndpointOption(CLI::App& app, std::string& endpoints) {
  return app
      .add_option("--endpoint", endpoints,
                  "daemon: unix:///PATH or ipv4:HOST:PORT, several separated "
                  "by commas")
      ->type_name("ENDPOINT")
      ->required();
}

absl::StatusOr<SpanKind> ParseSpan(std::string_view span) {
  if (span.empty() || span == "ring") return SpanKind::kRing;
  if (span == "linear") return SpanKind::kLinear;
  return absl::InvalidArgumentError(
      fmt::format("--span: unknown span '{}'; ring or linear", span));
}

absl::StatusOr<NodeSet> ParseNodeList(const Machine& machine,
                                      std::string_view option,
                                      const std::string& list) {
  std::string text = list;
  std::string where(option);
  if (!list.empty() && list.front() == '@') {
    where = list.substr(1);
    absl::StatusOr<std::string> read = ReadList(where);
    if (!read.ok()) {
      return absl::NotFoundError(
          fmt::format("{}: {}", option, std::string(read.status().message())));
    }
    text = *std::move(read);
  }
  absl::StatusOr<NodeSet> nodes = machine.ParseNodes(text);
  if (!nodes.ok()) {
    return absl::Status(
        nodes.status().code(),
        fmt::format("{}: {}", where, std::string(nodes.status().message())));
  }
  return nodes;
}

}  // namespace coolspan
