// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_OPTION_READER_H_
#define COOLSPAN_CONFIG_OPTIONS_OPTION_READER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/options/option.h"
#include "config/options/option_texts.h"

namespace coolspan {

// Validates one YAML map against a table. Readings come in table order, the
// reading of a group or record before those of its options.
// Errors: INVALID_ARGUMENT for the first error: invalid YAML, an unknown key
// (with the nearest known one), a repeated key, a value of the wrong type or
// out of bounds, a missing or reserved option.
absl::StatusOr<std::vector<OptionReading>> ReadOptions(
    std::string_view text, const std::string& file,
    std::span<const OptionSpec> options);

// The top-level keys of a YAML map, to tell kinds of files apart.
// Errors: INVALID_ARGUMENT for invalid YAML or a document that is not a map.
absl::StatusOr<std::vector<std::string>> TopLevelKeys(std::string_view text,
                                                      const std::string& file);

// Reads a file into a typed struct. texts: if not null, set to the values read.
template <typename Target>
absl::StatusOr<Target> ReadInto(std::string_view text, const std::string& file,
                                std::span<const Option<Target>> table,
                                std::vector<OptionText>* texts = nullptr) {
  std::vector<OptionSpec> specs;
  specs.reserve(table.size());
  for (const Option<Target>& option : table) specs.push_back(option.spec);
  absl::StatusOr<std::vector<OptionReading>> readings =
      ReadOptions(text, file, specs);
  if (!readings.ok()) return readings.status();
  Target target;
  for (const OptionReading& reading : *readings) {
    table[reading.option].store(target, reading);
  }
  if (texts != nullptr) *texts = OptionTexts(*readings, specs);
  return target;
}

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_READER_H_
