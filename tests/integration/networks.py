# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside Slurm's topology/tree and topology/3d_torus: each answer is accepted, and the hops
and waits of the same jobs with Slurm alone."""

import itertools
import pathlib
import random
import tempfile

from cluster import Cluster, expand, expect
from slurm_choices import three_dimensions

LEAF, SPINE = 4, 4  # nodes of a leaf switch, leaf switches of a spine switch
TREE_NODES = 2 * SPINE * LEAF
TORUS = (2, 10, 10)  # the digits of n001 to n128
TORUS_NODES = 128


def tree_topology():
    leaves = [f'SwitchName=leaf{i} Nodes=n[{i * LEAF + 1:02d}-{(i + 1) * LEAF:02d}]'
              for i in range(2 * SPINE)]
    spines = [f'SwitchName=spine{i} Switches=leaf[{i * SPINE}-{(i + 1) * SPINE - 1}]'
              for i in range(2)]
    return '\n'.join([*leaves, *spines, 'SwitchName=top Switches=spine[0-1]']) + '\n'


def tree_hops(first, second):
    """Links up to the lowest common switch and down again."""
    first, second = int(first[1:]) - 1, int(second[1:]) - 1
    levels = (LEAF, LEAF * SPINE)
    return 2 + 2 * sum(first // level != second // level for level in levels)


def torus_hops(first, second):
    """By the three digits of the names."""
    hops = 0
    for a, b, size in zip(first[1:], second[1:], TORUS):
        steps = abs(int(a) - int(b))
        hops += min(steps, size - steps)
    return hops


def stream(length, largest):
    """Jobs as (nodes, seconds); the same ones in each run."""
    draw = random.Random(3)
    return [(draw.randint(2, draw.choice((4, 8, largest))), draw.uniform(1, 5))
            for _ in range(300 if length == 'long' else 60)]


def mean_hops(hops, known, job_ids):
    """Mean over the jobs of the mean over their pairs of nodes."""
    means = []
    for job in job_ids:
        pairs = list(itertools.combinations(sorted(expand(known[job]['NodeList'])), 2))
        means.append(sum(hops(*pair) for pair in pairs) / len(pairs))
    return sum(means) / len(means)


def beside(build, length, logs, *, nodes, hops, ordering, machine, slurm_conf, topology=None):
    """The same jobs with Slurm alone and with the default policy. machine: its text.
    slurm_conf: lines, {plugins} are the folders of the plugin under test."""
    results = {}
    with tempfile.TemporaryDirectory(prefix='coolspan-networks-') as folder:
        path = pathlib.Path(folder, 'machine.yaml')
        path.write_text(machine)
        for plugin in ('none', 'dropin'):
            own = f'{build.resolve()}/plugin/dropin:' if plugin == 'dropin' else ''
            extra = [part for line in slurm_conf
                     for part in ('--slurm-conf', line.format(plugins=own))]
            extra += ['--topology', topology] if topology else []
            extra += ['--machine', path] if own else []
            with Cluster(build, logs, plugin=plugin, nodes=nodes, policy='coolspan',
                         ordering=ordering, extra=extra) as cluster:
                jobs = [cluster.submit('--exclusive', f'--nodes={count}',
                                       command=f'sleep {seconds:.1f}')
                        for count, seconds in stream(length, nodes // 3)]
                cluster.wait_all_done(jobs, 900)
                results[plugin] = (mean_hops(hops, cluster.jobs(), jobs), cluster.mean_wait(jobs))
                if plugin == 'dropin':
                    enforced = cluster.expect_none_refused(jobs)
    (of_slurm, alone), (own, wait) = results['none'], results['dropin']
    # The streams part when jobs end a moment earlier or later.
    expect(own <= 1.05 * of_slurm, f'mean hops {own:.3f}, with Slurm alone {of_slurm:.3f}')
    return (f'{enforced} of {len(jobs)} enforced; mean hops {own:.3f}, mean wait {wait:.1f} s; '
            f'Slurm alone {of_slurm:.3f}, {alone:.1f} s')


def hops_beside_topology_tree(build, length, logs):
    """Beside topology/tree mean hops are at most 5 % above those of Slurm alone."""
    with tempfile.TemporaryDirectory(prefix='coolspan-networks-') as folder:
        topology = pathlib.Path(folder, 'topology.conf')
        topology.write_text(tree_topology())
        return beside(build, length, logs, nodes=TREE_NODES, hops=tree_hops, topology=topology,
                      ordering='spectral', slurm_conf=['TopologyPlugin=topology/tree'],
                      machine='name: tree\ntopology: {kind: fat-tree, slurm_topology: '
                              f'{topology}}}\n')


def hops_beside_topology_3d_torus(build, length, logs):
    """Beside topology/3d_torus mean hops are at most 5 % above those of Slurm alone."""
    plugin = three_dimensions(build)
    stock = next(path.parent for path in pathlib.Path('/usr/lib').rglob('select_cons_tres.so'))
    names = [f'n{number:03d}' for number in range(1, TORUS_NODES + 1)]
    with tempfile.TemporaryDirectory(prefix='coolspan-networks-') as folder:
        places = pathlib.Path(folder, 'places')
        places.write_text(''.join(f'{name} {" ".join(name[1:])}\n' for name in names))
        return beside(build, length, logs, nodes=len(names), hops=torus_hops,
                      ordering='hilbert', slurm_conf=['TopologyPlugin=topology/3d_torus',
                                  f'PluginDir={plugin}:{{plugins}}{stock}'],
                      machine='name: torus\ntopology: {kind: mesh, dims: '
                              f'{list(TORUS)}, wrap: [true, true, true]}}\n'
                              f'coordinates: {places}\n')


TESTS = [hops_beside_topology_tree, hops_beside_topology_3d_torus]
