// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_TABLE_H_
#define COOLSPAN_MAPPING_TABLE_H_

#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/spec/spec_options.h"
#include "mapping/mapper.h"

namespace coolspan {

struct MapperEntry {
  std::string_view name;
  std::string_view help;
  std::span<const SpecOption> options;
  std::unique_ptr<Mapper> (*make)(const SpecValues& values);
};
// All mappers. To add one, add a file, its make function in mappers.h and an
// entry in table.cc.
std::span<const MapperEntry> MapperTable();

inline constexpr std::string_view kDefaultMapper = "rcb";

// spec: NAME[:OPTION=VALUE...]. Errors: INVALID_ARGUMENT for an unknown mapper;
// ReadSpecValues'.
absl::StatusOr<std::unique_ptr<Mapper>> MakeMapper(std::string_view spec);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_TABLE_H_
