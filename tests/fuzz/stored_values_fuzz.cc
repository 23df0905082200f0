// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary keys and values as a cluster in etcd: an error, or a cluster that
// is stored and read again unchanged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "etcd/etcd_keys.h"
#include "etcd/stored_values.h"
#include "fuzz/expect.h"

namespace {

using namespace coolspan;

// Lines of a key and a value, the latter to the next 0xff 0xff.
ClusterPairs PairsIn(std::string_view text) {
  ClusterPairs pairs;
  while (!text.empty()) {
    const std::size_t end = text.find("\xff\xff");
    const std::string_view entry = text.substr(0, end);
    const std::size_t separator = entry.find('\n');
    if (separator != std::string_view::npos) {
      pairs.emplace(entry.substr(0, separator), entry.substr(separator + 1));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 2);
  }
  return pairs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  // NOLINTNEXTLINE: libFuzzer's bytes are unsigned.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto name = DecodeName(text)) Expect(EncodeName(*name) == text);
  if (const auto learned = DecodeStoredLearned(text); learned.ok()) {
    Expect(*DecodeStoredLearned(EncodeStoredLearned(*learned)) == *learned);
  }
  const ClusterPairs pairs = PairsIn(text);
  if (const auto redo = ReadRedo("c", pairs); !redo.ok()) {
    ExpectOneLine(redo.status(), "etcd: clusters/c/");
  }
  const auto cluster = ReadStoredCluster("c", pairs);
  if (!cluster.ok()) {
    ExpectOneLine(cluster.status(), "etcd: clusters/c/");
    return 0;
  }
  if (!cluster->has_value()) return 0;
  ClusterPairs again;
  for (auto& [key, value] : PairsOfSync(**cluster)) again[key] = value;
  if (!(*cluster)->mode.empty()) again["mode"] = (*cluster)->mode;
  if ((*cluster)->heard_ms != 0) {
    again["heard"] = std::to_string((*cluster)->heard_ms);
  }
  const auto reread = ReadStoredCluster("c", again);
  Expect(reread.ok() && reread->has_value());
  // A share may be -0, and a redo record may have a job twice.
  Expect((*reread)->holdings.size() == (*cluster)->holdings.size() &&
         (*reread)->node_table == (*cluster)->node_table &&
         (*reread)->capacity == (*cluster)->capacity &&
         (*reread)->mode == (*cluster)->mode &&
         (*reread)->is_incomplete == (*cluster)->is_incomplete);
  return 0;
}
