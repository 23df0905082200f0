// SPDX-License-Identifier: GPL-3.0-or-later
'use strict';

// Numbers as text and elements of the page.

export const MINUS = '\u2212';
export const DASH = '\u2013';

// A number with a fixed number of decimals and thousands separators.
export function fixed(value, decimals) {
  if (value === null || value === undefined) return DASH;
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: decimals, maximumFractionDigits: decimals});
  return text.replace('-', MINUS);
}

export function count(value) {
  return fixed(value, 0);
}

// "1 job", "2 jobs"
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

// Decimals that leave about four digits of the largest value.
export function decimalsFor(largest) {
  if (largest >= 1000) return 0;
  if (largest >= 100) return 1;
  if (largest >= 1) return 2;
  return largest === 0 ? 0 : Math.min(6, 2 - Math.floor(Math.log10(largest)));
}

// Units of a kind of quantity: name, size in the unit of the JSON document, and
// from which value on it is used.
const UNITS = {
  time: [['s', 1, 0], ['min', 60, 600], ['h', 3600, 3 * 3600], ['d', 86400, 10 * 86400]],
  energy: [['J', 1, 0], ['kWh', 3.6e6, 3.6e5], ['MWh', 3.6e9, 3.6e9]],
  power: [['W', 1, 0], ['kW', 1000, 10000], ['MW', 1e6, 1e7]],
  share: [['%', 0.01, 0]],
  temperature: [['\u00b0C', 1, 0]],
  hops: [['hops', 1, 0]],
  nodes: [['nodes', 1, 0]],
  number: [['', 1, 0]],
};

// The unit for values up to the largest: {name, size}.
export function unitFor(kind, largest) {
  let chosen = UNITS[kind][0];
  for (const unit of UNITS[kind]) {
    if (largest >= unit[2]) chosen = unit;
  }
  return {name: chosen[0], size: chosen[1]};
}

// One value with a unit of its own: "2.31 h".
export function quantity(kind, value) {
  if (value === null || value === undefined) return DASH;
  const unit = unitFor(kind, Math.abs(value));
  const scaled = value / unit.size;
  return `${fixed(scaled, decimalsFor(Math.abs(scaled)))}${unit.name ? '\u00a0' + unit.name : ''}`;
}

export function largestOf(values) {
  return values.reduce((max, value) => value === null ? max : Math.max(max, Math.abs(value)), 0);
}

export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined) continue;
    // Pages whose policy allows no inline style allow this.
    if (name === 'style') made.style.cssText = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

// A table: headings, and rows of cells, the first one a heading.
export function tableOf(caption, headings, rows) {
  return element('table', {},
    element('caption', {class: 'sr'}, caption),
    element('thead', {}, element('tr', {},
      ...headings.map((text) => element('th', {scope: 'col'}, text)))),
    element('tbody', {}, ...rows.map((cells) => element('tr', {},
      ...cells.map((cell, i) => i === 0 ?
        element('th', {scope: 'row'}, cell) : element('td', {}, cell))))));
}

// A closed <details> whose table is made when it is first opened.
export function lazyTable(summary, make) {
  const body = element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': summary});
  const details = element('details', {}, element('summary', {}, summary), body);
  details.addEventListener('toggle', () => {
    if (details.open) body.replaceChildren(make());
  });
  return details;
}

export function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
