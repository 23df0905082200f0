# SPDX-License-Identifier: GPL-3.0-or-later
"""Thermal placement in a room of 40 nodes: real jobs, simulated sensors."""

import functools
import json
import math
import os
import re
import subprocess
import sys
from datetime import datetime

from cluster import REPOSITORY, Cluster, Failure, Skip, expand, expect, run, wait_until
from placing import check_decisions, submit_many

PLAY_ROOM = REPOSITORY / 'deploy' / 'play-room'
NODES = 40
MACHINE = """name: boston40
topology: {{kind: mesh, dims: [4, 5, 2], wrap: [false, false, false], nodes_per_vertex: 1}}
nodes: "n[01-40]"
node_types:
  - {{name: std, nodes: "n[01-40]", idle_w: 1000, compute_w: 2500, communicate_w: 2000, servers: 10}}
communication_share: 0.3
thermal:
  heat_distribution: {matrix}
  airflow_w_per_k: 293.486
  supply_c: 15.0
  redline_c: {redline_c}
  time_constant_s: {time_constant_s}
"""


def matrix_of_boston40():
    """The path of D. Without the data the test is skipped, or fails if
    COOLSPAN_REQUIRE_DATA=1."""
    folder = os.environ.get('COOLSPAN_DATA_DIR', REPOSITORY.parent / 'shared' / 'data')
    path = os.path.abspath(os.path.join(folder, 'heat', 'boston40-D.txt'))
    if os.path.exists(path):
        return path
    reason = f'{path} is not on this host'
    raise Failure(reason) if os.environ.get('COOLSPAN_REQUIRE_DATA') == '1' else Skip(reason)


class Room:
    """The model of boston40, by `coolspan thermal` and `coolspan allocate`."""

    def __init__(self, build, folder, matrix, time_constant_s, redline_c=30.0):
        self.coolspan = build / 'bin' / 'coolspan'
        self.time_constant_s = time_constant_s
        self.redline_c = redline_c
        self.machine = folder / 'boston40.yaml'
        self.machine.write_text(MACHINE.format(
            matrix=matrix, redline_c=redline_c, time_constant_s=time_constant_s))
        self.names = self.run('order', '--ordering', 'row-major')['nodes']
        self.cached_thermal = functools.lru_cache(maxsize=None)(self.run_thermal)

    def run(self, subcommand, *options):
        done = run(self.coolspan, subcommand, '--machine', self.machine, '--json', *options)
        return json.loads(done.stdout)

    def run_thermal(self, busy):
        return self.run('thermal', *(['--busy', ','.join(sorted(busy))] if busy else []))

    def thermal(self, busy):
        return self.cached_thermal(frozenset(busy))

    def inlet_c(self, busy):
        return dict(zip(self.names, self.thermal(busy)['inlet_c']))

    def choice(self, policy, count, busy):
        """The nodes chosen by the policy, without sensors and redline guard."""
        busy_option = ['--busy', ','.join(sorted(busy))] if busy else []
        return set(self.run('allocate', '--policy', policy, '--ordering', 'hilbert',
                            '--nodes', count, *busy_option)['nodes'])


def room_status(cluster):
    return json.loads(cluster.coolspan('status').stdout)['room']


def place(cluster, count, policy):
    """Starts a job; returns (job, nodes, decision)."""
    job = cluster.submit('--exclusive', f'--nodes={count}', command='sleep 3600')
    cluster.wait_state(job, 'RUNNING')
    cluster.wait_agreement()
    nodes = expand(cluster.job(job)['NodeList'])
    cluster.expect_enforced(job)
    decision = cluster.decisions(job)[0]
    expect(decision['policy'] == policy and expand(decision['nodes']) == nodes,
           f'job {job} is on {sorted(nodes)}: {decision}')
    return job, nodes, decision


def cancel(cluster, jobs):
    cluster.slurm('scancel', *jobs)
    wait_until(lambda: not set(jobs) & set(cluster.not_ended()), 60, f'jobs {jobs} have ended')
    cluster.wait_agreement()


def cluster_in_room(build, logs, policy, **room_options):
    """A cluster that is not started yet, and its room."""
    matrix = matrix_of_boston40()
    cluster = Cluster(build, logs, nodes=NODES, policy=policy)
    room = Room(build, cluster.scratch, matrix, **room_options)
    cluster.options += ['--machine', room.machine, '--daemon-conf', 'deadline_ms: 900']
    return cluster, room


# --- sensors


WRONG, DEAD, HOT_SPOT = 'n07', 'n40', 'n03'
OFFSET_K, HOT_K = 15, 6
BAD_SENSORS = {(WRONG, 'inlet', 'deviant'), (DEAD, 'inlet', 'missing'), (DEAD, 'power', 'missing')}
SIZES = [4, 3, 6, 2, 5]
STREAM = {'short': 60, 'long': 600}


class SimulatedSensors:
    """deploy/play-room on a free port, from construction to exit. Initially all
    sensors are dead."""

    def __init__(self, cluster, room):
        self.faults = cluster.scratch / 'faults'
        self.set_faults(*(f'die {node}' for node in room.names))
        conf = cluster.dir / 'etc' / 'slurm.conf'
        self.process = subprocess.Popen(
            [sys.executable, PLAY_ROOM, '--machine', room.machine, '--coolspan', room.coolspan,
             '--running', f'SLURM_CONF={conf} timeout 20 squeue -h -t R -o %N',
             '--time-constant', str(room.time_constant_s), '--every', '0.3',
             '--noise', '0.1', '--faults', self.faults],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        expect(self.url, 'play-room did not start')

    def set_faults(self, *lines):
        new = self.faults.with_suffix('.new')
        new.write_text('\n'.join([*lines, '']))
        new.replace(self.faults)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close()


def wait_bad(cluster, bad):
    """Waits until exactly these sensors are reported as bad."""
    seen = {}

    def reported():
        seen.update(room_status(cluster))
        return bad == {(s['node'], s['kind'], s['state']) for s in seen['bad']}
    try:
        wait_until(reported, 90, f'bad sensors are {bad}')
    except Failure as failure:
        raise Failure(f'{failure}: {seen}') from None


def wait_peak(cluster, peak_c, node):
    """Waits until steady and current peak inlet are near peak_c, and the steady peak
    is at the node."""
    seen = {}

    def near():
        seen.update(room_status(cluster))
        return (abs(seen['steady_peak_inlet_c'] - peak_c) < 0.25 and
                abs(seen['peak_inlet_c'] - peak_c) < 0.25 and seen['steady_peak_node'] == node)
    try:
        wait_until(near, 90, f'the peak is {peak_c} C at {node}')
    except Failure as failure:
        raise Failure(f'{failure}: {seen}') from None


def place_without_sensors(cluster, room):
    """Starts jobs, which must be placed by the model alone; returns (jobs, nodes)."""
    jobs, busy = [], set()
    for count in SIZES:
        model = room.choice('hybrid', count, busy)
        job, nodes, decision = place(cluster, count, 'hybrid')
        expect(nodes == model, f'{sorted(nodes)} (expected {sorted(model)}): {decision}')
        jobs.append(job)
        busy |= nodes
    return jobs, busy


def place_around_hot_spot(cluster, room):
    """Starts the same jobs with a hot spot. Returns (jobs, number of jobs on other
    nodes than by the model alone, peak inlet of the simulated room, peak inlet with
    the placement of the model alone)."""
    def true_peak(busy):
        inlet_c = room.inlet_c(busy)
        inlet_c[HOT_SPOT] += HOT_K
        node = max(inlet_c, key=inlet_c.get)
        return inlet_c[node], node
    jobs, busy, busy_of_model, changed = [], set(), set(), 0
    wait_peak(cluster, *true_peak(busy))
    for count in SIZES:
        busy_of_model |= room.choice('hybrid', count, busy_of_model)
        model = room.choice('hybrid', count, busy)
        job, nodes, decision = place(cluster, count, 'hybrid')
        peak_c, _ = true_peak(busy | nodes)
        expect(abs(float(decision['facts']['peak_inlet_after_c']) - peak_c) < 0.4,
               f'true peak {peak_c}: {decision}')
        changed += nodes != model
        jobs.append(job)
        busy |= nodes
        wait_peak(cluster, *true_peak(busy))
    return jobs, changed, true_peak(busy)[0], true_peak(busy_of_model)[0]


def bad_sensors_stop_nothing(build, length, logs):
    """Hybrid with a wrong sensor and a dead sensor, and placement around a hot spot."""
    cluster, room = cluster_in_room(build, logs, 'hybrid', time_constant_s=2.0)
    with SimulatedSensors(cluster, room) as sensors:
        cluster.options += ['--daemon-conf', (
            f'telemetry: {{scrape: ["{sensors.url}"], interval_s: 0.3, missing_after_s: 6, '
            'most_deviation_k: 10, bias_time_s: 3, power_settles_s: 5}')]
        with cluster:
            jobs, busy = place_without_sensors(cluster, room)
            expect(room_status(cluster)['inlets_good'] == 0, f'{room_status(cluster)}')

            sensors.set_faults()
            wait_until(lambda: room_status(cluster)['inlets_good'] == NODES, 60, 'all sensors are good')
            third = STREAM[length] // 3
            stream = submit_many(cluster, third)
            faults = [f'lie {WRONG}=+{OFFSET_K}', f'die {DEAD}']
            sensors.set_faults(*faults)
            stream += submit_many(cluster, third)
            wait_bad(cluster, BAD_SENSORS)
            stream += submit_many(cluster, third)
            cluster.wait_all_done(stream, 300)
            note = check_decisions(cluster, stream, 1.0)
            policies = {line['policy'] for line in cluster.coolspand_log('decision')}
            expect(policies == {'hybrid'}, f'decisions of {policies}')
            # Long enough for a wrong reading to affect the model, if it were used.
            thermal = room.thermal(busy)
            wait_peak(cluster, thermal['peak_inlet_c'], thermal['peak_node'])
            cancel(cluster, jobs)

            sensors.set_faults(*faults, f'hot {HOT_SPOT}=+{HOT_K}')
            jobs, changed, peak_c, peak_of_model_c = place_around_hot_spot(cluster, room)
            expect(changed > 0 and peak_c < peak_of_model_c - 0.5,
                   f'{changed} jobs on other nodes; peak {peak_c} C, model alone {peak_of_model_c} C')
            wait_bad(cluster, BAD_SENSORS)
            alarms = {(line['node'], line['kind'], line['state'])
                      for line in cluster.coolspand_log('sensor') if line['level'] == 'warning'}
            expect(alarms == BAD_SENSORS, f'{alarms}')
            status = run(room.coolspan, 'status', '--endpoint', cluster.endpoint).stdout
            for text in ('inlet sensors: 38 good, 2 bad', f'{WRONG} inlet sensor: outlier',
                         f'{DEAD} inlet sensor: missing', f'{DEAD} power meter: missing'):
                expect(text in status, f'no "{text}" in {status}')

            sensors.set_faults(f'hot {HOT_SPOT}=+{HOT_K}')
            wait_bad(cluster, set())
            expect(set(cluster.queue()) == set(jobs), f'{cluster.queue()}')
            cluster.mini('status')  # fails unless all daemons run
    return (f'{note}; {changed} of {len(SIZES)} jobs changed by the hot spot, '
            f'peak {peak_c:.2f} C, model alone {peak_of_model_c:.2f} C')


# --- the redline


# Sizes of jobs that are started one after the other and keep running.
TOWARDS_THE_REDLINE = [4, 4, 6, 4, 6, 6, 4]


def guarded_placement(cluster, room, policy, count, busy):
    """Starts a job; returns (job, nodes, action of the redline guard). Compares the
    decision with that of the policy alone."""
    alone = room.choice(policy, count, busy)
    alone_c = room.thermal(busy | alone)['peak_inlet_c']
    job, nodes, decision = place(cluster, count, policy)
    facts = decision['facts']
    peak_c = room.thermal(busy | nodes)['peak_inlet_c']
    expect(abs(float(facts['peak_inlet_after_c']) - peak_c) < 0.001,
           f'thermal says {peak_c}, the decision {facts}')
    over_k = peak_c - room.redline_c
    expect(('over_redline_k' in facts) == (over_k > 0), f'{over_k} K over the redline, {facts}')
    if alone_c <= room.redline_c:
        expect(nodes == alone and 'redline_guard' not in facts, f'{decision}, alone {alone}')
        return job, nodes, 'not needed'
    guard = facts.get('redline_guard')
    if guard == 'took cooler nodes':
        expect(nodes != alone and peak_c < alone_c, f'{decision}, alone {alone}, {alone_c}')
        expect(abs(float(facts['unguarded_peak_inlet_c']) - alone_c) < 0.001,
               f'alone {alone_c}, {facts}')
    else:
        expect(guard == 'found no cooler nodes' and nodes == alone, f'{decision}, alone {alone}')
    return job, nodes, guard


def expect_published(cluster, room, busy):
    """The room in the status must be equal to `coolspan thermal` for the busy nodes."""
    thermal = room.thermal(busy)
    wait_until(lambda: abs(room_status(cluster)['it_w'] - thermal['it_w']) < 1e-6, 60,
               f'IT power is {thermal["it_w"]} W')
    status = room_status(cluster)
    for published, name in (('supply_max_c', 'supply_max_c'),
                            ('steady_peak_inlet_c', 'peak_inlet_c'), ('cooling_w', 'cooling_w')):
        expect(math.isclose(status[published], thermal[name], rel_tol=1e-9),
               f'{published} {status[published]}, thermal {thermal[name]}')
    expect(status['steady_peak_node'] == thermal['peak_node'], f'{status}, {thermal}')
    expect(status['over_redline'] == (thermal['peak_inlet_c'] > room.redline_c), f'{status}')


def starts_and_ends(cluster):
    """[(seconds since 1970, job, is start)] from the log of slurmctld, in order."""
    events = []
    for line in cluster.log().splitlines():
        match = re.match(r'\[([^\]]+)\] (?:coolspan: JobId=(\d+) enforced '
                         r'|job_signal: 9 of running JobId=(\d+) )', line)
        if match:
            at_s = datetime.fromisoformat(match[1]).timestamp()
            events.append((at_s, int(match[2] or match[3]), match[2] is not None))
    return sorted(events)


def lagging_peaks(cluster, room, nodes_of, at_s):
    """Peak inlet at each of the times: first-order lag between the starts and ends in
    the log of slurmctld, beginning with the steady state of the idle room:
    T += (1 - exp(-dt / tau)) * (T_steady - T)."""
    inlet_c = room.inlet_c(set())
    busy, last_s, peaks = set(), at_s[0], []
    changes = [(when, 0, job, starts) for when, job, starts in starts_and_ends(cluster)]
    for when, _, job, starts in sorted(changes + [(when, 1, None, None) for when in at_s],
                                       key=lambda change: change[:2]):
        share = -math.expm1(-max(0.0, when - last_s) / room.time_constant_s)
        for node, steady_c in room.inlet_c(busy).items():
            inlet_c[node] += share * (steady_c - inlet_c[node])
        last_s = when
        if job is None:
            peaks.append(max(inlet_c.values()))
        else:
            busy = busy | nodes_of[job] if starts else busy - nodes_of[job]
    return peaks


def redline_is_guarded_and_inlets_lag(build, length, logs):
    """Redline guard and warnings; steady temperatures and their first-order lag."""
    policy, guards, nodes_of = 'mc1x1', [], {}
    cluster, room = cluster_in_room(build, logs, policy, redline_c=26.0, time_constant_s=30.0)
    with cluster:
        busy = set()
        expect_published(cluster, room, busy)
        for count in TOWARDS_THE_REDLINE:
            job, nodes_of[job], guard = guarded_placement(cluster, room, policy, count, busy)
            busy |= nodes_of[job]
            guards.append(guard)
            expect_published(cluster, room, busy)
        status = room_status(cluster)
        peak_c = status['steady_peak_inlet_c']
        guarded = guards.count('took cooler nodes')
        decisions = cluster.coolspand_log('decision')
        over = [line for line in decisions if line.get('over_redline')]
        expect(guarded > 0 and guarded == status['decisions_guarded'], f'{guards}, {status}')
        expect(over and len(over) == status['decisions_over_redline'] and
               all(line['level'] == 'warning' for line in over), f'{over}, {status}')
        expect([line['predicted'] for line in cluster.coolspand_log('redline')] == ['exceeded'],
               f'{cluster.coolspand_log("redline")}')

        # Wait for half of the rise, then let the room cool down.
        half_c = (room.thermal(set())['peak_inlet_c'] + peak_c) / 2
        wait_until(lambda: room_status(cluster)['peak_inlet_c'] > half_c, 120, f'{half_c} C')
        ended = list(nodes_of)[1:]
        cancel(cluster, ended)
        busy = nodes_of[min(nodes_of)]
        expect_published(cluster, room, busy)
        top_c = room_status(cluster)['peak_inlet_c']
        wait_until(lambda: room_status(cluster)['peak_inlet_c'] < top_c - 1, 120, 'the room cools down')
        expect([line['predicted'] for line in cluster.coolspand_log('redline')] ==
               ['exceeded', 'kept again'], f'{cluster.coolspand_log("redline")}')

        lines = cluster.coolspand_log('room')
        peaks = lagging_peaks(cluster, room, nodes_of, [line['at_ms'] / 1000 for line in lines])
        error_k = [abs(line['peak_inlet_c'] - peak) for line, peak in zip(lines, peaks)]
        expect(len(lines) >= 20, f'{len(lines)} log lines of the room')
        expect(max(error_k) < 0.1, f'{max(error_k):.3f} K from the model: {list(zip(lines, peaks))}')
        expect(cluster.queue() == {min(nodes_of): busy}, f'{cluster.queue()}')
    return (f'{guarded} of {len(guards)} placements changed, {len(over)} over the redline; '
            f'{len(lines)} logged inlets within {max(error_k):.3f} K')


TESTS = [bad_sensors_stop_nothing, redline_is_guarded_and_inlets_lag]
