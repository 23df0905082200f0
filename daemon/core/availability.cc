// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/availability.h"

namespace coolspan {

void AvailabilityEditor::LoadStretch(std::size_t stretch) {
  constexpr std::size_t kOfWords = NodeSet::kWordsOfBlock / kStretchWords;
  constexpr std::size_t kOfUnits = UnitsByNode::kItemsOfBlock / kStretchNodes;
  const std::size_t word = stretch % kOfWords * kStretchWords;
  stretch_ = stretch;
  whole_ = &availability_.free_whole.MutableBlock(stretch / kOfWords)[word];
  shared_ = &availability_.free_shared.MutableBlock(stretch / kOfWords)[word];
  units_ = &availability_.free_units.MutableBlock(
      stretch / kOfUnits)[stretch % kOfUnits * kStretchNodes];
  ends_ = availability_.ends.MutableBlock(stretch).data();
  if (!availability_.loads.empty()) {
    loads_ = availability_.loads.MutableBlock(stretch).data();
  }
}

}  // namespace coolspan
