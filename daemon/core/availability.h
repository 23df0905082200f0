// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_AVAILABILITY_H_
#define COOLSPAN_CORE_AVAILABILITY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/node_set.h"
#include "core/room.h"
#include "core/shared_array.h"
#include "core/types.h"

namespace coolspan {

// By NodeId.
using UnitsByNode = SharedArray<Units, 4096>;
using LoadsByNode = SharedArray<NodeLoad, 2048>;
using EndsByNode = SharedArray<TimeMs, 2048>;

// Free units, load and expected end of each node: the part of the ledger that
// decisions read. A copy costs a few pointers for each thousand nodes.
struct Availability {
  NodeSet free_whole;   // nodes without any holder
  NodeSet free_shared;  // nodes with at least one unit left
  NodeCount free_whole_count = 0;
  NodeCount free_shared_count = 0;
  UnitsByNode free_units;
  std::shared_ptr<const std::vector<Units>> capacity;  // by NodeId, each >= 1
  std::uint64_t total_units = 0;                       // of capacity
  LoadsByNode loads;                                   // empty: not tracked
  // When the last job on a node is expected to end. kUnknownEnd: without jobs,
  // or not known of one.
  EndsByNode ends;
};

// Changes the availability of nodes. Nodes of the same block are accessed as in
// plain arrays. REQUIRES that the availability outlives the editor and is not
// copied meanwhile.
class AvailabilityEditor {
 public:
  explicit AvailabilityEditor(Availability& availability)
      : availability_(availability), capacity_(availability.capacity->data()) {}

  // Selects the node of the other methods.
  void MoveTo(NodeId node) {
    if (node / kStretchNodes != stretch_) LoadStretch(node / kStretchNodes);
    node_ = node;
    offset_ = node % kStretchNodes;
  }
  Units capacity() const { return capacity_[node_]; }
  Units& free_units() { return units_[offset_]; }
  // REQUIRES that loads are tracked.
  NodeLoad& load() { return loads_[offset_]; }
  TimeMs& end() { return ends_[offset_]; }
  void TakeWhole() {
    whole_[offset_ / NodeSet::kWordBits] &= ~Bit();
    --availability_.free_whole_count;
  }
  void GiveWhole() {
    whole_[offset_ / NodeSet::kWordBits] |= Bit();
    ++availability_.free_whole_count;
  }
  void TakeShared() {
    shared_[offset_ / NodeSet::kWordBits] &= ~Bit();
    --availability_.free_shared_count;
  }
  void GiveShared() {
    shared_[offset_ / NodeSet::kWordBits] |= Bit();
    ++availability_.free_shared_count;
  }

 private:
  // A stretch of nodes lies in one block of each array.
  static constexpr NodeCount kStretchNodes = LoadsByNode::kItemsOfBlock;
  static constexpr std::size_t kStretchWords =
      kStretchNodes / NodeSet::kWordBits;
  static_assert(NodeSet::kWordsOfBlock % kStretchWords == 0);
  static_assert(UnitsByNode::kItemsOfBlock % kStretchNodes == 0);
  static_assert(EndsByNode::kItemsOfBlock == kStretchNodes);

  std::uint64_t Bit() const {
    return std::uint64_t{1} << (offset_ % NodeSet::kWordBits);
  }
  void LoadStretch(std::size_t stretch);

  Availability& availability_;
  const Units* const capacity_;
  std::size_t stretch_ = ~std::size_t{0};
  NodeId node_ = 0;
  NodeCount offset_ = 0;  // in the stretch, as the pointers below
  std::uint64_t* whole_ = nullptr;
  std::uint64_t* shared_ = nullptr;
  Units* units_ = nullptr;
  NodeLoad* loads_ = nullptr;
  TimeMs* ends_ = nullptr;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_AVAILABILITY_H_
