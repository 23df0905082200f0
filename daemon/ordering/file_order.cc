// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ordering/curves.h"

namespace coolspan {
namespace {

struct Entry {
  std::string text;
  std::uint32_t line;
  std::uint32_t column;
};

class OrderFile {
 public:
  OrderFile(const Machine& machine, std::string path)
      : machine_(machine), path_(std::move(path)) {}

  absl::StatusOr<std::vector<NodeId>> Nodes();

 private:
  // Longer than any host name; bounds the memory that a file can take.
  static constexpr std::size_t kMaxEntryBytes = 255;

  absl::Status ReadEntries();
  absl::Status AddByte(char byte);
  absl::StatusOr<NodeId> NodeOf(const Entry& entry, bool ids) const;
  absl::Status Error(const Entry& at, const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", at.line, ":", at.column, ": ", what));
  }

  const Machine& machine_;
  std::string path_;
  std::vector<Entry> entries_;
  Entry current_;  // being read; text is empty between entries
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 0;
};

absl::Status OrderFile::ReadEntries() {
  std::ifstream in(path_, std::ios::binary);
  std::array<char, 4096> block;
  do {
    in.read(block.data(), block.size());
    for (std::streamsize i = 0; i < in.gcount(); ++i) {
      if (absl::Status status = AddByte(block[i]); !status.ok()) return status;
    }
  } while (in);
  if (in.eof()) return AddByte('\n');
  return absl::NotFoundError(
      absl::StrCat(path_, ": cannot be read (expected an ordering file)"));
}

absl::Status OrderFile::AddByte(char byte) {
  ++column_;
  if (byte != ',' && !absl::ascii_isspace(static_cast<unsigned char>(byte))) {
    if (current_.text.empty()) current_ = {"", line_, column_};
    if (current_.text.size() == kMaxEntryBytes) {
      return Error(current_, absl::StrCat("entry of more than ", kMaxEntryBytes,
                                          " bytes (expected a node)"));
    }
    current_.text.push_back(byte);
  } else if (!current_.text.empty()) {
    if (entries_.size() == machine_.node_count()) {
      return Error(current_, absl::StrCat("more entries than the machine's ",
                                          machine_.node_count(), " nodes"));
    }
    entries_.push_back(current_);
    current_.text.clear();
  }
  if (byte == '\n') {
    ++line_;
    column_ = 0;
  }
  return absl::OkStatus();
}

absl::StatusOr<NodeId> OrderFile::NodeOf(const Entry& entry, bool ids) const {
  if (!ids) {
    const std::optional<NodeId> node = machine_.FindNode(entry.text);
    if (node.has_value()) return *node;
    return Error(entry, absl::StrCat("no node is named \"",
                                     absl::CHexEscape(entry.text), "\""));
  }
  NodeId node = 0;
  if (!absl::SimpleAtoi(entry.text, &node) || node >= machine_.node_count()) {
    return Error(entry,
                 absl::StrCat("no node has id ", entry.text, " (expected 0 to ",
                              machine_.node_count() - 1, ")"));
  }
  return node;
}

absl::StatusOr<std::vector<NodeId>> OrderFile::Nodes() {
  if (absl::Status status = ReadEntries(); !status.ok()) return status;
  const bool ids =
      std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
        return std::all_of(
            entry.text.begin(), entry.text.end(),
            [](unsigned char c) { return absl::ascii_isdigit(c); });
      });
  constexpr std::size_t kAbsent = SIZE_MAX;
  std::vector<std::size_t> place(machine_.node_count(), kAbsent);
  std::vector<NodeId> nodes;
  nodes.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    const absl::StatusOr<NodeId> node = NodeOf(entry, ids);
    if (!node.ok()) return node.status();
    if (place[*node] != kAbsent) {
      return Error(entry,
                   absl::StrCat("node ", entry.text,
                                " is specified more than once (first on line ",
                                entries_[place[*node]].line, ")"));
    }
    place[*node] = nodes.size();
    nodes.push_back(*node);
  }
  const auto absent = std::find(place.begin(), place.end(), kAbsent);
  if (absent != place.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path_, ": node ",
        machine_.NodeName(static_cast<NodeId>(absent - place.begin())),
        " is missing (expected all ", machine_.node_count(), " nodes)"));
  }
  return nodes;
}

}  // namespace

absl::StatusOr<OrderedNodes> FileNodes(const Machine& machine,
                                       std::string_view path) {
  if (path.empty()) {
    return absl::InvalidArgumentError(
        "ordering file: missing path (expected file:PATH)");
  }
  return OrderFile(machine, std::string(path)).Nodes();
}

}  // namespace coolspan
