// SPDX-License-Identifier: GPL-3.0-or-later

// What the page asks coolspand for. All paths are relative, so that a proxy may
// serve the page below a path of its own.

const API = 'api/v1/';
// Longer than the time between two heartbeats.
const MAX_SILENCE_MS = 25000;
const RETRY_MS = 2000;
const FETCH_TIMEOUT_MS = 12000;

function urlOf(what, parameters) {
  const query = new URLSearchParams(parameters).toString();
  return API + what + (query ? `?${query}` : '');
}

// The document, or an Error with the reason; its status is 0 if there was no
// answer.
export async function getDocument(what, parameters = {}) {
  let response;
  let body;
  try {
    response = await fetch(urlOf(what, parameters), {signal: AbortSignal.timeout(FETCH_TIMEOUT_MS)});
    body = await response.text();
  } catch {
    throw Object.assign(new Error('coolspand does not answer'), {status: 0});
  }
  let parsed = null;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Of a proxy, or text of the server.
  }
  if (response.ok && parsed !== null) return parsed;
  const reason = parsed && parsed.error ? parsed.error : body.trim() || `status ${response.status}`;
  throw Object.assign(new Error(reason), {status: response.status});
}

const EVENTS = ['decision', 'committed', 'released', 'resized', 'expired', 'synced', 'suspended', 'missed',
  'mode', 'availability', 'removed'];

// The stream of events of a cluster, which connects again by itself.
// onEvent(name, data); onOpen(start): connected, to this start of the daemon;
// onClosed(): not connected.
export class EventStream {
  constructor({onEvent, onOpen, onClosed}) {
    Object.assign(this, {onEvent, onOpen, onClosed});
    this.cluster = null;
    this.source = null;
    this.last_id = '';
    this.heard = 0;
    setInterval(() => this.check(), RETRY_MS);
  }

  open(cluster) {
    this.close();
    this.cluster = cluster;
    const source = new EventSource(urlOf('events', {cluster, after: this.last_id}));
    this.source = source;
    this.heard = Date.now();
    const hear = (event) => {
      this.heard = Date.now();
      if (event.lastEventId) this.last_id = event.lastEventId;
    };
    source.addEventListener('open', hear);
    // That of coolspand, not that of the browser.
    source.addEventListener('start', (event) => {
      hear(event);
      this.onOpen(JSON.parse(event.data).start);
    });
    source.addEventListener('heartbeat', hear);
    source.addEventListener('error', () => this.onClosed());
    for (const name of EVENTS) {
      source.addEventListener(name, (event) => {
        hear(event);
        this.onEvent(name, JSON.parse(event.data));
      });
    }
  }

  close() {
    if (this.source !== null) this.source.close();
    this.source = null;
  }

  // A browser does not connect again after an answer such as 503, and does not
  // notice a connection on which nothing arrives any more.
  check() {
    if (this.source === null) return;
    const is_silent = Date.now() - this.heard > MAX_SILENCE_MS;
    if (this.source.readyState !== EventSource.CLOSED && !is_silent) return;
    this.onClosed();
    this.open(this.cluster);
  }
}
