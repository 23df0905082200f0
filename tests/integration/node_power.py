# SPDX-License-Identifier: GPL-3.0-or-later
"""Node power measured by Slurm, from slurmd's energy plugin to coolspand."""

import os
import pathlib
import shutil
import tempfile

from cluster import Cluster, expect, wait_until
from small_room import IDLE_W, NODES, inlet_c, write_machine

# After a start or end of a job, coolspand uses measured power only after this
# time.
SETTLES_S = 3


class Meters:
    """The power meters read by acct_gather_energy_file.c."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def set(self, node, watts):
        # Atomically: slurmd must not read an empty file.
        new = self.folder / f'.{node}'
        new.write_text(f'{watts}\n')
        new.replace(self.folder / node)


def slurm_power_reaches_the_room(build, length, logs):
    """Node power is forwarded from slurmd through slurmctld to coolspand."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix='coolspan-power-'))
    try:
        check_power(pathlib.Path(build), scratch, logs)
    finally:
        os.environ.pop('COOLSPAN_TEST_POWER_FOLDER', None)
        shutil.rmtree(scratch)


def check_power(build, scratch, logs):
    plugins = scratch / 'plugins' / 'named'
    plugins.mkdir(parents=True)
    for built in ('plugin/named/select_coolspan.so', 'plugin/libcoolspan_client.so',
                  'tests/slurm/acct_gather_energy_file.so'):
        shutil.copy(build / built, plugins)
    meters = Meters(scratch / 'meters')
    for node in ('n1', 'n2', 'n3'):  # n4 has none
        meters.set(node, IDLE_W)
    os.environ['COOLSPAN_TEST_POWER_FOLDER'] = str(meters.folder)
    extra = ('--machine', write_machine(scratch), '--plugin-dir', plugins.parent,
             '--slurm-conf', 'AcctGatherEnergyType=acct_gather_energy/file',
             '--slurm-conf', 'AcctGatherNodeFreq=1',
             '--daemon-conf', f'telemetry: {{power_settles_s: {SETTLES_S}}}')
    with Cluster(build, logs, nodes=NODES, policy='first-fit', ordering='row-major',
                 extra=extra) as cluster:
        check_room(cluster, meters)


def check_room(cluster, meters):
    room = cluster.room

    def bad():
        return [(sensor['node'], sensor['kind'], sensor['state'], sensor['value'])
                for sensor in room()['bad']]

    wait_until(lambda: 'coolspand accepts node power reports' in cluster.log(), 60,
               'coolspand accepts node power reports')
    wait_until(lambda: room()['powers_good'] == 3, 60, 'the power of three nodes is known')
    expect('node power forwarding on: AcctGatherEnergyType=acct_gather_energy/file'
           in cluster.log(), 'forwarding is not in the log of slurmctld')
    expect(bad() == [], f'bad sensors: {bad()}')

    # An impossible value is reported immediately, until the value is valid again.
    meters.set('n2', 5000)
    absurd = [('n2', 'power', 'absurd', 5000)]
    wait_until(lambda: bad() == absurd, 60, 'n2 is reported')
    expect(cluster.slurm('scontrol', '-o', 'show', 'node', 'n2').stdout.count('CurrentWatts=5000'),
           'Slurm has another value for n2')
    meters.set('n2', IDLE_W)
    wait_until(lambda: bad() == [], 60, 'n2 is good again')

    # Power that the model does not expect raises the temperature.
    meters.set('n3', IDLE_W + 150)
    expected_c = inlet_c(IDLE_W + 150)
    wait_until(lambda: abs(room()['steady_peak_inlet_c'] - expected_c) < 0.01, 120,
               f'the peak inlet is {expected_c} C')
    expect(room()['steady_peak_node'] == 'n3', f'{room()["steady_peak_node"]} is hottest')

    # Jobs run without coolspand, and a restarted coolspand receives node power.
    cluster.signal('coolspand', 'KILL')
    job = cluster.submit('--exclusive', '--nodes=2', command='sleep 1')
    cluster.wait_state(job, 'COMPLETED')
    cluster.start_coolspand()
    meters.set('n1', 4000)
    wait_until(lambda: bad() == [('n1', 'power', 'absurd', 4000)], 60, 'n1 is reported')

    # NodePower=no.
    conf = cluster.dir / 'etc' / 'coolspan.conf'
    conf.write_text(conf.read_text() + 'NodePower=no\n')
    cluster.slurm('scontrol', 'reconfigure')
    # A slurmctld that reconfigure has started does not turn it on.
    if cluster.restarts_at_reconfigure:
        wait_until(lambda: cluster.log().count('coolspan: mode=') == 2, 60, 'slurmctld is back')
        expect(cluster.log().count('node power forwarding on') == 1, 'forwarding is on')
    else:
        wait_until(lambda: 'node power forwarding off' in cluster.log(), 60, 'forwarding is off')
    job = cluster.submit('--exclusive', '--nodes=1', command='sleep 1')
    cluster.wait_state(job, 'COMPLETED')


TESTS = [slurm_power_reaches_the_room]
