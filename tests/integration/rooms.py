# SPDX-License-Identifier: GPL-3.0-or-later
"""A room of forty nodes in the loop: real jobs, played sensors, predicted heat."""

import contextlib
import functools
import json
import math
import os
import re
import subprocess
import sys
from datetime import datetime

from cluster import REPOSITORY, Cluster, Failure, Skip, expand, expect, run, wait_until
from placing import check_answers, submit_many

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
    """Its path; skips where the data are absent, fails where they must not be."""
    folder = os.environ.get('COOLSPAN_DATA_DIR', REPOSITORY.parent / 'shared' / 'data')
    path = os.path.abspath(os.path.join(folder, 'heat', 'boston40-D.txt'))
    if os.path.exists(path):
        return path
    reason = f'{path} is not on this host'
    raise Failure(reason) if os.environ.get('COOLSPAN_REQUIRE_DATA') == '1' else Skip(reason)


class Room:
    """boston40 as `coolspan thermal` and `allocate` have it: the model alone."""

    def __init__(self, build, folder, matrix, time_constant_s, redline_c=30.0):
        self.coolspan = build / 'bin' / 'coolspan'
        self.time_constant_s = time_constant_s
        self.redline_c = redline_c
        self.machine = folder / 'boston40.yaml'
        self.machine.write_text(MACHINE.format(
            matrix=matrix, redline_c=redline_c, time_constant_s=time_constant_s))
        self.names = self.ask('order', '--ordering', 'row-major')['nodes']
        # Asked for again and again while jobs come and go.
        self.of_busy = functools.lru_cache(maxsize=None)(self.thermal_of)

    def ask(self, subcommand, *options):
        done = run(self.coolspan, subcommand, '--machine', self.machine, '--json', *options)
        return json.loads(done.stdout)

    def thermal_of(self, busy):
        return self.ask('thermal', *(['--busy', ','.join(sorted(busy))] if busy else []))

    def thermal(self, busy):
        return self.of_busy(frozenset(busy))

    def inlet_c(self, busy):
        return dict(zip(self.names, self.thermal(busy)['inlet_c']))

    def choice(self, policy, count, busy):
        """What the policy takes with nothing but the model, and no guard."""
        taken = ['--busy', ','.join(sorted(busy))] if busy else []
        return set(self.ask('allocate', '--policy', policy, '--ordering', 'hilbert',
                            '--nodes', count, *taken)['nodes'])


def log_lines(cluster, event):
    """The daemon's log: the lines of one event, oldest first."""
    path = cluster.dir / 'log' / 'coolspand.out'
    lines = []
    for line in path.read_text(errors='replace').splitlines():
        with contextlib.suppress(ValueError):
            fields = json.loads(line)
            if fields.get('event') == event:
                lines.append(fields)
    return lines


def room_status(cluster):
    return json.loads(cluster.coolspan('status').stdout)['room']


def place(cluster, count, policy):
    """Starts a job and leaves it running; returns its nodes and the decision."""
    job = cluster.submit('--exclusive', f'--nodes={count}', command='sleep 3600')
    cluster.wait_state(job, 'RUNNING')
    cluster.wait_agreement()
    nodes = expand(cluster.job(job)['NodeList'])
    verdict, fields = cluster.verdicts()[job]
    expect(verdict == 'enforced', f'job {job} is {verdict}: {fields}')
    decision = cluster.decisions(job)[0]
    expect(decision['policy'] == policy and expand(decision['nodes']) == nodes,
           f'job {job} is on {sorted(nodes)}, decided was {decision}')
    return job, nodes, decision


def cancel(cluster, jobs):
    cluster.slurm('scancel', *jobs)
    wait_until(lambda: not set(jobs) & set(cluster.not_ended()), 60, f'jobs {jobs} are gone')
    cluster.wait_agreement()


def cluster_in_room(build, logs, policy, **room_options):
    """A cluster, not started, and the room that it will stand in."""
    matrix = matrix_of_boston40()
    cluster = Cluster(build, logs, nodes=NODES, policy=policy)
    room = Room(build, cluster.scratch, matrix, **room_options)
    cluster.options += ['--machine', room.machine, '--daemon-conf', 'deadline_ms: 900']
    return cluster, room


# --- sensors


LIAR, DEAD, HOT_SPOT = 'n07', 'n40', 'n03'
LIE_K, HOT_K = 15, 6
BAD_SENSORS = {(LIAR, 'inlet', 'deviant'), (DEAD, 'inlet', 'missing'), (DEAD, 'power', 'missing')}
SIZES = [4, 3, 6, 2, 5]
STREAM = {'short': 60, 'long': 600}


class PlayedSensors:
    """deploy/play-room on a free port, from entry to exit. What goes wrong can be
    said at any time; at first every sensor is dead."""

    def __init__(self, cluster, room):
        self.faults = cluster.scratch / 'faults'
        self.say_wrong(*(f'die {node}' for node in room.names))
        conf = cluster.dir / 'etc' / 'slurm.conf'
        self.player = subprocess.Popen(
            [sys.executable, PLAY_ROOM, '--machine', room.machine, '--coolspan', room.coolspan,
             '--running', f'SLURM_CONF={conf} timeout 20 squeue -h -t R -o %N',
             '--time-constant', str(room.time_constant_s), '--every', '0.3',
             '--noise', '0.1', '--faults', self.faults],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.player.stdout.readline().strip()
        expect(self.url, 'play-room did not start')

    def say_wrong(self, *lines):
        whole = self.faults.with_suffix('.new')
        whole.write_text('\n'.join([*lines, '']))
        whole.replace(self.faults)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.player.terminate()
        self.player.wait(timeout=60)
        self.player.stdout.close()


def wait_bad(cluster, bad):
    """Exactly these sensors are not believed."""
    seen = {}

    def named():
        seen.update(room_status(cluster))
        return bad == {(s['node'], s['kind'], s['state']) for s in seen['bad']}
    try:
        wait_until(named, 90, f'{bad} are not believed')
    except Failure as failure:
        raise Failure(f'{failure}: {seen}') from None


def wait_peak(cluster, peak_c, node):
    """What decisions see comes near the truth, and the room there; the node too."""
    seen = {}

    def near():
        seen.update(room_status(cluster))
        return (abs(seen['steady_peak_inlet_c'] - peak_c) < 0.25 and
                abs(seen['peak_inlet_c'] - peak_c) < 0.25 and seen['steady_peak_node'] == node)
    try:
        wait_until(near, 90, f'the peak is {peak_c} C at {node}')
    except Failure as failure:
        raise Failure(f'{failure}: {seen}') from None


def place_as_the_model_says(cluster, room):
    """Jobs without a word from a sensor; returns them and their nodes."""
    jobs, busy = [], set()
    for count in SIZES:
        model = room.choice('hybrid', count, busy)
        job, nodes, decision = place(cluster, count, 'hybrid')
        expect(nodes == model, f'{sorted(nodes)} instead of {sorted(model)}: {decision}')
        jobs.append(job)
        busy |= nodes
    return jobs, busy


def place_around_hot_spot(cluster, room):
    """The same jobs again; returns how many go elsewhere than the model alone
    would put them, the peak of the played room, and what it would be then."""
    def truly(busy):
        inlet_c = room.inlet_c(busy)
        inlet_c[HOT_SPOT] += HOT_K
        node = max(inlet_c, key=inlet_c.get)
        return inlet_c[node], node
    jobs, busy, busy_of_model, elsewhere = [], set(), set(), 0
    wait_peak(cluster, *truly(busy))
    for count in SIZES:
        busy_of_model |= room.choice('hybrid', count, busy_of_model)
        model = room.choice('hybrid', count, busy)
        job, nodes, decision = place(cluster, count, 'hybrid')
        peak_c, _ = truly(busy | nodes)
        expect(abs(float(decision['facts']['peak_inlet_after_c']) - peak_c) < 0.4,
               f'truly {peak_c}: {decision}')
        elsewhere += nodes != model
        jobs.append(job)
        busy |= nodes
        wait_peak(cluster, *truly(busy))
    return jobs, elsewhere, truly(busy)[0], truly(busy_of_model)[0]


def bad_sensors_stop_nothing(build, length, logs):
    """Hybrid, a stream of jobs; a sensor lies, one dies, and a hot spot is minded."""
    cluster, room = cluster_in_room(build, logs, 'hybrid', time_constant_s=2.0)
    with PlayedSensors(cluster, room) as sensors:
        cluster.options += ['--daemon-conf', (
            f'telemetry: {{scrape: ["{sensors.url}"], interval_s: 0.3, missing_after_s: 6, '
            'most_deviation_k: 10, bias_time_s: 3, power_settles_s: 5}')]
        with cluster:
            jobs, busy = place_as_the_model_says(cluster, room)
            expect(room_status(cluster)['inlets_good'] == 0, f'{room_status(cluster)}')

            sensors.say_wrong()
            wait_until(lambda: room_status(cluster)['inlets_good'] == NODES, 60, 'all speak')
            third = STREAM[length] // 3
            stream = submit_many(cluster, third)
            lies = [f'lie {LIAR}=+{LIE_K}', f'die {DEAD}']
            sensors.say_wrong(*lies)
            stream += submit_many(cluster, third)
            wait_bad(cluster, BAD_SENSORS)
            stream += submit_many(cluster, third)
            cluster.wait_all_done(stream, 300)
            note = check_answers(cluster, stream, 1.0)
            policies = {line['policy'] for line in log_lines(cluster, 'decision')}
            expect(policies == {'hybrid'}, f'decisions of {policies}')
            # Long enough for a lie to be believed, if it were.
            thermal = room.thermal(busy)
            wait_peak(cluster, thermal['peak_inlet_c'], thermal['peak_node'])
            cancel(cluster, jobs)

            sensors.say_wrong(*lies, f'hot {HOT_SPOT}=+{HOT_K}')
            jobs, elsewhere, peak_c, peak_of_model_c = place_around_hot_spot(cluster, room)
            expect(elsewhere > 0 and peak_c < peak_of_model_c - 0.5,
                   f'{elsewhere} went elsewhere; {peak_c} C, {peak_of_model_c} C without')
            wait_bad(cluster, BAD_SENSORS)
            alarms = {(line['node'], line['kind'], line['state'])
                      for line in log_lines(cluster, 'sensor') if line['level'] == 'warning'}
            expect(alarms == BAD_SENSORS, f'{alarms}')
            told = run(room.coolspan, 'status', '--endpoint', cluster.endpoint).stdout
            for words in ('inlet sensors: 38 good, 2 bad', f'{LIAR} inlet sensor: outlier',
                          f'{DEAD} inlet sensor: missing', f'{DEAD} power meter: missing'):
                expect(words in told, f'no "{words}" in {told}')

            sensors.say_wrong(f'hot {HOT_SPOT}=+{HOT_K}')
            wait_bad(cluster, set())
            expect(set(cluster.queue()) == set(jobs), f'{cluster.queue()}')
            cluster.mini('status')  # every daemon runs, every slurmd too
    return (f'{note}; {elsewhere} of {len(SIZES)} jobs placed for the hot spot, '
            f'peak {peak_c:.2f} C instead of {peak_of_model_c:.2f}')


# --- the redline


# Nodes of the jobs, started one after the other and left running.
TOWARDS_THE_REDLINE = [4, 4, 6, 4, 6, 6, 4]


def guarded_placement(cluster, room, policy, count, busy):
    """Starts a job; returns (its id, its nodes, what the guard did). What was
    decided is held against what the policy alone would take."""
    alone = room.choice(policy, count, busy)
    alone_c = room.thermal(busy | alone)['peak_inlet_c']
    job, nodes, decision = place(cluster, count, policy)
    facts = decision['facts']
    peak_c = room.thermal(busy | nodes)['peak_inlet_c']
    expect(abs(float(facts['peak_inlet_after_c']) - peak_c) < 0.001,
           f'thermal says {peak_c}, the decision {facts}')
    over_k = peak_c - room.redline_c
    expect(('over_redline_k' in facts) == (over_k > 0), f'{over_k} over the redline, {facts}')
    if alone_c <= room.redline_c:
        expect(nodes == alone and 'redline_guard' not in facts, f'{decision}, alone {alone}')
        return job, nodes, 'not asked'
    guard = facts.get('redline_guard')
    if guard == 'took cooler nodes':
        expect(nodes != alone and peak_c < alone_c, f'{decision} instead of {alone}, {alone_c}')
        expect(abs(float(facts['unguarded_peak_inlet_c']) - alone_c) < 0.001,
               f'alone {alone_c}, {facts}')
    else:
        expect(guard == 'found no cooler nodes' and nodes == alone, f'{decision}, alone {alone}')
    return job, nodes, guard


def expect_published(cluster, room, busy):
    """Status says of the room what `coolspan thermal` says of the busy nodes."""
    thermal = room.thermal(busy)
    wait_until(lambda: abs(room_status(cluster)['it_w'] - thermal['it_w']) < 1e-6, 60,
               f'{thermal["it_w"]} W of nodes')
    status = room_status(cluster)
    for published, name in (('supply_max_c', 'supply_max_c'),
                            ('steady_peak_inlet_c', 'peak_inlet_c'), ('cooling_w', 'cooling_w')):
        expect(math.isclose(status[published], thermal[name], rel_tol=1e-9),
               f'{published} {status[published]}, thermal {thermal[name]}')
    expect(status['steady_peak_node'] == thermal['peak_node'], f'{status}, {thermal}')
    expect(status['over_redline'] == (thermal['peak_inlet_c'] > room.redline_c), f'{status}')


def starts_and_ends(cluster):
    """[(seconds since 1970, job, whether it starts)] as slurmctld's log has them."""
    events = []
    for line in cluster.log().splitlines():
        match = re.match(r'\[([^\]]+)\] (?:coolspan: JobId=(\d+) enforced '
                         r'|job_signal: 9 of running JobId=(\d+) )', line)
        if match:
            at_s = datetime.fromisoformat(match[1]).timestamp()
            events.append((at_s, int(match[2] or match[3]), match[2] is not None))
    return sorted(events)


def lagging_peaks(cluster, room, nodes_of, at_s):
    """The hottest inlet at each of the times, by the first-order lag from one
    event of slurmctld's log to the next. The room begins steady and idle."""
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
    """Cooler nodes near the redline, warnings beyond; inlets and supply as computed."""
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
        decisions = log_lines(cluster, 'decision')
        over = [line for line in decisions if line.get('over_redline')]
        expect(guarded > 0 and guarded == status['decisions_guarded'], f'{guards}, {status}')
        expect(over and len(over) == status['decisions_over_redline'] and
               all(line['level'] == 'warning' for line in over), f'{over}, {status}')
        expect([line['predicted'] for line in log_lines(cluster, 'redline')] == ['exceeded'],
               f'{log_lines(cluster, "redline")}')

        # Half of the way up, then down again.
        half_c = (room.thermal(set())['peak_inlet_c'] + peak_c) / 2
        wait_until(lambda: room_status(cluster)['peak_inlet_c'] > half_c, 120, f'{half_c} C')
        ended = list(nodes_of)[1:]
        cancel(cluster, ended)
        busy = nodes_of[min(nodes_of)]
        expect_published(cluster, room, busy)
        top_c = room_status(cluster)['peak_inlet_c']
        wait_until(lambda: room_status(cluster)['peak_inlet_c'] < top_c - 1, 120, 'it cools')
        expect([line['predicted'] for line in log_lines(cluster, 'redline')] ==
               ['exceeded', 'kept again'], f'{log_lines(cluster, "redline")}')

        lines = log_lines(cluster, 'room')
        peaks = lagging_peaks(cluster, room, nodes_of, [line['at_ms'] / 1000 for line in lines])
        off_k = [abs(line['peak_inlet_c'] - peak) for line, peak in zip(lines, peaks)]
        expect(len(lines) >= 20, f'{len(lines)} lines of the room')
        expect(max(off_k) < 0.1, f'{max(off_k):.3f} K from the lag: {list(zip(lines, peaks))}')
        expect(cluster.queue() == {min(nodes_of): busy}, f'{cluster.queue()}')
    return (f'{guarded} of {len(guards)} placements changed, {len(over)} over the redline; '
            f'{len(lines)} logged inlets within {max(off_k):.3f} K')


TESTS = [bad_sensors_stop_nothing, redline_is_guarded_and_inlets_lag]
