# SPDX-License-Identifier: GPL-3.0-or-later
"""Policy slurm against Slurm itself: clusters without Coolspan, decision by decision."""

import json
import pathlib
import random
import re
import tempfile

from cluster import Cluster, Skip, expand, expect, run, slurm_version, wait_until

JOBS = {'short': 100, 'long': 300}


def named(numbers, width):
    """Names of nodes in no order, as a list for slurm.conf."""
    return ','.join(f'n{number:0{width}d}' for number in numbers)


def tree_topology(draw, nodes):
    """A topology.conf of three levels: leaf switches of different sizes with nodes from
    everywhere, listed in no order; and one of them directly below the top."""
    numbers = list(range(1, nodes + 1))
    draw.shuffle(numbers)
    leaves, spines = [], {f's{i}': [] for i in range(3)}
    while numbers:
        size = draw.randint(1, 7)
        leaves.append((f'leaf{len(leaves)}', numbers[:size]))
        numbers = numbers[size:]
    for name, _ in leaves[1:]:
        spines[draw.choice(list(spines))].append(name)
    spines = {name: below for name, below in spines.items() if below}
    lines = [f'SwitchName={name} Nodes={named(below, 2)}' for name, below in leaves]
    lines += [f'SwitchName={name} Switches={",".join(below)}' for name, below in spines.items()]
    lines.append(f'SwitchName=top Switches={",".join([*spines, leaves[0][0]])}')
    draw.shuffle(lines)
    return '\n'.join(lines) + '\n'


class Choices:
    """Starts jobs and asks the policy for the same nodes."""

    def __init__(self, cluster, machine, policy, draw):
        self.cluster, self.machine, self.policy, self.draw = cluster, machine, policy, draw
        self.running = {}  # job: nodes
        self.compared, self.refused, self.several = 0, 0, 0
        self.different = []

    @property
    def busy(self):
        return set().union(*self.running.values()) if self.running else set()

    def end_some(self):
        """Ends random jobs and waits until their nodes are idle."""
        ended = self.draw.sample(sorted(self.running), self.draw.randint(1, len(self.running)))
        self.cluster.slurm('scancel', *ended)
        wait_until(lambda: not set(ended) & set(self.cluster.not_ended()), 60,
                   'the cancelled jobs have ended')
        for job in ended:
            del self.running[job]

    def allocate(self, *options):
        """Job and nodes of Slurm; None if it does not start the job now."""
        done = self.cluster.slurm('salloc', '--no-shell', '--immediate=1', '--exclusive', *options,
                                  check=False)
        granted = re.search(r'Granted job allocation (\d+)', done.stderr)
        if not granted:
            expect(re.search('Unable to allocate|cancelled|Revoked|not available', done.stderr),
                   f'salloc {options}: {done.stderr}')
            return None
        job = int(granted[1])
        return job, expand(self.cluster.job(job)['NodeList'])

    def answer(self, nodes, segment):
        """The nodes of the policy; None if it finds no place."""
        busy = ['--busy', ','.join(sorted(self.busy))] if self.running else []
        own = ['--segment', segment] if segment else []
        done = run(self.cluster.build / 'bin' / 'coolspan', 'allocate', '--machine', self.machine,
                   '--policy', self.policy, '--nodes', nodes, *busy, *own, '--json', check=False)
        expect(done.returncode in (0, 1), f'coolspan allocate: {done.stderr}')
        return set(json.loads(done.stdout)['nodes']) if done.returncode == 0 else None

    def compare(self, nodes, segment=0):
        own = self.answer(nodes, segment)
        of_slurm = self.allocate(f'--nodes={nodes}', *([f'--segment={segment}'] if segment else []))
        self.compared += 1
        chosen = of_slurm[1] if of_slurm else None
        if own != chosen:
            self.different.append((nodes, segment, sorted(self.busy), own and sorted(own),
                                   chosen and sorted(chosen)))
        if of_slurm is None:
            self.refused += 1
            return
        self.several += nodes > 1
        self.running[of_slurm[0]] = chosen

    def expect_equal(self):
        expect(self.several > self.compared / 3, f'{self.several} jobs of several nodes started')
        expect(not self.different,
               f'{len(self.different)} of {self.compared} decisions differ; the first '
               f'(nodes, segment, busy, policy, Slurm): {self.different[:1]}')
        refused = f', {self.refused} of them that there is no place' if self.refused else ''
        return f'{self.compared} of {self.compared} decisions are equal{refused}'


def random_jobs(cluster, machine, policy, draw, count, nodes, segments=None):
    """Compares the choices for `count` jobs on a machine that is sometimes full and
    sometimes empty."""
    choices = Choices(cluster, machine, policy, draw)
    while choices.compared < count:
        free = nodes - len(choices.busy)
        if choices.running and (free == 0 or draw.random() < 0.25):
            choices.end_some()
            continue
        size = draw.randint(1, draw.choice((free, max(1, free // 3))))
        segment = 0
        if segments and draw.random() < 0.5:
            segment = draw.choice(segments)
            size = segment * draw.randint(1, max(1, free // segment))
        if size <= free:
            choices.compare(size, segment)
    cluster.slurm('scancel', *choices.running)
    return choices.expect_equal()


def compare_on(build, length, logs, *, seed, nodes, machine, policy, topology=None, slurm_conf=(),
               segments=None):
    """A cluster without Coolspan. machine, topology: texts; {topology} is its file."""
    with tempfile.TemporaryDirectory(prefix='coolspan-choices-') as folder:
        folder = pathlib.Path(folder)
        extra = [part for line in slurm_conf for part in ('--slurm-conf', line)]
        if topology:
            (folder / 'topology.conf').write_text(topology)
            extra += ['--topology', folder / 'topology.conf']
        path = folder / 'machine.yaml'
        path.write_text(machine.format(topology=folder / 'topology.conf', folder=folder))
        with Cluster(build, logs, plugin='none', nodes=nodes, extra=extra) as cluster:
            return random_jobs(cluster, path, policy, random.Random(seed), JOBS[length], nodes,
                               segments)


def slurm_chooses_as_policy_slurm_default(build, length, logs):
    """Without a topology: consecutive nodes, best fit."""
    return compare_on(build, length, logs, seed=1, nodes=40, policy='slurm',
                      machine='name: flat\ntopology: {{kind: mesh, dims: [40]}}\n'
                              'nodes: "n[01-40]"\n')


def slurm_chooses_as_policy_slurm_tree(build, length, logs):
    """topology/tree: few leaf switches, near ones; three random trees."""
    release = '22.05' if slurm_version() < (24, 11) else '24.11'
    results = []
    for seed in (1, 2, 3):
        results.append(compare_on(
            build, length, logs, seed=seed, nodes=40, policy=f'slurm:release={release}',
            topology=tree_topology(random.Random(seed), 40),
            slurm_conf=['TopologyPlugin=topology/tree'],
            machine='name: tree\ntopology: {{kind: fat-tree, slurm_topology: {topology}}}\n'))
    return '; '.join(results)


def three_dimensions(build):
    """The folder of Slurm's topology/3d_torus, compiled for three dimensions."""
    plugin = build / 'tests' / 'slurm' / 'three_dimensions'
    if not (plugin / 'topology_3d_torus.so').exists():
        raise Skip('this Slurm has no topology/3d_torus (24.11 is the last release with it), or '
                   'its source is not there')
    return plugin


def slurm_chooses_as_policy_slurm_torus3d(build, length, logs):
    """topology/3d_torus: nodes along a Hilbert curve by the digits of their names."""
    plugin = three_dimensions(build)
    nodes = 128
    names = [f'n{number:03d}' for number in range(1, nodes + 1)]
    with tempfile.TemporaryDirectory(prefix='coolspan-torus-') as folder:
        places = pathlib.Path(folder) / 'places'
        places.write_text(''.join(f'{name} {" ".join(name[1:])}\n' for name in names))
        stock = next(path.parent for path in pathlib.Path('/usr/lib').rglob('select_cons_tres.so'))
        return compare_on(
            build, length, logs, seed=1, nodes=nodes, policy='slurm:topology=torus3d',
            slurm_conf=['TopologyPlugin=topology/3d_torus', f'PluginDir={plugin}:{stock}'],
            machine='name: torus\ntopology: {{kind: mesh, dims: [2, 10, 10], wrap: [true, true, '
                    f'true]}}}}\ncoordinates: {places}\n')


def slurm_chooses_as_policy_slurm_block(build, length, logs):
    """topology/block: jobs with and without --segment, within blocks."""
    if slurm_version() < (24, 5):
        raise Skip('this Slurm has no topology/block (24.05 is the first)')
    results = []
    for seed, size, sizes in ((1, 4, '4,8'), (2, 3, '3,12'), (3, 5, '5,10,20')):
        blocks = 40 // size
        lines = [f'BlockName=b{b} Nodes=n[{b * size + 1:02d}-{(b + 1) * size:02d}]'
                 for b in range(blocks)]
        results.append(compare_on(
            build, length, logs, seed=seed, nodes=blocks * size, policy='slurm',
            topology='\n'.join([*lines, f'BlockSizes={sizes}']) + '\n',
            slurm_conf=['TopologyPlugin=topology/block'], segments=range(1, size + 1),
            machine='name: blocks\ntopology: {{kind: blocks, slurm_topology: {topology}}}\n'))
    return '; '.join(results)


TESTS = [slurm_chooses_as_policy_slurm_tree, slurm_chooses_as_policy_slurm_block,
         slurm_chooses_as_policy_slurm_torus3d, slurm_chooses_as_policy_slurm_default]
