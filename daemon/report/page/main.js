// SPDX-License-Identifier: GPL-3.0-or-later

function showRun(index) {
  const run = data.runs[index];
  showMap(run);
  showGantt(run);
  showFree(run);
}

function redraw(on_paper) {
  paintCharts(on_paper);
  if (mapState.run !== null) showFrame(mapState.frame);
}

function showAll() {
  setUpCharts();
  showResults();
  showInputs();
  const has_samples = data.runs.length > 0 && data.runs.every((run) => run.series.used.length > 0);
  if (!has_samples) {
    for (const id of ['waits', 'load', 'run']) byId(id).hidden = true;
    return;
  }
  showWaits();
  showLoad();
  const select = byId('run-select');
  data.runs.forEach((run, i) => select.append(element('option', {value: i}, run.label)));
  select.addEventListener('change', () => showRun(Number(select.value)));
  if (data.runs.length === 1) byId('run-control').hidden = true;
  setUpMap();
  setUpGantt();
  showRun(0);
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    redraw(false);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw(false));
  window.addEventListener('beforeprint', () => redraw(true));
  window.addEventListener('afterprint', () => redraw(false));
}

showAll();
