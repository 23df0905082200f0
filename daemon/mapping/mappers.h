// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_MAPPERS_H_
#define COOLSPAN_MAPPING_MAPPERS_H_

#include <memory>

#include "core/spec/spec_options.h"
#include "mapping/mapper.h"

namespace coolspan {

// values: of all options of the mapper's entry in the table.
std::unique_ptr<Mapper> MakeGreedy(const SpecValues& values);
std::unique_ptr<Mapper> MakeInOrder(const SpecValues& values);
std::unique_ptr<Mapper> MakeRcb(const SpecValues& values);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_MAPPERS_H_
