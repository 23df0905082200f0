// SPDX-License-Identifier: GPL-3.0-or-later

// The table of results and the sentence above it.

// name in the JSON document, text, kind of quantity, which value is better.
const HEADLINES = [
  ['mean_wait_s', 'mean wait', 'time', 'low'],
  ['wait_s_p95', 'wait, 95th percentile', 'time', 'low'],
  ['mean_bounded_slowdown', 'mean bounded slowdown', 'number', 'low'],
  ['mean_runtime_s', 'mean run time', 'time', 'low'],
  ['makespan_s', 'makespan', 'time', 'low'],
  ['requeues', 'jobs ended by a failed node', 'number', 'low'],
  ['lost_node_s', 'node time lost by them', 'time', 'low'],
  ['utilization', 'utilization', 'share', 'high'],
  ['pairwise_mean', 'hop distance within jobs', 'hops', 'low'],
  ['components', 'components per job', 'number', 'low'],
  ['stretch_span', 'span per node of a job', 'number', 'low'],
  ['interval_fragmentation', 'fragmentation of the free nodes', 'share', 'low'],
  ['largest_free_interval', 'largest free interval, nodes', 'number', 'high'],
  ['largest_free_box', 'largest free box, vertices', 'number', 'high'],
  ['largest_switch_0', 'most free nodes below a leaf switch', 'number', 'high'],
  ['idle_switches_0', 'idle leaf switches', 'number', 'high'],
  ['largest_job', 'largest job within the blocks, nodes', 'number', 'high'],
  ['peak_inlet_c_max', 'highest inlet temperature', 'temperature', 'low'],
  ['mean_cooling_w', 'mean cooling power', 'power', 'low'],
  ['cooling_energy_j', 'cooling energy', 'energy', 'low'],
  ['total_energy_j', 'IT and cooling energy', 'energy', 'low'],
];

function valuesOf(name) {
  return columns.map((column) => {
    const value = column.metrics[name];
    return value === undefined ? null : value;
  });
}

function nearlyEqual(a, b) {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

// Which columns have the best value; none if all are equal.
function bestOf(values, better) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return values.map(() => false);
  const best = better === 'low' ? Math.min(...known) : Math.max(...known);
  if (known.every((value) => nearlyEqual(value, best))) return values.map(() => false);
  return values.map((value) => value !== null && nearlyEqual(value, best));
}

function signed(value, decimals) {
  const text = fixed(Math.abs(value), decimals);
  return (Number(text.replace(/,/g, '')) === 0 ? '' : value < 0 ? MINUS : '+') + text;
}

// "+3.2 %", with the interval if there are several seeds. Shares and
// temperatures differ by percentage points and degrees.
function differenceText(name, kind, column) {
  const difference = column.difference && column.difference[name];
  if (!difference || difference.mean === null) return null;
  if (difference.mean === 0) return 'equal';
  const base = columns[0].metrics[name];
  const absolute = kind === 'share' || kind === 'temperature';
  if (!absolute && !base) return null;
  const scale = kind === 'share' ? 100 : absolute ? 1 : 100 / Math.abs(base);
  const unit = kind === 'share' ? 'points' : absolute ? 'K' : '%';
  let text = signed(difference.mean * scale, kind === 'temperature' ? 2 : 1);
  if (difference.ci95 !== null) {
    text += ` \u00b1 ${fixed(difference.ci95 * scale, kind === 'temperature' ? 2 : 1)}`;
  }
  return `${text}\u00a0${unit}`;
}

function resultRow([name, text, kind, better]) {
  const values = valuesOf(name);
  if (values.every((value) => value === null)) return null;
  const largest = largestOf(values);
  const unit = unitFor(kind, largest);
  const decimals = decimalsFor(largest / unit.size);
  const best = bestOf(values, better);
  const cells = columns.map((column, i) => {
    const value = values[i];
    const cell = element('td', {'data-metric': name, 'data-value': value,
      'data-size': unit.size, class: best[i] ? 'best' : null},
    element('span', {}, value === null ? DASH : fixed(value / unit.size, decimals)));
    if (best[i]) cell.append(element('span', {class: 'sr'}, ' (best)'));
    const ci95 = column.ci95[name];
    if (value !== null && ci95 !== null && ci95 !== undefined) {
      cell.append(element('small', {}, `\u00b1 ${fixed(ci95 / unit.size, decimals)}`));
    }
    const difference = differenceText(name, kind, column);
    if (difference) cell.append(element('small', {}, difference));
    return cell;
  });
  return element('tr', {}, element('th', {scope: 'row'},
    unit.name ? `${text}, ${unit.name}` : text), ...cells);
}

function resultsTable() {
  const heads = columns.map((column) => {
    const colour = colourOf(column.label);
    return element('th', {scope: 'col'}, colour ?
      element('span', {class: 'swatch', style: `background:${colour}`}) : null, column.label);
  });
  return element('table', {},
    element('caption', {class: 'sr'}, 'Metrics of each policy'),
    element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'metric'), ...heads)),
    element('tbody', {}, ...HEADLINES.map(resultRow).filter((row) => row !== null)));
}

// "x has the shortest mean wait: 2.3 h, 4 % less than y". null: no comparison.
function comparison(name, claim, kind) {
  const values = valuesOf(name);
  const best = bestOf(values, 'low').indexOf(true);
  if (best < 0) return null;
  const base = best === 0 ? largestOf(values) : values[0];
  const against = best === 0 ? columns[values.indexOf(base)].label : columns[0].label;
  const less = 100 * (1 - values[best] / base);
  if (!(less >= 0.05)) return null;
  let text = `${columns[best].label} ${claim}: ${quantity(kind, values[best])}, ` +
    `${fixed(less, 1)}\u00a0% less than ${against}`;
  // To the first column, which is one of the two.
  const other = columns[best === 0 ? values.indexOf(base) : best];
  const difference = other.difference && other.difference[name];
  // Equal seeds have no interval.
  if (difference && difference.ci95 > 0) {
    text += Math.abs(difference.mean) > difference.ci95 ?
      ' (significant)' : ' (not significant)';
  }
  return text + '.';
}

function resultSentence() {
  if (columns[0].jobs === 0) return 'No job was replayed.';
  if (columns.length === 1) {
    const metrics = columns[0].metrics;
    return `${columns[0].label}: mean wait ${quantity('time', metrics.mean_wait_s)}, ` +
      `utilization ${quantity('share', metrics.utilization)}, ` +
      `hop distance within jobs ${quantity('hops', metrics.pairwise_mean)}` +
      (metrics.mean_cooling_w === undefined ? '.' :
        `, mean cooling power ${quantity('power', metrics.mean_cooling_w)}.`);
  }
  const claims = [
    comparison('cooling_energy_j', 'takes the least cooling energy', 'energy'),
    comparison('pairwise_mean', 'places jobs closest together', 'hops'),
    comparison('mean_wait_s', 'has the shortest mean wait', 'time'),
  ].filter((claim) => claim !== null);
  const waits = valuesOf('mean_wait_s');
  if (waits[0] !== null && !bestOf(waits, 'low').includes(true)) {
    claims.push(`Mean waits are equal: ${quantity('time', waits[0])}.`);
  }
  return claims.length > 0 ? claims.join(' ') : 'The results of all runs are equal.';
}

function allMetrics() {
  const names = Object.keys(columns[0].metrics);
  const text = (value) => value === null || value === undefined ? DASH : String(value);
  return tableOf('All metrics', ['metric', ...columns.map((column) => column.label)],
    names.map((name) => [name, ...columns.map((column) => text(column.metrics[name]) +
      (column.ci95[name] ? ` \u00b1 ${text(column.ci95[name])}` : ''))]));
}

function different(key) {
  return [...new Set(replay.runs.map((run) => run[key]))].join(', ');
}

function showResults() {
  const seeds = columns[0].seeds;
  byId('title').textContent = `${data.trace.replace(/^.*\//, '')} on ${machine.name}`;
  byId('subtitle').textContent =
    `${counted(columns[0].jobs, 'job')} on ${counted(machine.nodes, 'node')} (${machine.kind}` +
    `${machine.grid ? ' ' + machine.grid.dims.join('\u00d7') : ''}), scheduler ` +
    `${different('scheduler')}, ordering ${different('ordering')}` +
    `${seeds > 1 ? `, ${seeds} seeds` : ''}. Coolspan ${data.version}.`;
  byId('result').textContent = resultSentence();
  byId('results-table').replaceChildren(resultsTable());
  byId('results-note').textContent = (columns.length > 1 ?
    `Highlighted: the best value of a row. Below each value: the difference to ${columns[0].label}. ` : '') +
    (seeds > 1 ? `Means over ${seeds} seeds, with 95 % confidence intervals.` : '');
  const details = byId('metrics-details');
  details.addEventListener('toggle', () => {
    if (details.open) byId('metrics-table').replaceChildren(allMetrics());
  });
}
