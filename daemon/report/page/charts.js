// SPDX-License-Identifier: GPL-3.0-or-later

// Charts by Chart.js: bars of the columns, and lines of the runs over time.

const MAX_POINTS = 256;  // of a single line
// Of each of several lines, which would hide each other otherwise.
const MAX_POINTS_OF_SEVERAL = 128;
const MAX_TABLE_ROWS = 65;
const NO_RUN_COLOUR = '#8a949e';  // of columns without lines
const charts = [];

// Sets the colours of Chart.js and of all charts; on_paper: for printing.
function paintCharts(on_paper) {
  const ink = on_paper ? '#000' : cssColour('--ink');
  const line = on_paper ? '#ddd' : cssColour('--line');
  Chart.defaults.color = ink;
  Chart.defaults.borderColor = line;
  for (const chart of charts) {
    for (const scale of Object.values(chart.options.scales)) {
      scale.ticks.color = ink;
      scale.title.color = ink;
      scale.grid.color = line;
    }
    chart.update('none');
  }
}

function setUpCharts() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Chart.defaults.animation = false;
  Chart.defaults.responsive = true;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.plugins.legend.display = false;
  paintCharts(false);
}

function axis(title, more) {
  return Object.assign({title: {display: true, text: title, color: cssColour('--ink')},
    ticks: {color: cssColour('--ink'), maxRotation: 0, autoSkipPadding: 14, includeBounds: false},
    grace: '6%',
    grid: {color: cssColour('--line'), drawBorder: false}}, more);
}

// A figure with its legend, canvas and table, appended to parent. lines: of the
// legend, {label, colour, dash}. Returns the chart.
function addFigure(parent, {id, title, note, description, lines, config, table, height}) {
  const canvas = element('canvas', {id, role: 'img', 'aria-label': description});
  const legend = lines && lines.length > 1 ? element('ul', {class: 'legend'},
    ...lines.map((one) => element('li', {},
      element('span', {class: 'swatch', style: `background:${one.colour}`}), one.label))) : null;
  const figure = element('figure', {},
    element('figcaption', {}, title, note ? element('small', {}, note) : null), legend,
    element('div', {class: 'plot', style: height ? `height:${height}px` : null}, canvas));
  if (table) figure.append(lazyTable(`Table: ${title.toLowerCase()}`, table));
  parent.append(figure);
  const chart = new Chart(canvas, config);
  charts.push(chart);
  return chart;
}

// Writes the value beside each bar.
const barValues = {
  id: 'barValues',
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.fillStyle = chart.options.scales.x.ticks.color;
    ctx.textBaseline = 'middle';
    chart.getDatasetMeta(0).data.forEach((bar, i) => {
      ctx.fillText(fixed(chart.data.datasets[0].data[i], 2), bar.x + 6, bar.y);
    });
    ctx.restore();
  },
};

// Room for labels of this many characters beside the bars; tables have them whole.
const MAX_LABEL = 26;
function shortLabel(label) {
  if (label.length <= MAX_LABEL) return label;
  // Options at the end tell the policies of a sweep apart.
  const start = Math.floor(MAX_LABEL / 3);
  return `${label.slice(0, start)}\u2026${label.slice(start + 1 - MAX_LABEL)}`;
}

// One bar for each column with a value.
function addBars(parent, name, title, axis_title) {
  const shown = columns.filter((column) => typeof column.metrics[name] === 'number');
  if (shown.length === 0) return;
  const BAR_PX = 22;
  addFigure(parent, {
    id: `chart-${name}`, title, height: shown.length > 8 ? 60 + BAR_PX * shown.length : null,
    description: `Bars: ${title}. ` + shown.map((column) =>
      `${column.label} ${fixed(column.metrics[name], 2)}`).join(', '),
    config: {type: 'bar', data: {labels: shown.map((column) => shortLabel(column.label)), datasets: [{
      data: shown.map((column) => column.metrics[name]), maxBarThickness: 26,
      backgroundColor: shown.map((column) => colourOf(column.label) || NO_RUN_COLOUR)}]},
    plugins: [barValues],
    options: {indexAxis: 'y', scales: {x: axis(axis_title, {beginAtZero: true, grace: '14%'}),
      y: axis('', {title: {display: false}, grid: {display: false},
        ticks: {color: cssColour('--ink'), autoSkip: false}})}}},
    table: () => tableOf(title, ['policy', axis_title], shown.map((column) =>
      [column.label, fixed(column.metrics[name], 3)])),
  });
}

function lineOf(run, points) {
  return {label: run.label, data: points, borderColor: run.colour, borderDash: run.dash,
    backgroundColor: run.colour, borderWidth: 1.6, pointRadius: 0, pointHitRadius: 8, tension: 0,
    // Solid lines below dashed ones, so that equal lines show both.
    order: -data.runs.indexOf(run)};
}

function lineConfig(datasets, x_title, x_max, y_title, more) {
  return {type: 'line', data: {datasets}, options: {parsing: false, normalized: true,
    interaction: {mode: 'nearest', axis: 'x', intersect: false},
    scales: {x: axis(x_title, {type: 'linear', min: 0, max: x_max}),
      y: axis(y_title, Object.assign({beginAtZero: true}, more))},
    plugins: {tooltip: {callbacks: {
      title: (items) => `${fixed(items[0].parsed.x, 2)} (${x_title})`,
      label: (item) => `${item.dataset.label}: ${fixed(item.parsed.y, 2)}`}}}}};
}

// Rows of a table of lines with common x values: every k-th point.
function lineTable(title, x_title, datasets) {
  const longest = datasets.reduce((a, b) => b.data.length > a.data.length ? b : a);
  const each = Math.ceil(longest.data.length / MAX_TABLE_ROWS);
  const rows = [];
  for (let i = 0; i < longest.data.length; i += each) {
    rows.push([fixed(longest.data[i].x, 2), ...datasets.map((dataset) => {
      const point = dataset.data.find((one) => one.x >= longest.data[i].x - 1e-9);
      return point ? fixed(point.y, 2) : DASH;
    })]);
  }
  return tableOf(title, [x_title, ...datasets.map((dataset) => dataset.label)], rows);
}

function maxPoints() {
  return data.runs.length > 1 ? MAX_POINTS_OF_SEVERAL : MAX_POINTS;
}

// A line for each run. values(run): an array of the samples, or null.
function addRunLines(parent, {id, title, note, y_title, values, combine, axis_more, extra}) {
  const datasets = [];
  for (const run of data.runs) {
    const samples = values(run);
    if (samples) datasets.push(lineOf(run, pointsOf(run, samples, maxPoints(), combine || meanOf)));
  }
  if (datasets.length === 0) return;
  const drawn = extra ? datasets.concat(extra) : datasets;
  addFigure(parent, {id, title, note,
    description: `Line chart: ${title}, of ${datasets.map((one) => one.label).join(', ')}`,
    lines: drawn.map((one) => ({label: one.label, colour: one.borderColor})),
    config: lineConfig(drawn, TIME_TITLE, TIME_MAX, y_title, axis_more),
    table: () => lineTable(title, TIME_TITLE, datasets)});
}

function showWaits() {
  const parent = byId('waits-charts');
  const largest = largestOf(data.runs.map((run) => largestOf(run.wait_percentiles_s)));
  const unit = unitFor('time', largest);
  const datasets = data.runs.filter((run) => run.wait_percentiles_s.length > 0)
    .map((run) => lineOf(run, run.wait_percentiles_s.map((wait, i) => ({x: i, y: wait / unit.size}))));
  if (datasets.length > 0) {
    addFigure(parent, {id: 'chart-waits', title: 'Wait before the start',
      note: 'The longest wait of that share of the jobs',
      description: 'Line chart: percentiles of the waits of each run',
      lines: data.runs,
      config: lineConfig(datasets, 'share of the jobs (%)', 100, `wait (${unit.name})`),
      table: () => tableOf('Waits', ['percentile', ...data.runs.map((run) => run.label)],
        [10, 25, 50, 75, 90, 95, 99, 100].map((p) => [`${p} %`, ...data.runs.map((run) =>
          fixed(run.wait_percentiles_s[p] / unit.size, 3))]))});
  }
  addBars(parent, 'pairwise_mean', 'Distance within jobs', 'mean hops between two nodes of a job');
  addBars(parent, 'components', 'Components of a job', 'connected parts (mean over jobs)');
  addBars(parent, 'stretch_span', 'Span of a job along the ordering', 'span / nodes (mean over jobs)');
}

function freeOf(series, i) {
  return machine.nodes - series.used[i] - series.unavailable[i];
}

function showLoad() {
  const parent = byId('load-charts');
  const shares = (run, part) => run.series.used.map((_, i) => 100 * part(run.series, i) / machine.nodes);
  addRunLines(parent, {id: 'chart-utilization', title: 'Utilization', y_title: 'nodes in use (%)',
    values: (run) => shares(run, (series, i) => series.used[i]), axis_more: {max: 100}});
  addRunLines(parent, {id: 'chart-queue', title: 'Queue', y_title: 'queued jobs',
    values: (run) => run.series.queued});
  addRunLines(parent, {id: 'chart-fragmentation', title: 'Fragmentation of the free nodes',
    note: 'Free nodes outside the largest free interval of the ordering',
    y_title: 'share of the free nodes (%)', axis_more: {max: 100},
    values: (run) => run.series.used.map((_, i) => {
      const free = freeOf(run.series, i);
      return free === 0 ? null : 100 * (1 - run.series.largest_interval[i] / free);
    })});
  if (machine.room) showRoom(parent);
  const each = Math.max(...data.runs.map((run) => Math.ceil(run.series.used.length / maxPoints())));
  const limits = [];
  if (each > 1) limits.push(`A point is the mean of up to ${each} samples${
    machine.room ? ', of inlet temperatures their maximum' : ''}. Equal lines cover each other.`);
  if (columns.some((column) => column.seeds > 1)) limits.push(`Runs of the first seed, ${data.runs[0].seed}.`);
  if (columns.length > data.runs.length && !replay.runs[0].situation) {
    limits.push(`Only the first ${data.runs.length} of ${columns.length} runs have charts over time.`);
  }
  byId('load-note').textContent = limits.join(' ');
}

function showRoom(parent) {
  const redline = machine.room.redline_c;
  const end = longest_s / timeUnit.size;
  addRunLines(parent, {id: 'chart-inlet', title: 'Peak inlet temperature',
    note: `At the configured supply temperature of ${fixed(machine.room.supply_c, 1)} \u00b0C`,
    y_title: 'peak inlet (\u00b0C)', combine: maxOf, axis_more: {beginAtZero: false},
    values: (run) => run.series.inlet_c,
    extra: [{label: `redline, ${fixed(redline, 1)} \u00b0C`, data: [{x: 0, y: redline}, {x: end, y: redline}],
      borderColor: '#c62828', backgroundColor: '#c62828', borderDash: [3, 3], borderWidth: 1.2, pointRadius: 0}]});
  const watts = data.runs.flatMap((run) => run.series.cooling_w);
  const unit = unitFor('power', largestOf(watts));
  addRunLines(parent, {id: 'chart-cooling', title: 'Cooling power',
    note: 'At the maximum safe supply temperature', y_title: `cooling power (${unit.name})`,
    values: (run) => run.series.cooling_w.map((value) => value === null ? null : value / unit.size)});
}

// The charts of the selected run.
let freeCharts = [];
const FREE_COLOURS = ['#7a7a7a', '#0072b2', '#d55e00', '#009e73'];

function freeLine(run, label, i, values) {
  return Object.assign(lineOf(run, pointsOf(run, values, MAX_POINTS, meanOf)),
    {label, borderColor: FREE_COLOURS[i], backgroundColor: FREE_COLOURS[i], borderDash: RUN_DASHES[i]});
}

function showFree(run) {
  for (const chart of freeCharts) {
    charts.splice(charts.indexOf(chart), 1);
    chart.destroy();
  }
  const parent = byId('free-charts');
  parent.replaceChildren();
  const series = run.series;
  const lines = [
    freeLine(run, 'free nodes', 0, series.used.map((_, i) => freeOf(series, i))),
    freeLine(run, 'largest interval of the ordering', 1, series.largest_interval),
    freeLine(run, 'largest connected set', 2, series.largest_component),
  ];
  if (series.largest_box && machine.grid.nodes_per_vertex === 1) {
    lines.push(freeLine(run, 'largest box', 3, series.largest_box));
  }
  const fits = addFigure(parent, {id: 'chart-fits', title: 'Largest job that fits',
    note: 'In one interval, one connected set of free nodes, one box',
    description: `Line chart: largest sets of free nodes of ${run.label} over time`,
    lines: lines.map((one) => ({label: one.label, colour: one.borderColor})),
    config: lineConfig(lines, TIME_TITLE, TIME_MAX, 'nodes'),
    table: () => lineTable('Largest job that fits', TIME_TITLE, lines)});
  freeCharts = [fits, addIntervals(parent, run)];
}

function addIntervals(parent, run) {
  const datasets = run.series.intervals.map((counts, bin) => {
    const low = 2 ** bin;
    const share = bin / Math.max(1, run.series.intervals.length - 1);
    const colour = `hsl(${205 + 10 * share} ${35 + 35 * share}% ${80 - 50 * share}%)`;
    return {label: low === 1 ? '1 node' : `${count(low)}${'\u2013'}${count(2 * low - 1)} nodes`,
      data: pointsOf(run, counts, MAX_POINTS, meanOf), borderColor: colour, backgroundColor: colour,
      borderWidth: 0.5, pointRadius: 0, pointHitRadius: 8, fill: true, stack: 'all'};
  });
  return addFigure(parent, {id: 'chart-intervals', title: 'Free intervals by length',
    note: 'Maximal runs of free ranks in the ordering',
    description: `Stacked areas: number of free intervals of ${run.label} over time by their length`,
    lines: datasets.map((one) => ({label: one.label, colour: one.borderColor})),
    config: lineConfig(datasets, TIME_TITLE, TIME_MAX, 'free intervals', {stacked: true}),
    table: () => lineTable('Free intervals', TIME_TITLE, datasets)});
}
