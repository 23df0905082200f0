# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside Slurm's topology/block: segments within blocks, and what stays idle."""

import pathlib
import random
import tempfile
import threading
import time

from cluster import Cluster, Skip, expand, expect, run, slurm_version

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
    return (jobs, cluster.mean_wait(jobs), [with_idle.segments(size) for size in (1, 2, 3, 4)],
            took)


def expect_whole_segments(jobs, known):
    for job, (nodes, segment) in jobs.items():
        held = expand(known[job]['NodeList'])
        expect(len(held) == nodes, f'job {job}: {known[job]["NodeList"]}')
        by_block = [sum(block_of(node) == b for node in held) for b in range(BLOCKS)]
        expect(all(count % segment == 0 for count in by_block),
               f'job {job}: segments of {segment} on {sorted(held)}')


def counts_by_block(cluster, job):
    """Nodes of the running job in each block."""
    held = expand(cluster.job(job)['NodeList'])
    return [sum(block_of(node) == b for node in held) for b in range(BLOCKS)]


def expect_segments(by_block, segment, options):
    """By the number of nodes in each block of a job of up to 2 blocks."""
    used = [b for b, count in enumerate(by_block) if count]
    expect(all(count % segment == 0 for count in by_block), f'{by_block}: segments of {segment}')
    if '--spread-segments' in options:
        expect(max(by_block) == segment, f'{by_block}: two segments in a block')
    if '--consolidate-segments' in options:
        segments = sum(by_block) // segment
        room = segments * BLOCK if '--spread-segments' in options else sum(by_block)
        size = 1 if room <= BLOCK else 2 if room <= 2 * BLOCK else BLOCKS
        expect(used[0] // size == used[-1] // size, f'{by_block}: not in one block of {size}')


def spread_and_consolidated_segments(build, length, logs):
    """--spread-segments and --consolidate-segments under topology/block, on an empty and on a
    half full machine: the decisions are accepted, and are what was requested."""
    if slurm_version() < (25, 11):
        raise Skip('this Slurm has no --spread-segments (25.11 is the first)')
    draw = random.Random(5)
    with tempfile.TemporaryDirectory(prefix='coolspan-blocks-') as folder:
        topology, machine = pathlib.Path(folder, 'topology.conf'), pathlib.Path(folder, 'm.yaml')
        topology.write_text(TOPOLOGY)
        machine.write_text(MACHINE.format(topology))
        with Cluster(build, logs, plugin='dropin', nodes=NODES, policy='best-fit',
                     ordering='row-major',
                     extra=['--machine', machine, '--topology', topology, '--slurm-conf',
                            'TopologyPlugin=topology/block']) as cluster:
            started = 0
            for busy in ((), ('n02', 'n05', 'n09', 'n10', 'n13', 'n17', 'n18', 'n19')):
                for node in busy:
                    cluster.start('--nodes=1', f'--nodelist={node}')
                for _ in range(60 if length == 'long' else 15):
                    segment, segments = draw.choice((1, 2)), draw.choice((2, 2, 3))
                    options = draw.choice((['--spread-segments'], ['--consolidate-segments'],
                                           ['--spread-segments', '--consolidate-segments']))
                    if busy and segment * segments > 4:
                        continue
                    job = cluster.start(f'--nodes={segment * segments}', f'--segment={segment}',
                                        *options)
                    cluster.expect_enforced(job)
                    expect_segments(counts_by_block(cluster, job), segment, options)
                    cluster.slurm('scancel', job)
                    cluster.wait_state(job, 'CANCELLED')
                    started += 1
            return f'{started} of {started} enforced'


YAML = """- topology: racks
  cluster_default: true
  block:
    block_sizes: [4, 8]
    blocks: [{block: a, nodes: "n[1-4]"}, {block: b, nodes: "n[5-8]"}]
- topology: wires
  tree:
    switches:
      - {switch: top, children: "s[1-2]"}
      - {switch: s1, nodes: "n[1-4]"}
      - {switch: s2, nodes: "n[5-8]"}
- topology: rest
  flat: true
"""


def a_topology_for_each_partition(build, length, logs):
    """topology.yaml: jobs of the partition in blocks stay within them, those of the partitions
    with a tree and with a flat topology do not have to; all decisions are accepted."""
    if slurm_version() < (25, 5):
        raise Skip('this Slurm has no topology.yaml (25.05 is the first)')
    with tempfile.TemporaryDirectory(prefix='coolspan-blocks-') as folder:
        topology, machine = pathlib.Path(folder, 'topology.yaml'), pathlib.Path(folder, 'm.yaml')
        topology.write_text(YAML)
        machine.write_text(MACHINE.format(topology))
        extra = ['--topology', topology, '--machine', machine]
        for name in ('wires', 'rest'):
            extra += ['--slurm-conf', f'PartitionName={name} Nodes=ALL MaxTime=INFINITE State=UP '
                                      f'Topology={name}']
        with Cluster(build, logs, plugin='named', nodes=8, policy='first-fit',
                     ordering='row-major', extra=extra) as cluster:
            cluster.start('--nodes=1', '--nodelist=n1')
            held = {}
            for partition in ('main', 'wires', 'rest'):
                job = cluster.start('--nodes=4', f'--partition={partition}')
                cluster.expect_enforced(job)
                held[partition] = expand(cluster.job(job)['NodeList'])
                cluster.slurm('scancel', job)
                cluster.wait_state(job, 'CANCELLED')
            expect(held['main'] == {'n5', 'n6', 'n7', 'n8'}, held)
            expect(held['wires'] == held['rest'] == {'n2', 'n3', 'n4', 'n5'}, held)
            written = run(cluster.build / 'bin' / 'coolspan', 'machine', '--from-slurm',
                          '--slurm-conf', cluster.dir / 'etc' / 'slurm.conf').stdout
            expect('kind: blocks' in written and '"racks"' in written, written)
            return 'in blocks: n[5-8]; in a tree and flat: n[2-5]'


def segments_stay_in_blocks(build, length, logs):
    """Jobs with --segment under topology/block: no answer is refused, segments are whole; and
    the same jobs with Slurm alone: idle segments by size and waits, side by side."""
    if slurm_version() < (24, 5):
        raise Skip('this Slurm has no --segment (24.05 is the first)')
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
                enforced = cluster.expect_none_refused(jobs)
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


TESTS = [segments_stay_in_blocks, spread_and_consolidated_segments,
         a_topology_for_each_partition]
