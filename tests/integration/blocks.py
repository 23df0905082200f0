# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside Slurm's topology/block: segments within blocks, and what stays idle."""

import pathlib
import random
import tempfile
import threading
import time

from cluster import Cluster, Skip, expand, expect, slurm_version

BLOCKS, BLOCK = 6, 4
NODES = BLOCKS * BLOCK
TOPOLOGY = ''.join(f'BlockName=b{b} Nodes=n[{b * BLOCK + 1:02d}-{(b + 1) * BLOCK:02d}]\n'
                   for b in range(BLOCKS)) + f'BlockSizes={BLOCK},{2 * BLOCK}\n'
MACHINE = 'name: blocks\ntopology: {{kind: blocks, slurm_topology: {}}}\n'


def block_of(node):
    return (int(node.lstrip('n')) - 1) // BLOCK


def stream(length):
    """Jobs as (nodes, segment, seconds); the same ones in each run."""
    draw = random.Random(17)
    jobs = []
    for _ in range(300 if length == 'long' else 80):
        segment = draw.choice((1, 2, 2, 3, 4, 4))
        segments = draw.choice((1, 1, 2, 3))
        jobs.append((segment * segments, segment, draw.uniform(1, 6)))
    return jobs


class IdleBlocks(threading.Thread):
    """Looks at the idle nodes of each block until stopped."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.samples, self.stopping = cluster, [], threading.Event()

    def run(self):
        while not self.stopping.wait(0.3):
            lines = self.cluster.slurm('sinfo', '-h', '-N', '-o', '%N %t', check=False).stdout
            idle = [0] * BLOCKS
            for line in lines.splitlines():
                node, state = line.split()
                idle[block_of(node)] += state == 'idle'
            self.samples.append(idle)

    def segments(self, size):
        """Mean number of idle segments of a size."""
        return sum(sum(n // size for n in idle) for idle in self.samples) / len(self.samples)


def run_stream(cluster, length):
    """Submits the jobs; returns (job ids, mean wait, idle segments by size, seconds)."""
    jobs, start = {}, time.monotonic()
    with_idle = IdleBlocks(cluster)
    for nodes, segment, seconds in stream(length):
        job = cluster.submit('--exclusive', f'--nodes={nodes}', f'--segment={segment}',
                             command=f'sleep {seconds:.1f}')
        jobs[job] = (nodes, segment)
        if len(jobs) == 10:
            with_idle.start()
    cluster.wait_all_done(jobs, 900)
    took = time.monotonic() - start
    with_idle.stopping.set()
    with_idle.join()
    known = cluster.jobs()
    when = '%Y-%m-%dT%H:%M:%S'
    waits = [time.mktime(time.strptime(known[job]['StartTime'], when)) -
             time.mktime(time.strptime(known[job]['SubmitTime'], when)) for job in jobs]
    return jobs, sum(waits) / len(waits), [with_idle.segments(size) for size in (1, 2, 3, 4)], took


def expect_whole_segments(jobs, known):
    for job, (nodes, segment) in jobs.items():
        held = expand(known[job]['NodeList'])
        expect(len(held) == nodes, f'job {job}: {known[job]["NodeList"]}')
        by_block = [sum(block_of(node) == b for node in held) for b in range(BLOCKS)]
        expect(all(count % segment == 0 for count in by_block),
               f'job {job}: segments of {segment} on {sorted(held)}')


def segments_stay_in_blocks(build, length, logs):
    """Jobs with --segment under topology/block: no answer is refused, segments are whole; and
    the same jobs with Slurm alone: idle segments by size and waits, side by side."""
    if slurm_version() < (24, 5):
        raise Skip('this Slurm has no topology/block (24.05 is the first)')
    with tempfile.TemporaryDirectory(prefix='coolspan-blocks-') as folder:
        folder = pathlib.Path(folder)
        topology, machine = folder / 'topology.conf', folder / 'machine.yaml'
        topology.write_text(TOPOLOGY)
        machine.write_text(MACHINE.format(topology))
        extra = ['--topology', topology, '--slurm-conf', 'TopologyPlugin=topology/block']
        results = {}
        for plugin in ('none', 'dropin'):
            own = [] if plugin == 'none' else ['--machine', machine]
            with Cluster(build, logs, plugin=plugin, nodes=NODES, policy='best-fit',
                         ordering='row-major', extra=[*extra, *own]) as cluster:
                jobs, *results[plugin] = run_stream(cluster, length)
                expect_whole_segments(jobs, cluster.jobs())
                if plugin == 'none':
                    continue
                verdicts = [cluster.verdicts()[job] for job in jobs]
                refused = [fields for verdict, fields in verdicts
                           if 'rejected' in fields.get('reason', '')]
                expect(not refused, f'{len(refused)} answers refused: {refused[:2]}')
                enforced = sum(verdict == 'enforced' for verdict, _ in verdicts)
                expect(enforced >= 0.95 * len(jobs), f'{enforced} of {len(jobs)} enforced')
                # Without --segment, also those that need more than one block.
                for nodes in (1, 3, 4, 5, 8, 12):
                    job = cluster.start(f'--nodes={nodes}')
                    cluster.expect_enforced(job)
                    cluster.slurm('scancel', job)
                    cluster.wait_state(job, 'CANCELLED')
        text = '; '.join(
            f'{name}: mean wait {wait:.1f} s, idle segments of 1, 2, 3, 4 nodes '
            f'{", ".join(f"{mean:.2f}" for mean in idle)}, {took:.0f} s'
            for name, (wait, idle, took) in
            (('Slurm alone', results['none']), ('Coolspan', results['dropin'])))
        return f'{enforced} of {len(jobs)} enforced; {text}'


TESTS = [segments_stay_in_blocks]
