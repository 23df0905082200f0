// SPDX-License-Identifier: GPL-3.0-or-later

// The machine map with its time slider.

const FREE = -1;
const MAP_FRAME_MS = 150;
const MAX_CELL_PX = 34;

// One colour for each job number, equal in map and Gantt chart. Hues in steps of
// the golden ratio: jobs with close numbers, which run together, differ most.
// Red is left for inlets above the redline.
function jobColour(job) {
  const share = job * 0.6180339887 % 1;
  return `hsl(${Math.round(20 + 320 * share)} 42% ${[46, 58, 68][job % 3]}%)`;
}

// The highest inlet temperature of all maps, or the redline if that is higher.
const hottest_c = machine.room === null ? 0 : data.runs.reduce((max, run) =>
  run.picture.frames.reduce((most, frame) => Math.max(most, maxOf(frame.inlet_dc) / 10), max),
machine.room.redline_c);

// Blue at the supply temperature to yellow at the redline; from there on orange
// to dark red.
function inletColour(inlet_c) {
  const {supply_c, redline_c} = machine.room;
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
// side by side. Other networks: a plane for each switch with several nodes, or
// one strip in node order.
function planesOfMachine() {
  const counts = unpacked(machine.vertices);
  if (machine.grid && machine.grid.dims.length >= 2) return planesOfGrid(counts);
  const racks = counts.filter((nodes) => nodes > 0);
  if (racks.length > 1 && racks.length <= 256 && racks.length < machine.nodes) return planesOfRacks(racks);
  const width = Math.max(8, 8 * Math.ceil(Math.sqrt(2 * machine.nodes) / 8));
  return [stripOf('', 0, machine.nodes, Math.min(width, machine.nodes))];
}

function stripOf(title, first, nodes, width) {
  const height = Math.ceil(nodes / width);
  const cells = Array.from({length: width * height}, (_, i) => i < nodes ? first + i : -1);
  return {title, width, height, nodes: cells};
}

function planesOfRacks(racks) {
  let first = 0;
  const largest = Math.max(...racks);
  const width = Math.max(1, Math.ceil(Math.sqrt(largest)));
  return racks.map((nodes, i) => {
    const plane = stripOf(`switch ${i}`, first, nodes, width);
    first += nodes;
    return plane;
  });
}

function planesOfGrid(counts) {
  const {dims, nodes_per_vertex: each} = machine.grid;
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

const mapState = {run: null, frame: 0, by: 'job', timer: null, planes: planesOfMachine(), boxes: [],
  jobs: [], inlets: null, zones: machine.room ? unpacked(machine.room.zone_of) : null};

// How the planes are arranged in a canvas of that width: cell size in pixels
// and the place of each plane.
function layOut(width) {
  const {planes} = mapState;
  const title = planes[0].title ? 16 : 0;
  const gap = 12;
  const plane_width = Math.max(...planes.map((plane) => plane.width));
  const plane_height = Math.max(...planes.map((plane) => plane.height));
  const label_cells = title ? 62 : 0;
  let best = null;
  for (let per_row = 1; per_row <= planes.length; ++per_row) {
    const rows = Math.ceil(planes.length / per_row);
    const fit = (width - (per_row - 1) * gap) / (per_row * plane_width);
    const size = Math.min(MAX_CELL_PX, fit);
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

function fillOf(node) {
  if (mapState.by === 'inlet') return inletColour(mapState.inlets[mapState.zones[node]] / 10);
  const job = mapState.jobs[node];
  return job === FREE ? cssColour('--cell') : jobColour(job);
}

// Sets the size of a canvas for the resolution of the screen or of a printer.
function sized(canvas, width, height) {
  const scale = Math.max(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return context;
}

function drawMap() {
  const canvas = byId('map-canvas');
  const width = canvas.parentElement.clientWidth;
  const layout = layOut(width);
  mapState.layout = layout;
  const context = sized(canvas, width, layout.height);
  const border = layout.size >= 5 ? 1 : 0;
  const free = cssColour('--cell');
  for (const {x, y, plane} of layout.boxes) {
    context.fillStyle = cssColour('--soft');
    if (plane.title) context.fillText(plane.title, x, y + 11);
    plane.nodes.forEach((node, i) => {
      if (node < 0) return;
      const left = x + (i % plane.width) * layout.size;
      const top = y + layout.title + Math.floor(i / plane.width) * layout.size;
      context.fillStyle = fillOf(node);
      context.fillRect(left, top, layout.size - border, layout.size - border);
      if (mapState.by === 'inlet' && mapState.jobs[node] === FREE && layout.size >= 8) {
        context.fillStyle = free;
        context.fillRect(left + layout.size * 0.3, top + layout.size * 0.3, layout.size * 0.35, layout.size * 0.35);
      }
    });
  }
}

// The job numbers of the frame with their nodes, largest first.
function jobsOfFrame() {
  const nodes = new Map();
  mapState.jobs.forEach((job, node) => {
    if (job === FREE) return;
    if (!nodes.has(job)) nodes.set(job, []);
    nodes.get(job).push(node);
  });
  return [...nodes].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
}

function showFrame(frame) {
  const {picture} = mapState.run;
  mapState.frame = frame;
  mapState.jobs = unpacked(picture.frames[frame].jobs);
  mapState.inlets = picture.frames[frame].inlet_dc || null;
  drawMap();
  const jobs = jobsOfFrame();
  const used = jobs.reduce((sum, [, nodes]) => sum + nodes.length, 0);
  let text = `${atTime(frame * picture.interval_s)}: ${count(used)} of ` +
    `${counted(machine.nodes, 'node')} used by ${counted(jobs.length, 'job')}`;
  if (mapState.inlets) text += `, peak inlet ${fixed(Math.max(...mapState.inlets) / 10, 1)} \u00b0C`;
  byId('map-time').textContent = text;
  byId('map-slider').value = frame;
  byId('map-slider').setAttribute('aria-valuetext', text);
  byId('map-canvas').setAttribute('aria-label', `Machine map of ${mapState.run.label}, ${text}`);
  const table = document.querySelector('#map details');
  if (table.open) table.dispatchEvent(new Event('toggle'));
  drawGantt();
}

function playOrPause() {
  const button = byId('map-play');
  const slider = byId('map-slider');
  if (mapState.timer !== null) {
    clearInterval(mapState.timer);
    mapState.timer = null;
    button.textContent = 'Play';
    return;
  }
  button.textContent = 'Pause';
  if (mapState.frame >= Number(slider.max)) showFrame(0);
  mapState.timer = setInterval(() => {
    if (mapState.frame >= Number(slider.max)) playOrPause();
    else showFrame(mapState.frame + 1);
  }, MAP_FRAME_MS);
}

// Names the node below the pointer.
function nameNode(event) {
  const {layout} = mapState;
  const box = byId('map-canvas').getBoundingClientRect();
  const at_x = event.clientX - box.left;
  const at_y = event.clientY - box.top;
  let text = '';
  for (const {x, y, plane} of layout.boxes) {
    const column = Math.floor((at_x - x) / layout.size);
    const row = Math.floor((at_y - y - layout.title) / layout.size);
    if (column < 0 || column >= plane.width || row < 0 || row >= plane.height) continue;
    const node = plane.nodes[row * plane.width + column];
    if (node < 0) continue;
    const job = mapState.jobs[node];
    text = `${nodeName(node)}: ${job === FREE ? 'free' : `job ${job}`}`;
    if (mapState.inlets) text += `, inlet ${fixed(mapState.inlets[mapState.zones[node]] / 10, 1)} \u00b0C`;
  }
  byId('map-hover').textContent = text;
}

function jobsTable() {
  const max_rows = 200;
  const rows = jobsOfFrame().slice(0, max_rows).map(([job, nodes]) => {
    const list = nodes.slice(0, 12).map(nodeName).join(', ') + (nodes.length > 12 ? ', \u2026' : '');
    return [String(job), count(nodes.length), list];
  });
  return tableOf('Jobs on the map', ['job', 'nodes', 'node names'], rows);
}

function legendOfMap() {
  if (!machine.room) return element('p', {class: 'note'}, 'Each colour is a job; grey cells are nodes without a job, free or unavailable.');
  const {supply_c, redline_c} = machine.room;
  const scale = (low, high) => element('span', {style: 'background:linear-gradient(to right, ' +
    Array.from({length: 9}, (_, i) => inletColour(low + (high - low) * i / 8)).join(', ') + ')'});
  return element('div', {class: 'note'},
    element('div', {}, 'By job: each colour is a job; grey cells are nodes without a job, free or unavailable.'),
    element('div', {class: 'scale'}, `By inlet: ${fixed(supply_c, 0)} \u00b0C`, scale(supply_c, redline_c - 0.01),
      `${fixed(redline_c, 0)} \u00b0C (redline)`,
      ...(hottest_c > redline_c ? [scale(redline_c, hottest_c), `${fixed(hottest_c, 0)} \u00b0C`] : [])),
    element('div', {}, 'A grey centre: the node is free.'));
}

function setUpMap() {
  const colours = machine.room ? element('span', {},
    element('label', {for: 'map-by'}, 'Colour by '), element('select', {id: 'map-by'},
      element('option', {value: 'job'}, 'job'), element('option', {value: 'inlet'}, 'inlet temperature'))) : null;
  byId('map').append(
    element('div', {class: 'controls'},
      element('button', {id: 'map-play', type: 'button'}, 'Play'),
      element('label', {for: 'map-slider', class: 'sr'}, 'Time of the map'),
      element('input', {id: 'map-slider', type: 'range', min: '0', step: '1', value: '0'}), colours),
    element('p', {id: 'map-time', class: 'note'}),
    element('canvas', {id: 'map-canvas', role: 'img'}),
    element('p', {id: 'map-hover', class: 'note hover'}), legendOfMap(),
    lazyTable('Table: jobs on the map', jobsTable));
  byId('map-slider').addEventListener('input', (event) => showFrame(Number(event.target.value)));
  byId('map-play').addEventListener('click', playOrPause);
  byId('map-canvas').addEventListener('pointermove', nameNode);
  byId('map-canvas').addEventListener('pointerleave', () => { byId('map-hover').textContent = ''; });
  if (colours) {
    byId('map-by').addEventListener('change', (event) => {
      mapState.by = event.target.value;
      drawMap();
    });
  }
}

// The first frame with the most jobs, to begin with.
function fullestFrame(run) {
  const jobs = run.picture.frames.map((frame) =>
    new Set(frame.jobs.filter((job, i) => i % 2 === 1 && job !== FREE)).size);
  return jobs.indexOf(Math.max(...jobs));
}

function showMap(run) {
  const same_time = mapState.run === null ? null : mapState.frame * mapState.run.picture.interval_s;
  mapState.run = run;
  const last = run.picture.frames.length - 1;
  byId('map-slider').max = String(Math.max(0, last));
  if (last < 0) return;
  showFrame(same_time === null ? fullestFrame(run) :
    Math.min(last, Math.round(same_time / run.picture.interval_s)));
}
