// SPDX-License-Identifier: GPL-3.0-or-later

// The two documents of the page: `replay`, that of coolspan replay --json, and
// `data`, what the charts draw; and what both are shown as.

const replay = JSON.parse(byId('replay-json').textContent);
const data = JSON.parse(byId('data-json').textContent);
const machine = data.machine;

// Of Okabe and Ito, "Color universal design", and two more.
const RUN_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#b85f93', '#c58a00', '#3a9fd8', '#7a7a7a', '#8168c9'];
const RUN_DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [], [6, 3], [2, 2], [8, 3, 2, 3]];

function differ(runs, key) {
  return runs.some((run) => run[key] !== runs[0][key]);
}

// The policy and what differs between the runs, as in the text output.
function labelOf(run, runs) {
  let label = run.situation === undefined ? run.policy : `${run.situation} \u2192 ${run.policy}`;
  if (differ(runs, 'ordering')) label += `/${run.ordering}`;
  if (differ(runs, 'scheduler')) label += `/${run.scheduler}`;
  return label;
}

// One column of the results: a run, or runs that differ in their seed only.
// metrics, ci95: by name. difference: to the first column, {mean, ci95} by name.
function columnsOf() {
  if (replay.groups) {
    return replay.groups.map((group, i) => {
      const column = {label: labelOf(group, replay.groups), seeds: group.seeds.length,
        jobs: replay.runs.find((run) => run.policy === group.policy).jobs,
        metrics: {}, ci95: {}, difference: i === 0 ? null : group.difference_to_first || null};
      for (const [name, value] of Object.entries(group.metrics)) {
        column.metrics[name] = value.mean;
        column.ci95[name] = value.ci95;
      }
      return column;
    });
  }
  const first = replay.runs[0];
  return replay.runs.map((run, i) => {
    const column = {label: labelOf(run, replay.runs), seeds: 1, jobs: run.jobs,
      metrics: run.metrics, ci95: {}, difference: i === 0 ? null : {}};
    for (const [name, value] of Object.entries(i === 0 ? {} : run.metrics)) {
      const base = first.metrics[name];
      const known = value !== null && base !== null && base !== undefined;
      column.difference[name] = {mean: known ? value - base : null, ci95: null};
    }
    return column;
  });
}
const columns = columnsOf();

data.runs.forEach((run, i) => {
  run.label = labelOf(run, replay.runs);
  run.colour = RUN_COLOURS[i % RUN_COLOURS.length];
  run.dash = RUN_DASHES[i % RUN_DASHES.length];
});

function colourOf(label) {
  const run = data.runs.find((one) => one.label === label);
  return run ? run.colour : null;
}

function nodeName(node) {
  return machine.names ? machine.names[node] : `node ${node}`;
}

// The unit of the time axes: the same for all charts.
const longest_s = Math.max(1, ...data.runs.map((run) =>
  (run.series.used.length - 1) * run.series.interval_s));
const timeUnit = longest_s < 7200 ? {name: 'min', size: 60} :
  longest_s < 4 * 86400 ? {name: 'h', size: 3600} : {name: 'd', size: 86400};
const TIME_TITLE = `time since the first submit (${timeUnit.name})`;
const TIME_MAX = longest_s / timeUnit.size;
function atTime(seconds) {
  const time = seconds / timeUnit.size;
  return `${fixed(time, decimalsFor(longest_s / timeUnit.size))} ${timeUnit.name}`;
}

// Sums or maxima of `each` consecutive values: at most max_points points
// {x, y}, x the time of the first of them in timeUnit.
function pointsOf(run, values, max_points, combine) {
  const each = Math.ceil(values.length / max_points);
  const points = [];
  for (let i = 0; i < values.length; i += each) {
    const part = values.slice(i, i + each).filter((value) => value !== null);
    points.push({x: i * run.series.interval_s / timeUnit.size,
      y: part.length === 0 ? null : combine(part)});
  }
  return points;
}
function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
function maxOf(values) {
  return Math.max(...values);
}
