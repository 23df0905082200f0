// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_SACCT_FIELDS_H_
#define COOLSPAN_REPLAY_INPUT_SACCT_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace coolspan {

// The values of sacct's columns; see sacct(1). nullopt: not such a value.

// Without white space at both ends.
std::string_view Trimmed(std::string_view text);
bool EqualsInAnyCase(std::string_view a, std::string_view b);

// Empty, "Unknown", "None": a time that has not come.
bool IsSacctTimeUnset(std::string_view text);
// "2026-11-23T10:00:00", taken as UTC, or seconds since 1970, from 0.
std::optional<std::int64_t> ParseSacctTimeS(std::string_view text);
// "[DD-]HH:MM:SS", "MM:SS" or seconds.
std::optional<std::int64_t> ParseSacctDurationS(std::string_view text);
// A number of nodes; without --noconvert, 2048 is printed as "2K".
std::optional<std::int64_t> ParseSacctCount(std::string_view text);
// Digits only, at most 12 of them.
std::optional<std::int64_t> ParseSacctNumber(std::string_view text);

struct SacctJobId {
  std::uint32_t job = 0;
  enum class Kind {
    kJob,        // 12
    kArrayTask,  // 12_3
    kComponent,  // 12+0, of a heterogeneous job
    kWaiting,    // 12_[3-9]: array tasks that have not started
    kStep,       // 12.batch, 12_3.0
  };
  Kind kind = Kind::kJob;
  std::uint32_t member = 0;  // of an array task or component
};
std::optional<SacctJobId> ParseSacctJobId(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_SACCT_FIELDS_H_
