// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/node_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "core/hostlist.h"
#include "formats/file_error.h"
#include "formats/text_file.h"

namespace coolspan {
namespace {

struct Entry {
  std::string text;
  int line = 1;
  int column = 1;
};

// Splits at commas and white space, except at commas within brackets.
std::vector<Entry> Entries(std::string_view text) {
  std::vector<Entry> entries;
  Entry entry;
  int line = 1;
  int column = 0;
  int depth = 0;
  const auto end_entry = [&] {
    if (!entry.text.empty()) entries.push_back(std::move(entry));
    entry = {};
  };
  for (const char c : text) {
    ++column;
    const bool space = absl::ascii_isspace(static_cast<unsigned char>(c));
    if (space || (c == ',' && depth <= 0)) {
      end_entry();
      depth = 0;
    } else {
      if (entry.text.empty()) entry = {"", line, column};
      entry.text += c;
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
    if (c == '\n') {
      ++line;
      column = 0;
    }
  }
  end_entry();
  return entries;
}

bool IsId(const Entry& entry) {
  return std::all_of(entry.text.begin(), entry.text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

bool NamesNodes(const Machine& machine, const Entry& entry, bool ids) {
  if (ids) {
    NodeId id = 0;
    return absl::SimpleAtoi(entry.text, &id) && id < machine.node_count();
  }
  const auto find = [&machine](std::string_view name) {
    return machine.FindNode(name).has_value() ? absl::OkStatus()
                                              : absl::NotFoundError("");
  };
  return VisitHostlist(entry.text, kMaxHostlistNames, find).ok();
}

absl::StatusOr<NodeSet> ReadNodeList(const Machine& machine,
                                     const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  const std::vector<Entry> entries = Entries(*text);
  std::string list;
  for (const Entry& entry : entries) {
    if (!list.empty()) list += ',';
    list += entry.text;
  }
  absl::StatusOr<NodeSet> nodes = machine.ParseNodes(list);
  if (nodes.ok()) return nodes;
  // Find the first bad entry for the message.
  const bool ids = std::all_of(entries.begin(), entries.end(), IsId);
  for (const Entry& entry : entries) {
    if (NamesNodes(machine, entry, ids)) continue;
    const auto alone = machine.ParseNodes(entry.text);
    const bool mixed = alone.ok();  // an id among names
    const std::string why(alone.status().message());
    return ErrorAt(
        path, {entry.line, entry.column},
        mixed ? fmt::format(
                    "names and ids cannot be mixed: {} is an id (expected "
                    "names or ids)",
                    entry.text)
              : why);
  }
  const std::string why(nodes.status().message());
  return ErrorAt(path, {}, why);
}

}  // namespace

absl::StatusOr<NodeSet> ParseNodeList(const Machine& machine,
                                      std::string_view option,
                                      const std::string& list) {
  if (list == "@") {
    return absl::InvalidArgumentError(
        fmt::format("{}: no file name after '@' (expected @FILE)", option));
  }
  if (!list.empty() && list.front() == '@') {
    return ReadNodeList(machine, list.substr(1));
  }
  absl::StatusOr<NodeSet> nodes = machine.ParseNodes(list);
  if (!nodes.ok()) {
    const std::string why(nodes.status().message());
    return absl::InvalidArgumentError(fmt::format("{}: {}", option, why));
  }
  return nodes;
}

}  // namespace coolspan
