// SPDX-License-Identifier: GPL-3.0-or-later

// What the daemon does, in numbers, from the document api/v1/status.

import {byId, count, counted, element, fixed, quantity, tableOf} from './format.js';

const MAX_BLOCK_ROWS = 8;
const LOST_AFTER_MS = 60000;

function show(id, items) {
  byId(id).replaceChildren(...items.filter((item) => item !== null).flatMap(([name, value]) =>
    [element('dt', {}, name), element('dd', {}, value)]));
}

function celsius(value) {
  return `${fixed(value, 1)}\u00a0\u00b0C`;
}

export function modeText(cluster) {
  if (cluster.mode !== 'default') return `${cluster.mode} (coolspan mode)`;
  return cluster.client_mode === null ? 'that of coolspan.conf' : `${cluster.client_mode} (coolspan.conf)`;
}

function timeText(at_ms) {
  return new Date(at_ms).toLocaleString();
}

// What is wrong, in sentences.
export function warningsOf(status, cluster) {
  const warnings = [];
  if (status.drained_ms !== null) {
    warnings.push(`Drained since ${timeText(status.drained_ms)}: this daemon makes no decisions.`);
  }
  if (status.config.reload_error !== null) {
    warnings.push(`The last reload was refused: ${status.config.reload_error}`);
  }
  if (status.room && status.room.over_redline) warnings.push('The running jobs will exceed the redline.');
  warnings.push(...status.state.warnings);
  if (cluster === null) {
    warnings.push('No cluster has connected yet.');
    return warnings;
  }
  if (cluster.leader !== null) {
    warnings.push(cluster.leader === '' ? `${cluster.name}: no leader at the moment.` :
      `${cluster.name}: leader ${cluster.leader} (decisions on its page); this daemon is a follower.`);
    return warnings;
  }
  const is_shared = status.state.ledger.startsWith('etcd ');
  if (!cluster.synced && !is_shared) warnings.push(`${cluster.name}: no sync since the daemon started.`);
  if (cluster.incomplete) warnings.push(`${cluster.name}: not all jobs are known; no decisions before the next sync.`);
  const age_ms = cluster.contact_age_ms;
  if (age_ms === null || age_ms > LOST_AFTER_MS) {
    warnings.push(`${cluster.name}: no contact ${age_ms === null ? 'since the daemon started' :
      `for ${count(Math.floor(age_ms / 60000))} min`}.`);
  }
  return warnings;
}

export function showWarnings(warnings) {
  // Told once, not with each status.
  const text = warnings.join('\n');
  const parent = byId('warnings');
  if (parent.dataset.text === text) return;
  parent.dataset.text = text;
  parent.replaceChildren(...warnings.map((warning) => element('p', {}, warning)));
}

// Counted by the leader of the cluster.
function countsOf(status, cluster) {
  if (cluster.leader !== null) return ['starts', 'decisions', 'latency'].map((name) => [name, 'none: a follower']);
  return [
    ['starts', `${count(cluster.starts.enforced)} as decided, ${count(cluster.starts.advised)} advised, ` +
      `${count(cluster.starts.fallback)} fallback, ${count(cluster.starts.left)} left to Slurm`],
    ['decisions', `${count(status.decisions)}, ${count(status.placed)} placed`],
    ['latency', status.decisions === 0 ? 'none' :
      `${count(status.decision_us_p50)} \u00b5s median, ${count(status.decision_us_p99)} \u00b5s p99`],
  ];
}

export function showCluster(status, cluster) {
  show('summary-cluster', [
    ['mode', modeText(cluster)],
    ['policy', status.policy],
    ['jobs', `${count(cluster.jobs_committed)} running, ${count(cluster.jobs_tentative)} proposed`],
    cluster.jobs_suspended > 0 ? ['suspended', count(cluster.jobs_suspended)] : null,
    cluster.jobs_disputed > 0 ? ['disputed', count(cluster.jobs_disputed)] : null,
    ['nodes held', `${count(cluster.nodes_held)} of ${count(cluster.nodes)}`],
    ['nodes free', count(cluster.nodes_free)],
    ['unavailable', count(cluster.nodes_unavailable)],
    ...countsOf(status, cluster),
  ]);
}

function blocksTable(nodes) {
  const sizes = nodes.blockSizes();
  const most = sizes.reduce((max, [size, blocks]) => Math.max(max, size * blocks), 1);
  const rows = sizes.slice(0, MAX_BLOCK_ROWS).map(([size, blocks]) => [count(size), count(blocks),
    element('span', {class: 'bar', style: `width:${100 * size * blocks / most}%`})]);
  const table = tableOf('Free blocks by size', ['nodes', 'blocks', 'free nodes in them'], rows);
  const more = sizes.length - rows.length;
  return more > 0 ? [table, element('p', {class: 'note'}, `and ${counted(more, 'smaller size')}`)] : [table];
}

export function showSpace(cluster, nodes) {
  const free = cluster.free_space;
  const blocks = cluster.block_space;
  show('summary-space', [
    free ? ['largest interval', `${counted(free.largest_interval, 'node')}, of ${counted(free.free_intervals, 'interval')}`] : null,
    free && free.largest_box !== null ? ['largest box', `${count(free.largest_box)} vertices`] : null,
    ...(free ? free.switches.map((one) => [`switches, level ${one.level}`,
      `${count(one.idle)} idle, largest job ${counted(one.largest, 'node')}`]) : []),
    blocks ? ['idle blocks', count(blocks.idle_blocks)] : null,
    blocks ? ['largest job', counted(blocks.largest_job, 'node')] : null,
    ...(blocks ? blocks.idle_segments.map((one) => [`segments of ${count(one.nodes)}`, count(one.idle)]) : []),
  ]);
  byId('summary-blocks').replaceChildren(...blocksTable(nodes));
}

export function showRoom(room) {
  byId('room-section').hidden = !room;
  if (!room) return;
  show('summary-room', [
    ['peak inlet', `${celsius(room.peak_inlet_c)} (${room.peak_node})`],
    ['peak inlet, steady state', `${celsius(room.steady_peak_inlet_c)} (${room.steady_peak_node})`],
    ['redline', celsius(room.redline_c)],
    ['supply', `${celsius(room.supply_c)} (maximum safe ${celsius(room.supply_max_c)})`],
    ['IT power', quantity('power', room.it_w)],
    ['cooling power', room.cop_is_sensible ? quantity('power', room.cooling_w) : 'outside the valid range of the CoP model'],
    room.inlets_bad + room.powers_bad > 0 ? ['bad sensors', count(room.inlets_bad + room.powers_bad)] : null,
  ]);
}

// "3.10, Slurm 4.20 (26.2 % less)"
function comparedText(decided, actual, textOf) {
  const share = actual > 0 ? 100 * (1 - decided / actual) : 0;
  const word = share >= 0 ? 'less' : 'more';
  return `${textOf(decided)}, Slurm ${textOf(actual)} (${fixed(Math.abs(share), 1)}\u00a0% ${word})`;
}

// What mode advise would save: means over the jobs of which both choices are
// known.
export function showAdvice(cluster) {
  const {advice, advised} = cluster.starts;
  byId('advice-section').hidden = advised === 0;
  if (advised === 0) return;
  const mean = (sum, jobs) => sum / jobs;
  show('summary-advice', [
    ['jobs', `${count(advised)}, ${count(advice.jobs)} compared`],
    advice.jobs_n2 > 0 ? ['mean hops', comparedText(mean(advice.coolspan.pairwise_mean, advice.jobs_n2),
      mean(advice.slurm.pairwise_mean, advice.jobs_n2), (hops) => fixed(hops, 2))] : null,
    advice.jobs_cooling > 0 ? ['cooling power', comparedText(mean(advice.coolspan.cooling_w, advice.jobs_cooling),
      mean(advice.slurm.cooling_w, advice.jobs_cooling), (watts) => quantity('power', watts))] : null,
  ]);
}
