// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry/prometheus_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool StartsName(char c) { return absl::ascii_isalpha(c) || c == '_'; }

template <typename Number>
bool ReadNumber(std::string_view text, Number& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

// A timestamp in milliseconds, or in seconds as in OpenMetrics: below 1e11 it
// must be seconds, since 1e11 ms is in 1973.
std::optional<std::int64_t> ReadTime(std::string_view text) {
  constexpr double kMinMs = 1e11;
  constexpr double kMaxMs = 1e15;
  constexpr double kMsPerS = 1e3;
  double time = 0;
  if (!ReadNumber(text, time)) return std::nullopt;
  if (time < kMinMs) time *= kMsPerS;
  if (!(time >= 0 && time <= kMaxMs)) return std::nullopt;
  return std::llround(time);
}

// Reads one line.
class SampleReader {
 public:
  SampleReader(std::string_view line, std::size_t number)
      : line_(line), number_(number) {}

  // nullopt for a comment or an empty line.
  absl::StatusOr<std::optional<PrometheusSample>> Read() {
    SkipBlanks();
    if (AtEnd() || line_[at_] == '#') return std::nullopt;
    PrometheusSample sample;
    sample.name = TakeName(true);
    if (sample.name.empty()) return Error("missing metric name");
    SkipBlanks();
    if (!AtEnd() && line_[at_] == '{') {
      if (absl::Status status = TakeLabels(sample); !status.ok()) {
        return status;
      }
      SkipBlanks();
    }
    const std::string_view value = TakeWord();
    if (!ReadNumber(value, sample.value)) {
      at_ -= value.size();
      return Error("missing or invalid number");
    }
    SkipBlanks();
    sample.time_ms = ReadTime(TakeWord());
    return sample;
  }

 private:
  bool AtEnd() const { return at_ >= line_.size(); }
  void SkipBlanks() {
    while (!AtEnd() && IsBlank(line_[at_])) ++at_;
  }
  std::string TakeName(bool with_colons) {
    const std::size_t from = at_;
    while (!AtEnd() &&
           (StartsName(line_[at_]) || (with_colons && line_[at_] == ':') ||
            (at_ > from && absl::ascii_isdigit(line_[at_])))) {
      ++at_;
    }
    return std::string(line_.substr(from, at_ - from));
  }
  std::string_view TakeWord() {
    const std::size_t from = at_;
    while (!AtEnd() && !IsBlank(line_[at_])) ++at_;
    return line_.substr(from, at_ - from);
  }
  bool Take(char c) {
    if (AtEnd() || line_[at_] != c) return false;
    ++at_;
    return true;
  }

  absl::Status TakeLabels(PrometheusSample& sample) {
    ++at_;
    while (true) {
      SkipBlanks();
      if (Take('}')) return absl::OkStatus();
      std::string name = TakeName(false);
      if (name.empty()) return Error("missing label name");
      SkipBlanks();
      if (!Take('=')) return Error("missing '=' after a label name");
      SkipBlanks();
      auto value = TakeQuoted();
      if (!value.ok()) return value.status();
      sample.labels.emplace_back(std::move(name), *std::move(value));
      SkipBlanks();
      if (Take(',')) continue;
      if (!AtEnd() && line_[at_] == '}') continue;
      return Error("missing ',' or '}' after a label");
    }
  }

  absl::StatusOr<std::string> TakeQuoted() {
    if (!Take('"')) return Error("missing '\"' before a label value");
    std::string value;
    while (!AtEnd()) {
      const char c = line_[at_++];
      if (c == '"') return value;
      if (c != '\\') {
        value += c;
        continue;
      }
      if (AtEnd()) break;
      const char escaped = line_[at_++];
      value += escaped == 'n' ? '\n' : escaped;
    }
    return Error("unclosed '\"'");
  }

  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}: {} (expected name{{label=\"value\"}} number)",
                    number_, at_ + 1, what));
  }

  std::string_view line_;
  std::size_t number_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view PrometheusSample::Label(std::string_view label) const {
  for (const auto& [key, text] : labels) {
    if (key == label) return text;
  }
  return {};
}

absl::StatusOr<std::vector<PrometheusSample>> ParsePrometheusText(
    std::string_view page) {
  std::vector<PrometheusSample> samples;
  for (std::size_t number = 1; !page.empty(); ++number) {
    const std::size_t end = page.find('\n');
    std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto sample = SampleReader(line, number).Read();
    if (!sample.ok()) return sample.status();
    if (sample->has_value()) samples.push_back(**std::move(sample));
  }
  return samples;
}

}  // namespace coolspan
