// SPDX-License-Identifier: GPL-3.0-or-later

// The live page of coolspand: reads documents and events, shows them.

import {EventStream, getDocument} from './connection.js';
import {DecisionList} from './decisions.js';
import {ExplanationPanel} from './explanation.js';
import {byId, counted, element} from './format.js';
import {MachineMap} from './machine_map.js';
import {Nodes} from './nodes.js';
import {showAdvice, showCluster, showRoom, showSpace, showWarnings, warningsOf} from './summary.js';

const STATUS_MS = 2000;
const ROOM_MS = 5000;
// The time between two readings of the holdings: after events, and without.
const HOLDINGS_MS = 1000;
const QUIET_HOLDINGS_MS = 10000;

const state = {
  cluster: '',  // shown
  nodes: null,
  map: null,
  start: null,  // of the daemon
  status: null,
  are_holdings_old: true,
  next_holdings: 0,
  next_room: 0,
  lost_since: null,
};

function showConnection(is_connected, why = '') {
  const text = byId('connection');
  if (is_connected) state.lost_since = null;
  else state.lost_since ??= Date.now();
  text.className = `state ${is_connected ? 'good' : 'bad'}`;
  text.textContent = is_connected ? 'Connected' :
    `Disconnected since ${new Date(state.lost_since).toLocaleTimeString()}${why ? `: ${why}` : ''}; trying again`;
}

const panel = new ExplanationPanel(() => state.cluster);
const decisions = new DecisionList((job) => panel.show(job));
const stream = new EventStream({
  onEvent(name, event) {
    decisions.take(name, event);
    state.are_holdings_old = true;
    // It may be the cluster that is shown.
    if (name === 'removed') state.next_status = 0;
  },
  onOpen(start) {
    showConnection(true);
    state.are_holdings_old = true;
    // Another start may have another machine.
    if (state.start !== null && state.start !== start) readMachine();
    state.start = start;
  },
  onClosed: () => showConnection(false),
});

async function readMachine() {
  const machine = await getDocument('machine');
  state.nodes = new Nodes(machine);
  state.map = new MachineMap(state.nodes, (job) => panel.show(job));
  document.title = `${machine.name} \u2013 Coolspan`;
  byId('title').textContent = machine.name;
  const grid = machine.grid ? ` ${machine.grid.dims.join('\u00d7')}` : '';
  byId('subtitle').textContent = `${counted(machine.nodes, 'node')}, ${machine.kind}${grid}`;
  state.next_holdings = 0;
  state.next_room = 0;
}

function clusterShown() {
  return state.status.clusters.find((cluster) => cluster.name === state.cluster) || null;
}

// Follows the clusters of the daemon.
function chooseCluster() {
  const names = state.status.clusters.map((cluster) => cluster.name);
  const select = byId('cluster');
  const shown = [...select.options].map((option) => option.value);
  if (names.join('\n') !== shown.join('\n')) {
    select.replaceChildren(...names.map((name) => element('option', {value: name}, name)));
  }
  const wanted = names.includes(state.cluster) ? state.cluster : names[0] || '';
  select.value = wanted;
  if (stream.source === null || wanted !== state.cluster) showClusterNamed(wanted);
}

function showClusterNamed(name) {
  state.cluster = name;
  state.next_holdings = 0;
  decisions.clear();
  stream.open(name);
}

async function readStatus() {
  state.status = await getDocument('status');
  chooseCluster();
  const cluster = clusterShown();
  showWarnings(warningsOf(state.status, cluster));
  showRoom(state.status.room);
  if (cluster === null) return;
  showCluster(state.status, cluster);
  showAdvice(cluster);
  if (state.nodes !== null) showSpace(cluster, state.nodes);
}

async function readHoldings(now) {
  state.are_holdings_old = false;
  state.next_holdings = now + QUIET_HOLDINGS_MS;
  state.last_holdings = now;
  state.nodes.setHoldings(await getDocument('jobs', {cluster: state.cluster}));
  state.map.update();
}

async function readRoom(now) {
  state.next_room = now + ROOM_MS;
  state.nodes.setRoom(await getDocument('room'));
  state.map.update();
}

// Reads what is due, one after the other.
async function readDue() {
  const now = Date.now();
  if (state.nodes === null) await readMachine();
  if (now >= (state.next_status || 0)) {
    state.next_status = now + STATUS_MS;
    await readStatus();
  }
  const is_due = state.are_holdings_old && now >= (state.last_holdings || 0) + HOLDINGS_MS;
  if (is_due || now >= state.next_holdings) await readHoldings(now);
  if (state.nodes.machine.room && now >= state.next_room) await readRoom(now);
}

async function follow() {
  // A page that nobody sees asks for nothing.
  if (document.hidden) {
    stream.close();
    setTimeout(follow, HOLDINGS_MS);
    return;
  }
  let wait_ms = HOLDINGS_MS / 4;
  try {
    await readDue();
    if (state.lost_since !== null && stream.source !== null && stream.source.readyState === EventSource.OPEN) {
      showConnection(true);
    }
  } catch (error) {
    // 404: the cluster was removed since the last status.
    if (error.status !== 404) showConnection(false, error.message);
    state.next_status = 0;
    state.are_holdings_old = true;
    wait_ms = STATUS_MS;
  }
  setTimeout(follow, wait_ms);
}

byId('cluster').addEventListener('change', (event) => showClusterNamed(event.target.value));
window.addEventListener('resize', () => state.map && state.map.drawSoon());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => state.map && state.map.update());
follow();
