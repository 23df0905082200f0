// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUN_SERIES_H_
#define COOLSPAN_REPLAY_RUN_SERIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/block_space.h"
#include "core/switch_space.h"
#include "core/topology.h"
#include "core/types.h"
#include "replay/contention/shared_network.h"

namespace coolspan {

// The search for the largest box takes up to a few milliseconds then.
inline constexpr VertexId kMaxVerticesOfBox = 4096;

// How large the pieces of free nodes are: along the ordering of the run, in the
// network, in blocks, and below switches.
struct FreeSpace {
  // The number of intervals (maximal runs of free ranks) of 2^i to 2^(i+1) - 1
  // nodes; as many entries as the longest interval needs.
  std::vector<std::uint32_t> intervals;
  NodeCount largest_interval = 0;

  struct Shape {
    // The free nodes of the largest set of vertices with free nodes that is
    // connected by links between them.
    NodeCount largest_component = 0;
    // On grids: the number of free aligned blocks as mbs counts them, of the
    // sizes of FreeBlockSizes(); a block is not counted again in its parent.
    std::vector<std::uint32_t> blocks;

    friend bool operator==(const Shape&, const Shape&) = default;
  };
  std::optional<Shape> shape;
  // On grids with shape or at most kMaxVerticesOfBox vertices: vertices of the
  // largest box of entirely free vertices.
  std::optional<std::uint64_t> largest_box;
  std::optional<BlockSpace> block_space;    // with blocks
  std::optional<SwitchSpace> switch_space;  // with a tree of switches

  friend bool operator==(const FreeSpace&, const FreeSpace&) = default;
};

// What is averaged over the samples of a run: names and values, in the same
// order. free_intervals, largest_free_interval, and what the topology has.
std::vector<std::string> SpaceNames(const FreeSpace& space,
                                    const Topology& topology);
std::vector<double> SpaceValues(const FreeSpace& space);

// Nodes of the aligned blocks of a grid, ascending; empty without coordinates.
std::vector<NodeCount> FreeBlockSizes(const Topology& topology);

// The state of a run at an instant, after all its events.
struct SeriesSample {
  NodeCount used_nodes = 0;
  NodeCount unavailable_nodes = 0;  // down or drained
  std::uint32_t running_jobs = 0;
  std::uint32_t queued_jobs = 0;
  std::uint64_t queued_nodes = 0;  // that the queued jobs ask for
  FreeSpace free;
  // The steady state of the room at the configured supply temperature; the
  // cooling power is that at supply_max_c.
  struct RoomState {
    double peak_inlet_c = 0;
    double it_w = 0;
    double cooling_w = 0;  // infinite outside the CoP model

    friend bool operator==(const RoomState&, const RoomState&) = default;
  };
  std::optional<RoomState> room;
  std::optional<NetworkUse> network;  // if jobs slow each other

  friend bool operator==(const SeriesSample&, const SeriesSample&) = default;
};

// Samples at begin_ms, begin_ms + interval_ms and so on, to the last end.
struct RunSeries {
  TimeMs begin_ms = 0;
  TimeMs interval_ms = 0;
  std::vector<SeriesSample> samples;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUN_SERIES_H_
