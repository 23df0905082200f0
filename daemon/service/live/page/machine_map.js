// SPDX-License-Identifier: GPL-3.0-or-later

// The machine map on its canvas, with pointer and keyboard.

import {byId, cssColour, counted, element, fixed, lazyTable, tableOf} from './format.js';
import {COLOURINGS, Colouring, legendOf} from './legend.js';
import {cellAt, layOut, sized} from './planes.js';

const MAX_HEIGHT = 620;
const MAX_TABLE_ROWS = 200;

// The pixels of a cell by which marks are drawn.
function cross(context, left, top, size) {
  context.beginPath();
  context.moveTo(left + size * 0.2, top + size * 0.2);
  context.lineTo(left + size * 0.8, top + size * 0.8);
  context.moveTo(left + size * 0.8, top + size * 0.2);
  context.lineTo(left + size * 0.2, top + size * 0.8);
  context.stroke();
}

export class MachineMap {
  // onExplain(job): the job of a node was chosen.
  constructor(nodes, onExplain) {
    this.nodes = nodes;
    this.onExplain = onExplain;
    this.canvas = byId('map-canvas');
    this.by = 'job';
    this.cursor = 0;
    this.is_waiting = false;
    this.frames = 0;
    this.places = new Map();  // node: [plane index, row, column]
    nodes.planes.forEach((plane, index) => plane.nodes.forEach((node, i) => {
      if (node >= 0) this.places.set(node, [index, Math.floor(i / plane.width), i % plane.width]);
    }));
    this.setUpControls();
    this.canvas.onpointermove = (event) => this.point(event);
    this.canvas.onclick = (event) => this.click(event);
    this.canvas.onkeydown = (event) => this.press(event);
    this.canvas.onfocus = () => this.show(this.cursor);
    this.canvas.onblur = () => this.drawSoon();
    this.table = lazyTable('Table: jobs on the map', () => this.jobsTable());
    byId('map-table').replaceChildren(this.table);
  }

  setUpControls() {
    const select = byId('map-by');
    const known = Object.entries(COLOURINGS).filter(([by]) => by !== 'inlet' || this.nodes.machine.room);
    select.replaceChildren(...known.map(([by, text]) => element('option', {value: by}, text)));
    select.onchange = () => {
      this.by = select.value;
      this.update();
    };
  }

  // After a change of the nodes.
  update() {
    byId('map-legend').replaceChildren(...legendOf(this.nodes, this.by));
    const used = this.nodes.holders.filter((jobs) => jobs.length > 0).length;
    let text = `${counted(this.nodes.jobs.length, 'job')} on ${used} of ${counted(this.nodes.count, 'node')}`;
    if (this.nodes.inlet_dc) text += `, peak inlet ${fixed(Math.max(...this.nodes.inlet_dc) / 10, 1)} \u00b0C`;
    byId('map-state').textContent = text;
    this.canvas.setAttribute('aria-label', `Machine map of ${this.nodes.machine.name}: ${text}`);
    if (this.table.open) this.table.dispatchEvent(new Event('toggle'));
    if (document.activeElement === this.canvas) this.tell(this.cursor);
    this.drawSoon();
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
    const width = this.canvas.parentElement.clientWidth;
    const layout = layOut(this.nodes.planes, width, MAX_HEIGHT);
    this.layout = layout;
    const context = sized(this.canvas, width, layout.height);
    const colouring = new Colouring(this.nodes, this.by);
    for (const box of layout.boxes) this.drawPlane(context, box, colouring);
    if (document.activeElement === this.canvas) this.drawCursor(context);
    this.canvas.dataset.frames = String(++this.frames);
  }

  drawPlane(context, {x, y, plane}, colouring) {
    const {size, title} = this.layout;
    const ink = cssColour('--ink');
    context.fillStyle = cssColour('--soft');
    if (plane.title) context.fillText(plane.title, x, y + 11);
    const gap = size >= 5 ? 1 : 0;
    plane.nodes.forEach((node, i) => {
      if (node < 0) return;
      const column = i % plane.width;
      const left = x + column * size;
      const top = y + title + Math.floor(i / plane.width) * size;
      context.fillStyle = colouring.fill(node);
      const joined_right = column + 1 < plane.width && this.areJoined(node, plane.nodes[i + 1]);
      const joined_below = this.areJoined(node, plane.nodes[i + plane.width]);
      context.fillRect(left, top, size - (joined_right ? 0 : gap), size - (joined_below ? 0 : gap));
      if (size >= 6) this.drawMarks(context, node, left, top, size - gap, ink);
    });
  }

  // Cells of one job have no gap between them.
  areJoined(a, b) {
    if (this.by !== 'job' || b === undefined || b < 0) return false;
    const job = this.nodes.jobOn(a);
    return job !== null && job === this.nodes.jobOn(b);
  }

  drawMarks(context, node, left, top, size, ink) {
    context.strokeStyle = ink;
    context.fillStyle = ink;
    context.lineWidth = 1;
    if (this.nodes.unavailable[node]) cross(context, left, top, size);
    if (this.by === 'inlet' && this.nodes.isFree(node)) {
      context.fillStyle = cssColour('--paper');
      context.fillRect(left + size * 0.35, top + size * 0.35, size * 0.3, size * 0.3);
    }
    const job = this.nodes.jobOn(node);
    if (this.by !== 'job' || job === null) return;
    if (job.state === 'tentative') {
      context.setLineDash([2, 2]);
      context.strokeRect(left + 1.5, top + 1.5, size - 3, size - 3);
      context.setLineDash([]);
    } else if (job.state === 'suspended') {
      context.fillRect(left + size * 0.2, top + size * 0.45, size * 0.6, Math.max(1, size * 0.1));
    } else if (job.state === 'disputed') {
      context.fillText('!', left + size / 2 - 2, top + size / 2 + 4);
    }
  }

  drawCursor(context) {
    const {left, top} = this.corner(this.cursor);
    const {size} = this.layout;
    context.lineWidth = 3;
    context.strokeStyle = cssColour('--paper');
    context.strokeRect(left - 1, top - 1, size + 1, size + 1);
    context.lineWidth = 1.5;
    context.strokeStyle = cssColour('--ink');
    context.strokeRect(left - 1, top - 1, size + 1, size + 1);
  }

  corner(node) {
    const [index, row, column] = this.places.get(node);
    const {x, y} = this.layout.boxes[index];
    return {left: x + column * this.layout.size, top: y + this.layout.title + row * this.layout.size};
  }

  tell(node) {
    byId('map-node').textContent = this.nodes.describe(node);
  }

  show(node) {
    this.cursor = node;
    this.tell(node);
    this.drawSoon();
  }

  cellBelow(event) {
    if (!this.layout) return null;
    const box = this.canvas.getBoundingClientRect();
    return cellAt(this.layout, event.clientX - box.left, event.clientY - box.top);
  }

  point(event) {
    const cell = this.cellBelow(event);
    byId('map-node').textContent = cell === null ? '' : this.nodes.describe(cell.node);
  }

  click(event) {
    const cell = this.cellBelow(event);
    if (cell === null) return;
    this.canvas.focus();
    this.show(cell.node);
    this.explain(cell.node);
  }

  explain(node) {
    const job = this.nodes.jobOn(node);
    if (job !== null) this.onExplain(job.name);
    else byId('map-node').textContent = `${this.nodes.describe(node)}; no job to explain`;
  }

  // The node beside one, in steps of cells: within its plane, else in the plane
  // that lies in that direction, else the same node.
  beside(node, right, down) {
    const {size, boxes} = this.layout;
    const {left, top} = this.corner(node);
    const at_x = left + size / 2;
    const at_y = top + size / 2;
    const next = cellAt(this.layout, at_x + right * size, at_y + down * size);
    if (next !== null) return next.node;
    // As far as the canvas goes.
    const steps = Math.ceil((this.canvas.clientWidth + this.layout.height) / size);
    for (let step = 2; step < steps && boxes.length > 1; ++step) {
      const cell = cellAt(this.layout, at_x + right * step * size, at_y + down * step * size);
      if (cell !== null) return cell.node;
    }
    return node;
  }

  // The node at the same place of another plane, or its first one.
  inPlane(node, by) {
    const [index, row, column] = this.places.get(node);
    const plane = this.nodes.planes[index + by];
    if (plane === undefined) return node;
    const same = plane.nodes[row * plane.width + column];
    return same >= 0 ? same : plane.nodes.find((one) => one >= 0) ?? node;
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.layout) return;
    const {cursor} = this;
    const moves = {
      ArrowLeft: () => this.beside(cursor, -1, 0),
      ArrowRight: () => this.beside(cursor, 1, 0),
      ArrowUp: () => this.beside(cursor, 0, -1),
      ArrowDown: () => this.beside(cursor, 0, 1),
      Home: () => 0,
      End: () => this.nodes.count - 1,
      PageUp: () => this.inPlane(cursor, -1),
      PageDown: () => this.inPlane(cursor, 1),
    };
    if (moves[event.key]) this.show(moves[event.key]());
    else if (event.key === 'Enter') this.explain(cursor);
    else return;
    event.preventDefault();
  }

  jobsTable() {
    const jobs = [...this.nodes.jobs].sort((a, b) => b.count - a.count || a.job_id - b.job_id);
    return tableOf('Jobs on the map', ['job', 'state', 'nodes', 'names of the nodes'],
      jobs.slice(0, MAX_TABLE_ROWS).map((job) => [job.name, job.state, String(job.count), job.nodes]));
  }
}
