// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_file.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "config/daemon_http.h"
#include "config/daemon_telemetry.h"
#include "config/options/option_reader.h"
#include "config/options/relative_path.h"
#include "config/rule_entries.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr std::string_view kEndpoints = "unix:///PATH or ipv4:HOST:PORT";

std::string SocketPathProblem(std::string_view path) {
  if (path.empty() || path.front() != '/') {
    return fmt::format("{} is not an absolute path (expected {})", Quoted(path),
                       kEndpoints);
  }
  if (std::any_of(path.begin(), path.end(), absl::ascii_isspace)) {
    return fmt::format("socket path {} has a blank (expected {})", Quoted(path),
                       kEndpoints);
  }
  if (path.find(',') != std::string_view::npos) {
    return fmt::format("socket path {} has a comma (expected a list: [{}])",
                       Quoted(path), kEndpoints);
  }
  constexpr std::size_t kMaxBytes = sizeof(sockaddr_un{}.sun_path) - 1;
  if (path.size() <= kMaxBytes) return "";
  return fmt::format("socket path {} has {} bytes (expected at most {})",
                     Quoted(path), path.size(), kMaxBytes);
}

std::string HostPortProblem(std::string_view host_port) {
  const std::size_t colon = host_port.rfind(':');
  if (colon == std::string_view::npos) {
    return fmt::format("{}: the port is missing (expected {})",
                       Quoted(host_port), kEndpoints);
  }
  const bool is_printable =
      std::all_of(host_port.begin(), host_port.end(), absl::ascii_isgraph);
  if (colon > 0 && is_printable) {
    const std::string_view digits = host_port.substr(colon + 1);
    const char* const end = digits.data() + digits.size();
    std::uint16_t port = 0;
    const auto [stop, error] = std::from_chars(digits.data(), end, port);
    if (error == std::errc() && stop == end) return "";
  }
  return fmt::format("{} is not a host and port from 0 to 65535 (expected {})",
                     Quoted(host_port), kEndpoints);
}

// The path of "file:PATH" is relative to the daemon file, as its other paths.
std::string ResolveOrdering(const std::string& file, const std::string& spec) {
  constexpr std::string_view kFile = "file:";
  if (spec.compare(0, kFile.size(), kFile) != 0) return spec;
  return fmt::format("{}{}", kFile,
                     ResolvePath(file, spec.substr(kFile.size())));
}

Place PlaceOfOption(std::span<const OptionText> texts, std::string_view name) {
  const auto found =
      std::find_if(texts.begin(), texts.end(),
                   [&](const OptionText& each) { return each.name == name; });
  return found == texts.end() ? Place{} : found->place;
}

absl::Status CheckPolicy(const std::string& path, std::string_view option,
                         const Placed<std::string>& spec) {
  absl::Status read = ReadPolicySpec(spec.value, {}).status();
  if (read.ok()) return read;
  return ErrorAt(path, spec.place,
                 fmt::format("{}: {}", option, MessageOf(read)));
}

}  // namespace

std::string EndpointProblem(std::string_view endpoint) {
  constexpr std::string_view kUnix = "unix://";
  constexpr std::string_view kIpv4 = "ipv4:";
  if (endpoint.substr(0, kUnix.size()) == kUnix) {
    return SocketPathProblem(endpoint.substr(kUnix.size()));
  }
  if (endpoint.substr(0, kIpv4.size()) == kIpv4) {
    return HostPortProblem(endpoint.substr(kIpv4.size()));
  }
  return fmt::format("{} is not an endpoint (expected {})", Quoted(endpoint),
                     kEndpoints);
}

namespace {

absl::Status CheckStatePath(const std::string& path, std::string_view option,
                            const Placed<std::string>& state) {
  std::error_code error;
  if (!std::filesystem::is_directory(state.value, error)) {
    return absl::OkStatus();
  }
  return ErrorAt(path, state.place,
                 fmt::format("{}: {} is a directory (expected a file)", option,
                             state.value));
}

absl::Status ReadStatePaths(DaemonFile& file, const std::string& path) {
  file.sqlite.value = ResolvePath(path, file.sqlite.value);
  if (file.archive.value.empty()) {
    file.archive = {file.sqlite.value + "-archive", file.sqlite.place};
  }
  file.archive.value = ResolvePath(path, file.archive.value);
  const auto name = [](const Placed<std::string>& state) {
    return std::filesystem::path(state.value).lexically_normal();
  };
  if (name(file.archive) == name(file.sqlite)) {
    return ErrorAt(path, file.archive.place,
                   "state.archive: the same file as state.sqlite (expected "
                   "another)");
  }
  absl::Status status = ReadEtcd(file, path);
  if (status.ok()) status = CheckStatePath(path, "state.sqlite", file.sqlite);
  if (status.ok()) status = CheckStatePath(path, "state.archive", file.archive);
  return status;
}

}  // namespace

absl::StatusOr<DaemonFile> ParseDaemonFile(std::string_view text,
                                           const std::string& path) {
  std::vector<OptionText> texts;
  auto file = ReadInto<DaemonFile>(text, path, DaemonOptionTable(), &texts);
  if (!file.ok()) return file.status();
  file->texts = std::move(texts);
  for (const std::string& endpoint : file->listen.value) {
    const std::string problem = EndpointProblem(endpoint);
    if (!problem.empty()) {
      return ErrorAt(path, file->listen.place,
                     fmt::format("listen: {}", problem));
    }
  }
  file->machine.value = ResolvePath(path, file->machine.value);
  file->ordering.value = ResolveOrdering(path, file->ordering.value);
  if (absl::Status status = ReadStatePaths(*file, path); !status.ok()) {
    return status;
  }
  if (!file->log.file.empty() && file->log.format == "journal") {
    return ErrorAt(path, PlaceOfOption(file->texts, "log.format"),
                   "log.format: journal with log.file (expected json, text, or "
                   "no log.file)");
  }
  if (!file->log.file.empty()) {
    file->log.file = ResolvePath(path, file->log.file);
  }
  if (!file->latency_matrix.value.empty()) {
    file->latency_matrix.value = ResolvePath(path, file->latency_matrix.value);
  }
  absl::Status known;
  if (file->policy.place.line > 0) {
    known = CheckPolicy(path, "policy", file->policy);
    if (!known.ok()) return known;
  }
  for (DaemonFile::Rule& rule : file->rules) {
    rule.ordering.value = ResolveOrdering(path, rule.ordering.value);
    if (rule.policy.value.empty()) continue;
    known = CheckPolicy(path, "rules[].policy", rule.policy);
    if (!known.ok()) return known;
  }
  if (file->comment_policies.has_value()) {
    auto& specs = file->comment_policies->value;
    if (specs == std::vector<std::string>{"none"}) specs.clear();
    for (const std::string& spec : specs) {
      known = CheckPolicy(path, "comment_policies",
                          {spec, file->comment_policies->place});
      if (!known.ok()) return known;
    }
  }
  absl::Status status = ReadAccess(*file, path);
  if (status.ok()) status = ReadRules(*file, path);
  if (status.ok() && file->http.has_value()) {
    status = ReadHttp(*file->http, path);
  }
  if (status.ok() && file->telemetry.has_value()) {
    status = ReadTelemetry(*file->telemetry, path);
  }
  if (!status.ok()) return status;
  return file;
}

}  // namespace coolspan
