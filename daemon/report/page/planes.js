// SPDX-License-Identifier: GPL-3.0-or-later
'use strict';

// The machine as planes of cells, and their colours: for the map of a report and
// of the live page.

export const FREE = -1;
const MAX_CELL_PX = 34;
const MAX_PLANES = 1024;

// [count, value, count, value, ...] as an array of values.
export function unpacked(stretches) {
  const values = [];
  for (let i = 0; i < stretches.length; i += 2) {
    for (let k = 0; k < stretches[i]; ++k) values.push(stretches[i + 1]);
  }
  return values;
}

// One colour for each job number, equal in map and Gantt chart. Hues in steps of
// the golden ratio: jobs with close numbers, which run together, differ most.
// Red is left for inlets above the redline.
export function jobColour(job) {
  const share = job * 0.6180339887 % 1;
  return `hsl(${Math.round(20 + 320 * share)} 42% ${[46, 58, 68][job % 3]}%)`;
}

// Blue at the supply temperature to yellow at the redline; from there on orange
// to dark red at hottest_c.
export function inletColour(room, hottest_c, inlet_c) {
  const {supply_c, redline_c} = room;
  if (inlet_c >= redline_c) {
    const share = Math.min(1, (inlet_c - redline_c) / Math.max(1, hottest_c - redline_c));
    return `hsl(${22 - 22 * share} 80% ${52 - 22 * share}%)`;
  }
  const share = Math.max(0, (inlet_c - supply_c) / (redline_c - supply_c));
  const mix = (low, high) => Math.round(low + (high - low) * share);
  return `rgb(${mix(33, 245)} ${mix(102, 224)} ${mix(172, 110)})`;
}

// The cells of the map: planes {title, width, height, nodes}, row-major; a node
// or -1 for no node there. Grids: x-y planes, a vertex of several nodes as cells
// side by side. Other networks: a plane for each block, group or switch with
// several nodes, or one strip in node order.
export function planesOf(machine) {
  const counts = unpacked(machine.vertices);
  if (machine.grid && machine.grid.dims.length >= 2) return planesOfGrid(machine.grid, counts);
  const groups = machine.groups || counts.filter((nodes) => nodes > 0).map((nodes, i) =>
    ({title: `switch ${i}`, nodes}));
  if (groups.length > 1 && groups.length <= MAX_PLANES && groups.length < machine.nodes) return planesOfGroups(groups);
  const width = Math.max(8, 8 * Math.ceil(Math.sqrt(2 * machine.nodes) / 8));
  return [stripOf('', 0, machine.nodes, Math.min(width, machine.nodes))];
}

function stripOf(title, first, nodes, width) {
  const height = Math.ceil(nodes / width);
  const cells = Array.from({length: width * height}, (_, i) => i < nodes ? first + i : -1);
  return {title, width, height, nodes: cells};
}

function planesOfGroups(groups) {
  let first = 0;
  const largest = Math.max(...groups.map((group) => group.nodes));
  const width = Math.max(1, Math.ceil(Math.sqrt(largest)));
  return groups.map(({title, nodes}) => {
    const plane = stripOf(title, first, nodes, width);
    first += nodes;
    return plane;
  });
}

function planesOfGrid({dims, nodes_per_vertex: each}, counts) {
  const width = dims[0] * each;
  const cells = [];
  let node = 0;
  for (const nodes of counts) {
    for (let i = 0; i < each; ++i) cells.push(i < nodes ? node++ : -1);
  }
  const size = width * dims[1];
  const planes = [];
  for (let first = 0; first < cells.length; first += size) {
    let index = planes.length;
    const title = dims.slice(2).map((extent, d) => {
      const at = index % extent;
      index = Math.floor(index / extent);
      return `${'zwvu'[d]}=${at}`;
    }).join(' ');
    planes.push({title, width, height: dims[1], nodes: cells.slice(first, first + size)});
  }
  return planes;
}

// How the planes are arranged in a canvas of that width, and at most that height
// if cells of two pixels allow it: cell size in pixels and the place of each
// plane.
export function layOut(planes, width, max_height = Infinity) {
  const title = planes[0].title ? 16 : 0;
  const gap = 12;
  const plane_width = Math.max(...planes.map((plane) => plane.width));
  const plane_height = Math.max(...planes.map((plane) => plane.height));
  const label_cells = title ? 62 : 0;
  let best = null;
  for (let per_row = 1; per_row <= planes.length; ++per_row) {
    const rows = Math.ceil(planes.length / per_row);
    const fit = (width - (per_row - 1) * gap) / (per_row * plane_width);
    const fit_height = Math.max(2, (max_height / rows - title - gap) / plane_height);
    const size = Math.min(MAX_CELL_PX, fit, fit_height);
    const slot = Math.max(size * plane_width, Math.min(label_cells, width / per_row - gap));
    if (slot * per_row + gap * (per_row - 1) > width + 1) continue;
    const height = rows * (size * plane_height + title + gap);
    if (best === null || size > best.size || (size === best.size && height < best.height)) best = {size, slot, per_row, height};
  }
  if (best === null) {
    const size = width / plane_width;
    best = {size, slot: width, per_row: 1, height: planes.length * (size * plane_height + title + gap)};
  }
  const size = best.size >= 2 ? Math.floor(best.size) : best.size;
  const boxes = planes.map((plane, i) => ({
    x: (i % best.per_row) * (best.slot + gap),
    y: Math.floor(i / best.per_row) * (size * plane_height + title + gap), plane}));
  const rows = Math.ceil(planes.length / best.per_row);
  return {size, title, boxes, height: Math.ceil(rows * (size * plane_height + title + gap) - gap + 1)};
}

// The cell at a place of the canvas: {plane, column, row, node}, or null.
export function cellAt(layout, at_x, at_y) {
  for (const {x, y, plane} of layout.boxes) {
    const column = Math.floor((at_x - x) / layout.size);
    const row = Math.floor((at_y - y - layout.title) / layout.size);
    if (column < 0 || column >= plane.width || row < 0 || row >= plane.height) continue;
    const node = plane.nodes[row * plane.width + column];
    if (node >= 0) return {plane, column, row, node};
  }
  return null;
}

// Sets the size of a canvas for the resolution of the screen or of a printer.
export function sized(canvas, width, height) {
  const scale = Math.max(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return context;
}
