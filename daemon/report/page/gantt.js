// SPDX-License-Identifier: GPL-3.0-or-later

// The Gantt chart: ranks of the ordering by time.

const GANTT = {left: 52, right: 12, top: 8, bottom: 44, height: 380};
const GANTT_ZOOM = 20;

// Round steps for an axis of about `wanted` ticks.
function ticksOf(low, high, wanted) {
  const raw = Math.max((high - low) / wanted, 1e-9);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step) ticks.push(tick);
  return {ticks, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
}

// The shown times in seconds: the whole run, or a part around the map's time.
function ganttRange(run) {
  const length = Math.max(1, (run.series.used.length - 1) * run.series.interval_s);
  if (!byId('gantt-zoom').checked) return [0, length];
  const part = length / GANTT_ZOOM;
  const at = mapState.frame * run.picture.interval_s;
  const low = Math.max(0, Math.min(length - part, at - part / 2));
  return [low, low + part];
}

function drawGanttAxes(context, x_of, y_of, [low, high], width) {
  const bottom = GANTT.height - GANTT.bottom;
  context.fillStyle = cssColour('--ink');
  context.textAlign = 'center';
  const times = ticksOf(low / timeUnit.size, high / timeUnit.size, Math.max(3, width / 110));
  for (const tick of times.ticks) {
    context.fillText(fixed(tick, times.decimals), x_of(tick * timeUnit.size), bottom + 16);
  }
  context.fillText(TIME_TITLE, GANTT.left + (width - GANTT.left - GANTT.right) / 2, bottom + 36);
  context.textAlign = 'right';
  for (const tick of ticksOf(0, machine.nodes, 6).ticks) {
    if (Number.isInteger(tick)) context.fillText(count(tick), GANTT.left - 6, y_of(tick) + 4);
  }
  context.save();
  context.translate(12, GANTT.top + (bottom - GANTT.top) / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'center';
  context.fillText('rank of the node', 0, 0);
  context.restore();
}

function drawGantt() {
  const {run} = mapState;
  const canvas = byId('gantt-canvas');
  const width = canvas.parentElement.clientWidth;
  const context = sized(canvas, width, GANTT.height);
  const range = ganttRange(run);
  const inner = width - GANTT.left - GANTT.right;
  const bottom = GANTT.height - GANTT.bottom;
  const x_of = (seconds) => GANTT.left + (seconds - range[0]) / (range[1] - range[0]) * inner;
  const y_of = (rank) => GANTT.top + rank / machine.nodes * (bottom - GANTT.top);
  context.fillStyle = cssColour('--panel');
  context.fillRect(GANTT.left, GANTT.top, inner, bottom - GANTT.top);
  context.save();
  context.beginPath();
  context.rect(GANTT.left, GANTT.top, inner, bottom - GANTT.top);
  context.clip();
  for (const [job, start, end, , ...ranks] of run.picture.bars) {
    if (end < range[0] || start > range[1]) continue;
    context.fillStyle = jobColour(job);
    const x = x_of(start);
    const wide = Math.max(0.6, x_of(end) - x - 0.3);
    for (let i = 0; i < ranks.length; i += 2) {
      const y = y_of(ranks[i]);
      context.fillRect(x, y, wide, Math.max(0.6, y_of(ranks[i] + ranks[i + 1]) - y - 0.3));
    }
  }
  context.fillStyle = cssColour('--ink');
  context.fillRect(x_of(mapState.frame * run.picture.interval_s), GANTT.top, 1, bottom - GANTT.top);
  context.restore();
  drawGanttAxes(context, x_of, y_of, range, width);
}

function ganttTable() {
  const {run} = mapState;
  const rows = run.picture.bars.slice()
    .sort((a, b) => b[3] * (b[2] - b[1]) - a[3] * (a[2] - a[1])).slice(0, 100)
    .map(([job, start, end, nodes]) => [String(job), atTime(start), quantity('time', end - start), count(nodes)]);
  return tableOf('The 100 largest jobs', ['job', 'start', 'run time', 'nodes'], rows);
}

function setUpGantt() {
  byId('gantt').append(
    element('p', {id: 'gantt-note', class: 'note'}),
    element('div', {class: 'controls'}, element('label', {},
      element('input', {id: 'gantt-zoom', type: 'checkbox'}),
      ` Only 1/${GANTT_ZOOM} of the run, around the time of the map`)),
    element('canvas', {id: 'gantt-canvas', role: 'img'}),
    lazyTable('Table: largest jobs', ganttTable));
  byId('gantt-zoom').addEventListener('change', drawGantt);
}

function showGantt(run) {
  const {bars, bar_node_s: drawn, total_node_s: total} = run.picture;
  const share = total > 0 ? 100 * drawn / total : 100;
  byId('gantt-note').textContent = bars.length === run.jobs ?
    `All ${counted(run.jobs, 'job')}. The line marks the time of the map.` :
    `The ${count(bars.length)} largest of ${counted(run.jobs, 'job')} by node-seconds: ` +
    `${fixed(share, 1)} % of the node-seconds. Smaller jobs are left out. The line marks the time of the map.`;
  byId('gantt-canvas').setAttribute('aria-label',
    `Gantt chart of ${run.label}: nodes by rank and time, ${counted(bars.length, 'job')}`);
  drawGantt();
}
