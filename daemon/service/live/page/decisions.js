// SPDX-License-Identifier: GPL-3.0-or-later

// The list of decisions and starts of jobs as they happen.

import {byId, count, counted, element, fixed} from './format.js';

const MAX_ROWS = 200;

export function timeText(at_ms) {
  const time = new Date(at_ms);
  const day = time.toDateString() === new Date().toDateString() ? '' : `${time.toLocaleDateString()} `;
  return day + time.toLocaleTimeString();
}

function latencyText(elapsed_us) {
  if (elapsed_us === null || elapsed_us === undefined) return '';
  return elapsed_us < 1000 ? `${fixed(elapsed_us, 0)} \u00b5s` : `${fixed(elapsed_us / 1000, 1)} ms`;
}

// Without the name of the policy, which has a column of its own.
function reasonText(why) {
  return why.replace(/^[\w-]+: /, '');
}

function decidedText(decision) {
  if (!decision.placed) return 'not placed';
  return decision.mode === 'advise' ? 'advised' : 'proposed';
}

function startText(job) {
  if (job.verdict === 'left') return `left to Slurm: ${job.reason}`;
  if (job.verdict === 'fallback') return `fallback: ${job.reason}`;
  if (job.verdict === 'advised') return 'started; Slurm chose the nodes';
  return job.verdict === '' ? 'started' : 'started as decided';
}

// What a row of the list shows.
function rowOf(event, more) {
  return Object.assign({job_id: event.job_id, restart: event.restart, name: event.name || String(event.job_id),
    at_ms: event.at_ms, nodes: event.nodes, count: event.count, policy: '', why: '', elapsed_us: null,
    outcome: '', is_bad: false}, more);
}

export class DecisionList {
  constructor(onExplain) {
    this.onExplain = onExplain;
    this.rows = [];  // newest first
    this.is_waiting = false;
    this.updates = 0;
    this.unseen = 0;
    byId('decisions-hold').addEventListener('change', () => this.drawSoon());
  }

  clear() {
    this.rows = [];
    this.drawSoon();
  }

  add(row) {
    this.rows.unshift(row);
    if (this.rows.length > MAX_ROWS) this.rows.length = MAX_ROWS;
    this.unseen += 1;
  }

  latestOf(job) {
    return this.rows.find((row) => row.job_id === job.job_id && row.restart === job.restart);
  }

  take(name, event) {
    this.updates += 1;
    if (name === 'decision') this.takeDecision(event);
    else if (name === 'committed') this.takeStart(event);
    else if (name === 'missed') this.addNote(`${counted(event.missed, 'event')} or more missed`);
    else this.takeEnd(name, event);
    this.drawSoon();
  }

  takeDecision(event) {
    this.add(rowOf(event, {policy: event.policy, why: reasonText(event.why), elapsed_us: event.elapsed_us,
      outcome: decidedText(event) + (event.stopped_early ? ' (deadline reached)' : ''), is_bad: !event.placed}));
  }

  takeStart(event) {
    const row = this.latestOf(event);
    const outcome = startText(event);
    const is_bad = event.verdict === 'fallback';
    if (row === undefined) {
      this.add(rowOf(event, {outcome, is_bad}));
      return;
    }
    Object.assign(row, {outcome, is_bad, name: event.name, nodes: event.nodes, count: event.count});
  }

  takeEnd(name, event) {
    const row = this.latestOf(event);
    const words = {released: 'ended', expired: 'expired, not started', suspended: 'suspended', resized: 'resized'};
    if (row === undefined || !words[name]) return;
    row.outcome = row.outcome.replace(/; (ended|expired.*|suspended|resized)$/, '');
    if (name === 'suspended' && event.state !== 'suspended') return;  // it was resumed
    row.outcome += `; ${words[name]}`;
  }

  addNote(text) {
    this.add({name: '', at_ms: Date.now(), outcome: text, is_bad: true});
  }

  drawSoon() {
    if (this.is_waiting) return;
    this.is_waiting = true;
    requestAnimationFrame(() => {
      this.is_waiting = false;
      this.draw();
    });
  }

  draw() {
    const list = byId('decisions-list');
    list.dataset.updates = String(this.updates);
    if (byId('decisions-hold').checked) {
      byId('decisions-note').textContent = `${counted(this.unseen, 'new row')} held back`;
      return;
    }
    this.unseen = 0;
    byId('decisions-note').textContent = this.rows.length === 0 ? 'No decision since the page was opened.' :
      this.rows.length === MAX_ROWS ? `The last ${MAX_ROWS} rows.` : '';
    // The focus stays on the job that has it.
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    list.replaceChildren(...this.rows.map((row) => this.rowElement(row)));
    if (focused === null) return;
    const same = list.querySelector(`button[data-row="${focused}"]`);
    if (same) same.focus();
  }

  rowElement(row) {
    const job = row.job_id === undefined ? '' :
      element('button', {type: 'button', 'data-row': `${row.job_id}.${row.restart}.${row.at_ms}`,
        'aria-label': `Explain job ${row.name}`}, row.name);
    if (job !== '') job.onclick = () => this.onExplain(row.name);
    const nodes = row.nodes ? `${count(row.count)}: ${row.nodes}` : '';
    return element('tr', {},
      element('th', {scope: 'row'}, job), element('td', {}, timeText(row.at_ms)),
      element('td', {class: 'wide', title: nodes}, nodes), element('td', {}, row.policy || ''),
      element('td', {class: 'wide reason', title: row.why || null}, row.why || ''),
      element('td', {class: 'number'}, latencyText(row.elapsed_us)),
      element('td', {class: row.is_bad ? 'bad' : null}, row.outcome));
  }
}
