// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/power_file.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

using Powers = std::vector<std::optional<double>>;

std::optional<double> Number(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The number of values of a line such as NODE,WATTS,WATTS; 0 for other lines,
// among them lists of ids and of names.
std::size_t ValuesOfOtherForm(std::string_view line) {
  if (line.find('[') != std::string_view::npos) return 0;
  std::size_t values = 0;
  std::size_t numbers = 0;
  while (true) {
    const std::size_t comma = line.find(',');
    if (Number(CsvField(line.substr(0, comma)))) {
      if (values == 0) return 0;
      ++numbers;
    }
    ++values;
    if (comma == std::string_view::npos) return numbers > 1 ? values : 0;
    line.remove_prefix(comma + 1);
  }
}

class PowerReader {
 public:
  PowerReader(DataLines lines, const Machine& machine)
      : lines_(std::move(lines)),
        machine_(machine),
        powers_(machine.node_count()) {}

  absl::StatusOr<Powers> Read() {
    for (bool first = true;; first = false) {
      const absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) return std::move(powers_);
      if (absl::Status status = AddLine(first); !status.ok()) return status;
    }
  }

 private:
  absl::Status AddLine(bool may_be_header);

  DataLines lines_;
  const Machine& machine_;
  Powers powers_;
};

absl::Status PowerReader::AddLine(bool may_be_header) {
  const std::string_view line = lines_.line();
  const std::size_t comma = line.rfind(',');
  if (comma == std::string_view::npos) {
    return lines_.Error({}, "no comma (expected NODE,WATTS)");
  }
  const std::string_view name = CsvField(line.substr(0, comma));
  const std::string_view watts = CsvField(line.substr(comma + 1));
  const auto nodes = machine_.ParseNodes(name);
  const std::optional<double> power = Number(watts);
  if (!nodes.ok() || nodes->Empty()) {
    if (may_be_header && !power.has_value()) return absl::OkStatus();
    if (const std::size_t values = ValuesOfOtherForm(line); values > 0) {
      return lines_.Error(
          {}, fmt::format("{} values (expected NODE,WATTS)", values));
    }
    return lines_.Error(
        name, nodes.ok() ? "no node before the comma (expected NODE,WATTS)"
                         : MessageOf(nodes.status()));
  }
  if (!power.has_value() || !(*power >= 0 && *power <= kMaxNodeWatts)) {
    return lines_.Error(
        watts, fmt::format("{} is not a power (expected watts from 0 to {:g})",
                           Quoted(watts), kMaxNodeWatts));
  }
  for (const NodeId node : nodes->Members()) {
    if (powers_[node].has_value()) {
      return lines_.Error(name, fmt::format("node {}: specified more than once",
                                            machine_.NodeName(node)));
    }
    powers_[node] = *power;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Powers> ReadPowerFile(const std::string& path,
                                     const Machine& machine) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  return PowerReader(*std::move(lines), machine).Read();
}

}  // namespace coolspan
