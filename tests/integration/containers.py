# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of containers: two controllers, two coolspand over TLS, faults of hosts."""

import contextlib
import random
import threading
import time

from cluster import Failure, expand, expect, wait_until
from container_cluster import COOLSPAN, ENDPOINT, ContainerCluster

# slurmctld saves accepted jobs up to five seconds later (state_save.c): a job accepted just
# before it is killed may be lost, with and without Coolspan.
SAVE_S = 7
CORES = 4


def agreement(cluster, seconds=60):
    """Waits until ledger and squeue are equal; returns the seconds that it took."""
    start = time.monotonic()
    cluster.wait_agreement(seconds)
    return time.monotonic() - start


def take_over_in_the_middle_of_200_jobs(build, length, logs):
    """The first controller is killed while 200 jobs run and wait: the second one takes over
    with the same coolspand, then the first one takes control back; no job is lost, and the
    ledger is equal to squeue each time."""
    with ContainerCluster(build, logs, '--controllers', '2') as cluster:
        names = [f'j{i}' for i in range(200)]
        # Jobs that end at different times; every fifth has two nodes.
        cluster.slurm('sh', '-ec', 'for i in $(seq 0 199); do sbatch --parsable --requeue '
                      '--output=/dev/null --job-name=j$i --nodes=$((i % 5 / 4 + 1)) --exclusive '
                      '--wrap="sleep 1.$((i % 7))"; done')
        time.sleep(SAVE_S)
        done = sum(state == 'COMPLETED' for state, _ in cluster.named().values())
        expect(done < 190, f'{done} of 200 jobs had ended before the fault')
        cluster.fault('kill', 'ctl1')
        # From a node's side, only ctl2 responds.
        wait_until(lambda: 'Running as primary controller' in
                   (cluster.dir / 'log/ctl2.out').read_text(errors='replace'), 60, 'ctl2 takes over')
        wait_until(cluster.named, 60, 'slurmctld responds')
        took_over = agreement(cluster)
        between = sum(state == 'COMPLETED' for state, _ in cluster.named().values())
        cluster.mend('restart', 'ctl1')
        wait_until(lambda: 'Running as primary controller' in
                   (cluster.dir / 'log/ctl1.out').read_text(errors='replace')
                   .rsplit('slurmctld version', 1)[-1], 60, 'ctl1 is back')
        wait_until(cluster.named, 60, 'slurmctld responds')
        back = agreement(cluster)
        left = cluster.wait_named(names, 300)
        expect(not left, f'not completed: {left}')
        cluster.wait_agreement()
        expect(not cluster.down(), f'crashed: {cluster.down()}')
        verdicts = [verdict for verdict, _ in cluster.verdicts().values()]
        expect(verdicts.count('enforced') > 100, f'enforced: {verdicts.count("enforced")}')
        return (f'{done} jobs ended before, {between} when ctl1 was back; equal after '
                f'{took_over:.1f} and {back:.1f} s, {verdicts.count("enforced")} enforced, '
                f'{verdicts.count("fallback")} by Slurm alone; {cluster.repaired} repairs')


def each_coolspand_has_its_own_mode_and_history(build, length, logs):
    """docs/slurm-plugin.md, Two coolspand: after a fail-over the mode is that of the other
    coolspand, which knows the running jobs but no earlier decision, and stays in use when the
    first one is back, with the MAC address that it had."""
    with ContainerCluster(build, logs, '--nodes', '2') as cluster:
        def coolspan(host, *words):
            return cluster.on(host, COOLSPAN, *words, '--endpoint', ENDPOINT, check=False)

        def start(name):
            """Returns the verdict and the id of the job, when coolspand has it. A loaded host
            may miss the deadline: then another job."""
            for attempt in range(5):
                expect(cluster.submit_named(f'{name}{attempt}', '--exclusive', command='sleep 600'),
                       f'{name} refused')
                wait_until(lambda: cluster.named('RUNNING').get(f'{name}{attempt}'), 60, f'{name} runs')
                job = cluster.slurm('squeue', '-h', f'--name={name}{attempt}', '-o', '%A').stdout.strip()
                wait_until(lambda: int(job) in cluster.verdicts(), 60, f'verdict of {name}')
                if cluster.verdicts()[int(job)][0] != 'fallback':
                    break
                cluster.slurm('scancel', job)
            cluster.wait_agreement()
            return cluster.verdicts()[int(job)][0], job

        def mac_address():
            return cluster.on(used, 'cat', '/sys/class/net/eth0/address').stdout

        wait_until(lambda: 'synced with' in cluster.log(), 60, 'the first Sync')
        # The first endpoint, unless its host was slow to answer.
        used = cluster.used_coolspand()
        other = {'cs1': 'cs2', 'cs2': 'cs1'}[used]
        expect(coolspan(used, 'mode', 'advise').returncode == 0, 'no mode set')
        mac, (verdict, first) = mac_address(), start('first')
        expect(verdict == 'advised', f'{used}: {verdict}')
        cluster.fault('kill', used)
        wait_until(lambda: cluster.used_coolspand() == other, 60, f'{other} is used')
        cluster.wait_agreement()
        verdict, second = start('second')
        expect(verdict == 'enforced', f'{other}: {verdict}')
        expect('no decision about job' in coolspan(other, 'explain', first).stderr, f'{other} knows more')
        cluster.mend('restart', used)
        expect(mac_address() == mac, f'{mac_address()} (expected {mac})')
        expect('advise' in coolspan(used, 'mode').stdout, f'{used} has lost its mode')
        expect(coolspan(used, 'explain', first).returncode == 0, f'{used} has lost its decision')
        expect(coolspan(other, 'explain', second).returncode == 0, f'{other} has lost its decision')
        cluster.slurm('scancel', second)
        verdict, _ = start('third')
        expect(verdict == 'enforced' and cluster.used_coolspand() == other, f'back: {verdict}')


class Stream(threading.Thread):
    """Submits jobs until stopped, and looks at those that run."""

    def __init__(self, cluster, seed):
        super().__init__(daemon=True)
        self.cluster, self.random = cluster, random.Random(seed)
        self.accepted = {}  # name: when
        self.refused, self.looks, self.problems = 0, 0, []
        self.stopping = threading.Event()

    def run(self):
        number = 0
        while not self.stopping.wait(0.3):
            number += 1
            exclusive = self.random.random() < 0.7
            name = f'{"x" if exclusive else "s"}{number}'
            size = ['--exclusive', f'--nodes={self.random.choice((1, 1, 1, 2, 3))}'] \
                if exclusive else ['--ntasks=1']
            if self.cluster.submit_named(name, *size, command=f'sleep {self.random.uniform(0.5, 3)}'):
                self.accepted[name] = time.monotonic()
            else:
                self.refused += 1
            with contextlib.suppress(Exception):
                self.look()

    def look(self):
        """No node of an exclusive job has another job, and no node too many."""
        on_node = {}
        for name, (_, nodes) in (self.cluster.named('RUNNING') or {}).items():
            for node in expand(nodes):
                on_node.setdefault(node, []).append(name)
        self.looks += 1
        for node, names in on_node.items():
            if len(names) > CORES or (len(names) > 1 and any(name[0] == 'x' for name in names)):
                self.problems.append((node, names))

    def stop(self):
        self.stopping.set()
        self.join()


class Ledgers(threading.Thread):
    """Looks whether a coolspand gives a node twice."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.polls, self.problems = cluster, 0, []
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(0.5):
            for host in self.cluster.of_kind('cs'):
                if host in self.cluster.faulty:
                    continue
                with contextlib.suppress(Failure):
                    self.check(host, self.cluster.ledger_of(host))

    def check(self, host, records):
        if records is None:
            return
        self.polls += 1
        on_node = {}
        for record in records:
            if record['state'] != 'suspended':
                for node in expand(record['nodes']) - expand(record['contested']):
                    on_node.setdefault(node, []).append(record)
        self.problems += [(host, node, held) for node, held in on_node.items()
                          if len(held) > CORES or (len(held) > 1 and any(r['whole'] for r in held))]

    def stop(self):
        self.stopping.set()
        self.join()


class Chaos:
    """Random faults, at most two at a time, each mended after some seconds."""

    MEND = {'kill': 'restart', 'pause': 'resume', 'cut': 'join'}
    # (host kind, fault, longest seconds); nothing starts without a controller, so its faults
    # are fewer.
    FAULTS = [('ctl', 'kill', 4), ('ctl', 'pause', 3), ('ctl', 'cut', 4),
              *2 * [('cs', 'kill', 8), ('cs', 'pause', 6), ('cs', 'cut', 8)],
              *2 * [('n', 'kill', 15), ('n', 'cut', 20), ('n', 'pause', 5)]]

    def __init__(self, cluster, seed):
        self.cluster, self.random = cluster, random.Random(seed)
        self.open, self.counts = [], {}
        self.controller_kills = []  # from when to when: podman takes seconds on a busy host

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.mend_due()
            crashed = self.cluster.down()
            expect(not crashed, f'crashed: {crashed}')
            if len(self.open) < 2 and self.random.random() < 0.4:
                self.begin()
            time.sleep(0.5)
        for _, action, host in self.open:
            self.cluster.mend(action, host)
        return time.monotonic()

    def begin(self):
        kind, fault, longest = self.random.choice(self.FAULTS)
        host = self.random.choice(self.cluster.of_kind(kind))
        if host in self.cluster.faulty:
            return
        begin = time.monotonic()
        self.cluster.fault(fault, host)
        if kind == 'ctl' and fault == 'kill':
            self.controller_kills.append((begin, time.monotonic()))
        self.counts[f'{fault} {kind}'] = self.counts.get(f'{fault} {kind}', 0) + 1
        self.open.append((time.monotonic() + self.random.uniform(0.5, longest), self.MEND[fault], host))

    def mend_due(self):
        for entry in [entry for entry in self.open if entry[0] <= time.monotonic()]:
            self.open.remove(entry)
            self.cluster.mend(*entry[1:])


def chaos_of_hosts(build, length, logs):
    """Controllers, coolspand and compute hosts are killed, frozen and cut off the network at
    random under a stream of jobs: no job is lost or stuck, no host crashes, no program leaves
    a core file in a host's working or log directory, no node has two allocations, and the
    ledger is equal to squeue afterwards."""
    seed = random.SystemRandom().randrange(1 << 32)
    with ContainerCluster(build, logs) as cluster:
        stream, ledgers, chaos = Stream(cluster, seed), Ledgers(cluster), Chaos(cluster, seed + 1)
        stream.start()
        ledgers.start()
        try:
            last_fault = chaos.run(3600 if length == 'long' else 180)
        finally:
            stream.stop()
            ledgers.stop()
        wait_until(cluster.named, 60, 'slurmctld responds')
        cluster.wait_agreement(60)
        equal_after = time.monotonic() - last_fault
        left = cluster.wait_named(stream.accepted, 300)
        unsaved = {name for name in left if left[name][0] == 'unknown' and any(
            begin - SAVE_S < stream.accepted[name] < end + 1
            for begin, end in chaos.controller_kills)}
        lost = {name: left[name] for name in left if name not in unsaved}
        expect(not lost, f'seed {seed}: lost or stuck: {lost}; {cluster.state_of(lost)}')
        expect(not cluster.down(), f'seed {seed}: crashed: {cluster.down()}')
        expect(not cluster.core_files(), f'seed {seed}: core files: {cluster.core_files()}')
        cluster.wait_agreement()
        expect(stream.looks > 10 and not stream.problems,
               f'seed {seed}: {stream.looks} looks, two allocations: {stream.problems[:3]}')
        expect(ledgers.polls > 10 and not ledgers.problems,
               f'seed {seed}: {ledgers.polls} polls, given twice: {ledgers.problems[:3]}')
        verdicts = [verdict for verdict, _ in cluster.verdicts().values()]
        # How many depends on the load of the host: the next job waits for the one before.
        expect(verdicts.count('enforced') >= 8,
               f'seed {seed}: {verdicts.count("enforced")} of {len(verdicts)} enforced')
        return (f'seed {seed}: {sum(chaos.counts.values())} faults ({chaos.counts}), '
                f'{len(stream.accepted)} jobs, {stream.refused} refused by a dead controller, '
                f'{len(unsaved)} not saved by Slurm before a kill; {verdicts.count("enforced")} '
                f'enforced, {verdicts.count("fallback")} by Slurm alone; {cluster.repaired} repairs; '
                f'ledger equal {equal_after:.1f} s after the last fault')


TESTS = [take_over_in_the_middle_of_200_jobs, chaos_of_hosts,
         each_coolspand_has_its_own_mode_and_history]
