// SPDX-License-Identifier: GPL-3.0-or-later

// The colours of the map and their legend.

import {count, cssColour, element, fixed} from './format.js';
import {inletColour, jobColour} from './planes.js';

// From dark blue to yellow: lightness grows with the size, so that colour-blind
// people see it too.
export function blockColour(size, largest) {
  const share = largest <= 1 ? 1 : Math.log(size) / Math.log(largest);
  const mix = (low, middle, high) => Math.round(share < 0.5 ?
    low + (middle - low) * 2 * share : middle + (high - middle) * (2 * share - 1));
  return `rgb(${mix(52, 38, 250)} ${mix(60, 140, 225)} ${mix(130, 140, 60)})`;
}

export const COLOURINGS = {
  job: 'job',
  inlet: 'inlet temperature',
  blocks: 'size of the free block',
};

// What colours the nodes in the current state.
export class Colouring {
  constructor(nodes, by) {
    this.nodes = nodes;
    this.by = by;
    this.cell = cssColour('--cell');
    this.line = cssColour('--line');
    this.hottest_c = by === 'inlet' ? nodes.hottest() : 0;
    this.largest = by === 'blocks' ? nodes.largestBlock() : 0;
  }

  fill(node) {
    const {nodes} = this;
    if (this.by === 'inlet') {
      const inlet_c = nodes.inlet(node);
      return inlet_c === null ? this.cell : inletColour(nodes.machine.room, this.hottest_c, inlet_c);
    }
    if (this.by === 'blocks') {
      const size = nodes.freeBlockOf(node);
      return size === 0 ? this.cell : blockColour(size, this.largest);
    }
    const job = nodes.jobOn(node);
    return job === null ? this.cell : jobColour(job.job_id);
  }
}

function scaleOf(colour_at) {
  const stops = Array.from({length: 9}, (_, i) => colour_at(i / 8));
  return element('span', {style: `background:linear-gradient(to right, ${stops.join(', ')})`});
}

function inletLegend(nodes) {
  const {room} = nodes.machine;
  const {supply_c, redline_c} = room;
  const hottest_c = nodes.hottest();
  const scale = (low, high) => scaleOf((share) => inletColour(room, hottest_c, low + (high - low) * share));
  return element('div', {class: 'scale'}, `Inlet temperature: ${fixed(supply_c, 0)} \u00b0C`,
    scale(supply_c, redline_c - 0.01), `${fixed(redline_c, 0)} \u00b0C (redline)`,
    ...(hottest_c > redline_c ? [scale(redline_c, hottest_c), `${fixed(hottest_c, 0)} \u00b0C`] : []));
}

export function legendOf(nodes, by) {
  if (by === 'inlet') {
    return [inletLegend(nodes), element('div', {}, 'A light centre: the node is free. A cross: it is unavailable.')];
  }
  if (by === 'blocks') {
    const largest = nodes.largestBlock();
    const what = nodes.isGrid() ? 'Free nodes that are connected' : 'Free nodes of the same part of the map';
    return [element('div', {class: 'scale'}, `${what}: 1`, scaleOf((share) => blockColour(largest ** share, largest)),
      count(largest)), element('div', {}, 'Grey: held by jobs. A cross: unavailable.')];
  }
  return [element('div', {}, 'Each colour is a job, and its cells are joined. Grey: free. A cross: unavailable. ' +
    'A dashed mark: decided, not started. A bar: suspended. An exclamation mark: disputed.')];
}
