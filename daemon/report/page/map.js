// SPDX-License-Identifier: GPL-3.0-or-later

// The machine map with its time slider.

const MAP_FRAME_MS = 150;

// The highest inlet temperature of all maps, or the redline if that is higher.
const hottest_c = machine.room === null ? 0 : data.runs.reduce((max, run) =>
  run.picture.frames.reduce((most, frame) => Math.max(most, maxOf(frame.inlet_dc) / 10), max),
machine.room.redline_c);

const mapState = {run: null, frame: 0, by: 'job', timer: null, planes: planesOf(machine), boxes: [],
  jobs: [], inlets: null, zones: machine.room ? unpacked(machine.room.zone_of) : null};

function fillOf(node) {
  if (mapState.by === 'inlet') return inletColour(machine.room, hottest_c, mapState.inlets[mapState.zones[node]] / 10);
  const job = mapState.jobs[node];
  return job === FREE ? cssColour('--cell') : jobColour(job);
}

function drawMap() {
  const canvas = byId('map-canvas');
  const width = canvas.parentElement.clientWidth;
  const layout = layOut(mapState.planes, width);
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
  const cell = cellAt(layout, at_x, at_y);
  let text = '';
  if (cell !== null) {
    const {node} = cell;
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
    Array.from({length: 9}, (_, i) => inletColour(machine.room, hottest_c, low + (high - low) * i / 8)).join(', ') + ')'});
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
