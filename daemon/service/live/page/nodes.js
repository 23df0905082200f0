// SPDX-License-Identifier: GPL-3.0-or-later

// The nodes of the machine: who holds them, how warm they are, and how the free
// ones lie together.

import {counted, fixed} from './format.js';
import {planesOf, unpacked} from './planes.js';

const NO_JOBS = [];

function forEachOf(runs, visit) {
  for (let i = 0; i < runs.length; i += 2) {
    for (let k = 0; k < runs[i + 1]; ++k) visit(runs[i] + k);
  }
}

export class Nodes {
  // machine: the document api/v1/machine.
  constructor(machine) {
    this.machine = machine;
    this.count = machine.nodes;
    this.planes = planesOf(machine);
    this.zones = machine.room ? unpacked(machine.room.zone_of) : null;
    this.holders = new Array(this.count).fill(NO_JOBS);  // jobs by node
    this.unavailable = new Uint8Array(this.count);
    this.inlet_dc = null;  // by zone, tenths of a degree
    this.jobs = [];
    this.blocks = null;  // made when needed
    this.findVertices();
  }

  findVertices() {
    const counts = unpacked(this.machine.vertices);
    this.vertex_of = new Uint32Array(this.count);
    this.first_at = new Uint32Array(counts.length + 1);
    let node = 0;
    counts.forEach((nodes, vertex) => {
      this.first_at[vertex] = node;
      for (let i = 0; i < nodes; ++i) this.vertex_of[node++] = vertex;
    });
    this.first_at[counts.length] = node;
  }

  // holdings: the document api/v1/jobs.
  setHoldings(holdings) {
    this.jobs = holdings.jobs;
    this.holders.fill(NO_JOBS);
    this.unavailable.fill(0);
    forEachOf(holdings.unavailable, (node) => { this.unavailable[node] = 1; });
    for (const job of this.jobs) {
      forEachOf(job.runs, (node) => {
        const others = this.holders[node];
        this.holders[node] = others.length === 0 ? [job] : [...others, job];
      });
    }
    this.blocks = null;
  }

  setRoom(room) {
    this.inlet_dc = room.inlet_dc;
  }

  name(node) {
    return this.machine.names ? this.machine.names[node] : `node ${node}`;
  }

  // The job that the map shows on the node, or null.
  jobOn(node) {
    const jobs = this.holders[node];
    return jobs.length === 0 ? null : jobs[0];
  }

  // Suspended jobs hold no node.
  isFree(node) {
    return !this.unavailable[node] && this.holders[node].every((job) => job.state === 'suspended');
  }

  inlet(node) {
    return this.inlet_dc === null ? null : this.inlet_dc[this.zones[node]] / 10;
  }

  hottest() {
    const redline_c = this.machine.room.redline_c;
    return this.inlet_dc === null ? redline_c :
      this.inlet_dc.reduce((most, inlet_dc) => Math.max(most, inlet_dc / 10), redline_c);
  }

  // One line about a node.
  describe(node) {
    const parts = this.holders[node].map((job) =>
      `job ${job.name} (${job.state}, ${counted(job.count, 'node')}${job.whole ? '' : ', shared'})`);
    if (this.unavailable[node]) parts.push('unavailable');
    if (parts.length === 0) {
      parts.push('free');
      const block = this.freeBlockOf(node);
      if (block > 1) parts.push(`in ${counted(block, 'free node')} ${this.blockWord()}`);
    }
    const inlet_c = this.inlet(node);
    if (inlet_c !== null) parts.push(`inlet ${fixed(inlet_c, 1)} \u00b0C`);
    return `${this.name(node)}: ${parts.join(', ')}`;
  }

  blockWord() {
    return this.isGrid() ? 'that are connected' : 'of this part of the map';
  }

  isGrid() {
    return this.machine.grid !== null;
  }

  // The number of free nodes in the block of a free node: those that are
  // connected on a grid, those of the same plane elsewhere. 0: not free.
  freeBlockOf(node) {
    if (this.blocks === null) this.blocks = this.isGrid() ? this.connectedBlocks() : this.planeBlocks();
    return this.blocks[node];
  }

  planeBlocks() {
    const sizes = new Uint32Array(this.count);
    for (const plane of this.planes) {
      const free = plane.nodes.filter((node) => node >= 0 && this.isFree(node));
      for (const node of free) sizes[node] = free.length;
    }
    return sizes;
  }

  // The vertices one hop away.
  neighboursOf(vertex) {
    const {dims, wrap} = this.machine.grid;
    const found = [];
    let stride = 1;
    let rest = vertex;
    dims.forEach((extent, d) => {
      const at = rest % extent;
      rest = Math.floor(rest / extent);
      if (at > 0) found.push(vertex - stride);
      else if (wrap[d] && extent > 2) found.push(vertex + stride * (extent - 1));
      if (at + 1 < extent) found.push(vertex + stride);
      else if (wrap[d] && extent > 2) found.push(vertex - stride * (extent - 1));
      stride *= extent;
    });
    return found;
  }

  freeAt(vertex) {
    const free = [];
    for (let node = this.first_at[vertex]; node < this.first_at[vertex + 1]; ++node) {
      if (this.isFree(node)) free.push(node);
    }
    return free;
  }

  connectedBlocks() {
    const sizes = new Uint32Array(this.count);
    const vertices = this.first_at.length - 1;
    const seen = new Uint8Array(vertices);
    for (let start = 0; start < vertices; ++start) {
      if (seen[start]) continue;
      seen[start] = 1;
      const block = [];
      const open = [start];
      while (open.length > 0) {
        const vertex = open.pop();
        const free = this.freeAt(vertex);
        if (free.length === 0) continue;
        block.push(...free);
        for (const next of this.neighboursOf(vertex)) {
          if (seen[next]) continue;
          // One without free nodes begins no block either.
          seen[next] = 1;
          open.push(next);
        }
      }
      for (const node of block) sizes[node] = block.length;
    }
    return sizes;
  }

  // How many blocks of free nodes there are of each size, largest first:
  // [[size, blocks], ...].
  blockSizes() {
    const nodes_of = new Map();
    for (let node = 0; node < this.count; ++node) {
      const size = this.freeBlockOf(node);
      if (size > 0) nodes_of.set(size, (nodes_of.get(size) || 0) + 1);
    }
    return [...nodes_of].map(([size, nodes]) => [size, nodes / size]).sort((a, b) => b[0] - a[0]);
  }

  largestBlock() {
    const sizes = this.blockSizes();
    return sizes.length === 0 ? 0 : sizes[0][0];
  }
}
