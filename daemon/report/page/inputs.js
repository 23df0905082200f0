// SPDX-License-Identifier: GPL-3.0-or-later

// What the report was made from, and what it leaves out.

function traceText() {
  const {trace} = replay;
  const reasons = [['zero_run', 'zero run time'], ['unknown_run', 'unknown run time'],
    ['zero_procs', 'zero processors'], ['too_large', 'too large']]
    .filter(([key]) => trace.skipped_by[key] > 0)
    .map(([key, text]) => `${count(trace.skipped_by[key])} ${text}`);
  let text = `${data.trace}: ${counted(trace.jobs, 'job')}, ${count(trace.skipped)} skipped`;
  if (reasons.length > 0) text += ` (${reasons.join(', ')})`;
  if (trace.reordered > 0) text += `, ${count(trace.reordered)} out of submit order`;
  return `${text}; ${count(replay.runs[0].jobs)} replayed`;
}

function machineText() {
  let text = `${machine.name}: ${counted(machine.nodes, 'node')}, ${machine.kind}`;
  if (machine.grid) {
    text += ` ${machine.grid.dims.join('\u00d7')}`;
    if (machine.grid.nodes_per_vertex > 1) text += `, ${machine.grid.nodes_per_vertex} nodes per vertex`;
  }
  if (machine.room) {
    text += `; room with supply at ${fixed(machine.room.supply_c, 1)} \u00b0C, ` +
      `redline ${fixed(machine.room.redline_c, 1)} \u00b0C`;
  }
  return text;
}

function settingsText() {
  const keys = ['ordering', 'scheduler', 'estimates', 'runtime_model', 'comm_cost_reading', 'runtime_noise',
    'comm_share', 'idle'];
  return keys.filter((key) => replay.runs[0][key] !== undefined).map((key) => {
    const values = [...new Set(replay.runs.map((run) => run[key]))];
    return `${key} ${values.join(', ')}`;
  }).join('; ');
}

function boundsText() {
  return `Charts over time, map and Gantt chart show one run of each combination of policy, ordering and ` +
    `scheduler, at most ${data.max_pictured_runs}: at most 1,024 samples, 256 maps and 2,000 jobs of a run. ` +
    `Machines of more than ${count(machine.max_named_nodes)} nodes are shown without node names. ` +
    'Real times (of decisions and of the replay) are left out, so that equal replays give equal reports; ' +
    'coolspan replay --json has them.';
}

function showInputs() {
  const item = (name, ...value) => [element('dt', {}, name), element('dd', {}, ...value)];
  byId('inputs-body').append(element('dl', {},
    ...item('Command', element('pre', {}, data.command_line)),
    ...item('Trace', traceText()),
    ...item('Machine', machineText()),
    ...item('Settings', settingsText()),
    ...item('Seeds', [...new Set(replay.runs.map((run) => run.seed))].join(', ')),
    ...item('Version', `coolspan ${data.version}`),
    ...item('Bounds', boundsText())));
}
