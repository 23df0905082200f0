// SPDX-License-Identifier: GPL-3.0-or-later

// The panel with the text of coolspan explain.

import {getDocument} from './connection.js';
import {byId, element} from './format.js';

function timeText(at_ms) {
  return at_ms === 0 ? '-' : new Date(at_ms).toLocaleString();
}

function partOf({before, at_ms, after, fields}) {
  const list = element('dl', {}, ...fields.flatMap(([name, value]) =>
    [element('dt', {}, name), element('dd', {}, value)]));
  return [element('h3', {}, `${before}${timeText(at_ms)}${after}`), list];
}

export class ExplanationPanel {
  constructor(clusterOf) {
    this.clusterOf = clusterOf;
    this.panel = byId('explanation');
    this.return_to = null;
    this.asked = 0;
    byId('explanation-close').addEventListener('click', () => this.close());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !this.panel.hidden) this.close();
    });
    byId('explain-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.show(byId('explain-job').value.trim());
    });
  }

  async show(job) {
    if (this.panel.hidden) this.return_to = document.activeElement;
    const asked = ++this.asked;
    byId('explanation-heading').textContent = `Job ${job}`;
    byId('explanation-text').replaceChildren(element('p', {}, 'Asking coolspand.'));
    this.panel.hidden = false;
    this.panel.focus();
    let content;
    try {
      const explained = await getDocument('explain', {cluster: this.clusterOf(), job});
      content = explained.text.flatMap(partOf);
    } catch (error) {
      content = [element('p', {}, error.message)];
    }
    // Another job was asked for meanwhile.
    if (asked !== this.asked) return;
    byId('explanation-text').replaceChildren(...content);
    this.panel.dataset.job = job;
  }

  close() {
    this.asked += 1;
    this.panel.hidden = true;
    if (this.return_to !== null && this.return_to.isConnected) this.return_to.focus();
    else byId('map-canvas').focus();
    this.return_to = null;
  }
}
