// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/etcd_keys.h"

#include <fmt/format.h>

namespace coolspan {
namespace {

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string EncodeName(std::string_view name) {
  std::string encoded;
  for (const char c : name) {
    if (IsPlain(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::optional<std::string> DecodeName(std::string_view encoded) {
  std::string name;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (IsPlain(encoded[i])) {
      name += encoded[i];
      continue;
    }
    if (encoded[i] != '%' || i + 2 >= encoded.size()) return std::nullopt;
    const int high = HexValue(encoded[i + 1]);
    const int low = HexValue(encoded[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    const char c = static_cast<char>(16 * high + low);
    if (IsPlain(c)) return std::nullopt;
    name += c;
    i += 2;
  }
  return name;
}

std::string RangeEndOf(std::string_view prefix) {
  std::string end(prefix);
  ++end.back();
  return end;
}

namespace cluster_keys {

std::string Part(std::string_view folder, std::size_t number) {
  return fmt::format("{}{:06}", folder, number);
}

std::string Job(std::uint32_t job_id) {
  return fmt::format("{}{:010}", kJobs, job_id);
}

std::string Queue(std::string_view client_id) {
  return std::string(kQueues) + EncodeName(client_id);
}

}  // namespace cluster_keys
}  // namespace coolspan
