# SPDX-License-Identifier: GPL-3.0-or-later
"""Coolspan is switched on and off on a running cluster, by restarts of slurmctld."""

import re

from cluster import Cluster, Failure, expect, wait_until

NODES = 24
RUNNING, QUEUED = 20, 50


def rewrite_conf(cluster, **settings):
    path = cluster.dir / 'etc' / 'slurm.conf'
    text = path.read_text()
    for key, value in settings.items():
        text = re.sub(f'^{key}=.*$', f'{key}={value}', text, flags=re.MULTILINE)
    path.write_text(text)


def plugin_folders(cluster):
    """Coolspan's folder and Slurm's, separated by a colon."""
    conf = (cluster.dir / 'etc' / 'slurm.conf').read_text()
    return re.search('^PluginDir=(.*)$', conf, re.MULTILINE)[1]


def restart_with(cluster, **settings):
    cluster.mini('signal', 'slurmctld', 'TERM', check=False)
    wait_until(lambda: cluster.mini('status', check=False).returncode, 60, 'slurmctld ends')
    rewrite_conf(cluster, **settings)
    cluster.mini('restart', 'slurmctld')
    wait_until(lambda: 'UP' in cluster.slurm('scontrol', 'ping', check=False).stdout, 60,
               'slurmctld responds')


def fill(cluster):
    """Jobs of an hour on 20 of 24 nodes, and 50 jobs that wait for the others."""
    running = [cluster.start('-N1') for _ in range(RUNNING)]
    held = cluster.start(f'-N{NODES - RUNNING}')
    queued = [cluster.submit('--exclusive', f'-N{1 + n % 4}', command='sleep 0.2')
              for n in range(QUEUED)]
    return running, held, queued


def check_kept(cluster, before, queued):
    """No job is lost, and running jobs keep their nodes."""
    expect(cluster.queue() == before, f'{cluster.queue()} running (expected {before})')
    missing = set(queued) - set(cluster.jobs())
    expect(not missing, f'jobs {missing} are lost')


def drop_in_on_off_and_on(build, length, logs):
    """20 jobs run and 50 wait: none is lost, and Coolspan places jobs while it is on."""
    with Cluster(build, logs, plugin='dropin', nodes=NODES) as cluster:
        folders = plugin_folders(cluster)
        running, held, queued = fill(cluster)
        before = cluster.wait_agreement()
        restart_with(cluster, PluginDir=folders.split(':')[1])
        check_kept(cluster, before, queued)
        lines = len(cluster.log().splitlines())
        cluster.slurm('scancel', running.pop())
        wait_until(lambda: len(cluster.queue('PENDING')) < QUEUED, 60, 'stock Slurm starts a job')
        expect(not re.search(r'coolspan: JobId=\d+ enforced',
                             '\n'.join(cluster.log().splitlines()[lines:])), 'Coolspan is on')
        restart_with(cluster, PluginDir=folders)
        expect(set(running) <= set(cluster.queue()), 'running jobs are lost')
        cluster.wait_agreement()
        cluster.slurm('scancel', held)
        cluster.wait_all_done(queued, 180)
        enforced = [job for job in queued if cluster.verdicts().get(job, ('',))[0] == 'enforced']
        expect(enforced, f'no job was placed after Coolspan was on again: {cluster.verdicts()}')
        cluster.wait_agreement()
        return f'{len(enforced)} of {QUEUED} waiting jobs enforced, none lost'


def named_to_stock_and_back(build, length, logs):
    """From select/coolspan to select/cons_tres: select_coolspan.so must stay in PluginDir for
    one start of slurmctld. Without it slurmctld does not start, and loses nothing."""
    with Cluster(build, logs, plugin='named', nodes=NODES) as cluster:
        folders = plugin_folders(cluster)
        stock = folders.split(':')[1]
        _, held, queued = fill(cluster)
        before = cluster.wait_agreement()
        try:
            restart_with(cluster, SelectType='select/cons_tres', PluginDir=stock)
        except Failure as failure:
            expect('Incomplete job state save file' in str(failure), f'{failure}')
        else:
            raise Failure('slurmctld started without the plugin of the saved jobs')
        restart_with(cluster, PluginDir=folders)
        check_kept(cluster, before, queued)
        restart_with(cluster, PluginDir=stock)
        check_kept(cluster, before, queued)
        restart_with(cluster, PluginDir=folders, SelectType='select/coolspan')
        check_kept(cluster, before, queued)
        cluster.wait_agreement()
        cluster.slurm('scancel', held)
        cluster.wait_all_done(queued, 180)
        cluster.wait_agreement()


TESTS = [drop_in_on_off_and_on]
LONG_TESTS = [named_to_stock_and_back]
