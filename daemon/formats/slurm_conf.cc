// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/slurm_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "core/hostlist.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"
#include "formats/slurm_lines.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNodes = std::size_t{1} << 20;
constexpr int kMaxDepth = 16;  // of files that include files
constexpr int kMaxFiles = 1000;
constexpr std::uint32_t kMaxCpus = 1U << 20;

// The settings of a line after its first, by key.
using SettingsByKey = std::map<std::string, SlurmSetting, std::less<>>;

const std::string& TextOf(const SettingsByKey& fields, std::string_view key,
                          const std::string& fallback) {
  const auto found = fields.find(key);
  return found == fields.end() ? fallback : found->second.value;
}

bool IsYes(std::string_view text) {
  const std::string value = absl::AsciiStrToLower({text.data(), text.size()});
  return value == "yes" || value == "up" || value == "true" || value == "1";
}

class SlurmConfReader {
 public:
  explicit SlurmConfReader(const std::string& path) { conf_.path = path; }

  absl::StatusOr<SlurmConf> Read() {
    if (absl::Status read = ReadFile(conf_.path, 0); !read.ok()) return read;
    return std::move(conf_);
  }

 private:
  using Line = std::vector<SlurmSetting>;

  absl::Status ReadFile(const std::string& path, int depth);
  absl::Status Include(const std::string& path, const SlurmSetting& setting,
                       int depth);
  absl::Status AddNodes(const std::string& path, const Line& line);
  absl::StatusOr<std::uint32_t> CpusOf(const std::string& path,
                                       const SettingsByKey& fields) const;
  void AddPartition(const std::string& path, const Line& line);

  SlurmConf conf_;
  SettingsByKey node_defaults_;
  SettingsByKey partition_defaults_;
  absl::flat_hash_set<std::string> node_names_;
  int files_ = 0;
};

std::string Where(const std::string& path, const SlurmSetting& setting) {
  return fmt::format("{}:{}", path, setting.key_place.line);
}

absl::Status SlurmConfReader::ReadFile(const std::string& path, int depth) {
  auto lines = SlurmLines::Open(path);
  if (!lines.ok()) return lines.status();
  while (true) {
    auto line = lines->Next();
    if (!line.ok()) return line.status();
    if (line->empty()) return absl::OkStatus();
    const SlurmSetting& first = line->front();
    absl::Status added;
    if (first.is_include) {
      added = Include(path, first, depth);
    } else if (first.key == "nodename") {
      added = AddNodes(path, *line);
    } else if (first.key == "partitionname") {
      AddPartition(path, *line);
    } else {
      for (SlurmSetting& setting : *line) {
        std::string where = Where(path, setting);
        conf_.settings.insert_or_assign(
            setting.key,
            SlurmConf::Value{std::move(setting.value), std::move(where)});
      }
    }
    if (!added.ok()) return added;
  }
}

absl::Status SlurmConfReader::Include(const std::string& path,
                                      const SlurmSetting& setting, int depth) {
  std::string name = setting.value;
  if (const std::size_t at = name.find("%c"); at != std::string::npos) {
    const std::string cluster =
        absl::AsciiStrToLower(conf_.Setting("clustername"));
    if (cluster.empty()) {
      return ErrorAt(path, setting.value_place,
                     "Include: %c before ClusterName (expected ClusterName in "
                     "a line before)");
    }
    name.replace(at, 2, cluster);
  }
  if (depth + 1 > kMaxDepth || ++files_ > kMaxFiles) {
    return ErrorAt(path, setting.value_place,
                   fmt::format("Include: too many files (expected at most {}, "
                               "{} deep)",
                               kMaxFiles, kMaxDepth));
  }
  const std::string file = (fs::path(path).parent_path() / name).string();
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    return ErrorAt(path, setting.value_place,
                   fmt::format("Include: {} is not a file (expected a file of "
                               "settings)",
                               Printable(file)));
  }
  return ReadFile(file, depth + 1);
}

absl::StatusOr<std::uint32_t> SlurmConfReader::CpusOf(
    const std::string& path, const SettingsByKey& fields) const {
  absl::Status invalid;
  const auto number = [&](std::string_view key, std::uint32_t fallback) {
    const auto found = fields.find(key);
    if (found == fields.end()) return fallback;
    const auto value = ParseNumber(found->second.value);
    if (value.has_value() && *value <= kMaxCpus) return *value;
    invalid = ErrorAt(path, found->second.value_place,
                      fmt::format("{}: {} is not valid (expected 0 to {})",
                                  found->second.written_key,
                                  Quoted(found->second.value), kMaxCpus));
    return fallback;
  };
  const std::uint32_t cpus = number("cpus", number("procs", 0));
  const std::uint64_t sockets =
      number("sockets", 0) > 0
          ? number("sockets", 0)
          : std::uint64_t{number("boards", 1)} * number("socketsperboard", 1);
  const std::uint64_t cores = sockets * number("corespersocket", 1);
  const std::uint64_t threads =
      std::min<std::uint64_t>(cores, kMaxCpus) * number("threadspercore", 1);
  if (!invalid.ok()) return invalid;
  if (cpus > 0) return cpus;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(threads, 1, kMaxCpus));
}

absl::Status SlurmConfReader::AddNodes(const std::string& path,
                                       const Line& line) {
  const SlurmSetting& name = line.front();
  const bool is_default = absl::AsciiStrToLower(name.value) == "default";
  SettingsByKey fields = node_defaults_;
  for (auto setting = line.begin() + 1; setting != line.end(); ++setting) {
    fields.insert_or_assign(
        setting->key == "features" ? "feature" : setting->key, *setting);
  }
  if (is_default) {
    node_defaults_ = std::move(fields);
    return absl::OkStatus();
  }
  const auto cpus = CpusOf(path, fields);
  if (!cpus.ok()) return cpus.status();
  const SlurmNode node{
      .name = {},
      .cpus = *cpus,
      .features = TextOf(fields, "feature", ""),
      .is_future = absl::AsciiStrToLower(TextOf(fields, "state", ""))
                       .starts_with("future")};
  absl::Status added =
      VisitHostlist(name.value, kMaxNodes - conf_.nodes.size(),
                    [&](std::string_view each) -> absl::Status {
                      conf_.nodes.push_back(node);
                      conf_.nodes.back().name = each;
                      if (node_names_.insert(conf_.nodes.back().name).second) {
                        return absl::OkStatus();
                      }
                      return absl::InvalidArgumentError(fmt::format(
                          "node {} specified more than once", Quoted(each)));
                    });
  if (added.ok()) return added;
  return ErrorAt(path, name.value_place,
                 fmt::format("NodeName: {}", MessageOf(added)));
}

void SlurmConfReader::AddPartition(const std::string& path, const Line& line) {
  const SlurmSetting& name = line.front();
  SettingsByKey fields = partition_defaults_;
  for (auto setting = line.begin() + 1; setting != line.end(); ++setting) {
    fields.insert_or_assign(
        setting->key == "shared" ? "oversubscribe" : setting->key, *setting);
  }
  if (absl::AsciiStrToLower(name.value) == "default") {
    partition_defaults_ = std::move(fields);
    return;
  }
  conf_.partitions.push_back(
      {.name = name.value,
       .where = Where(path, name),
       .prefers_least_loaded = IsYes(TextOf(fields, "lln", "")),
       .over_subscribe =
           absl::AsciiStrToUpper(TextOf(fields, "oversubscribe", "NO")),
       .cpus_per_gpu = TextOf(fields, "defcpupergpu", ""),
       .memory_per_gpu = TextOf(fields, "defmempergpu", "")});
}

}  // namespace

std::string SlurmConf::Setting(std::string_view key,
                               std::string_view fallback) const {
  const auto found = settings.find(key);
  return found == settings.end() ? std::string(fallback) : found->second.text;
}

std::string SlurmConf::Where(std::string_view key) const {
  const auto found = settings.find(key);
  return found == settings.end() ? path : found->second.where;
}

absl::StatusOr<SlurmConf> ReadSlurmConf(const std::string& path) {
  return SlurmConfReader(path).Read();
}

}  // namespace coolspan
