// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_SITE_HALVES_H_
#define COOLSPAN_MAPPING_SITE_HALVES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "mapping/sites.h"

namespace coolspan {

// Sorts the sites of a region such that the first ones are one half and the
// rest the other one, each compact; returns the number of the first ones. With
// coordinates, the region is cut across its longest extent; else sites are
// sorted by which of two distant sites they are nearer to. The cut is where the
// distance between neighbours of the sorted list is longest (between two planes
// of a grid, two switches), if both parts have a third of the slots, else in
// the middle. slots: by site id. REQUIRES two sites or more.
std::size_t HalveSites(const Sites& sites, std::span<const std::uint32_t> slots,
                       std::span<SiteId> region);

// The site of a region with the shortest distances to a sample of the others.
SiteId MiddleOf(const Sites& sites, std::span<const SiteId> region);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_SITE_HALVES_H_
