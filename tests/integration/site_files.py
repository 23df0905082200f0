# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a site: a machine file from Slurm, and check-config --slurm."""

import json
import os

from cluster import Cluster, expect, run, wait_until

SWITCHES = 'SwitchName=a Nodes=n[01-08]\nSwitchName=b Nodes=n[09-16]\nSwitchName=r Switches=a,b\n'


def coolspan(cluster, *arguments, check=True):
    """As an administrator runs it: Slurm's commands find slurm.conf."""
    env = dict(os.environ, SLURM_CONF=str(cluster.dir / 'etc' / 'slurm.conf'))
    return run(cluster.build / 'bin' / 'coolspan', *arguments, check=check, timeout=60, env=env)


def check_machine(cluster, nodes, topology):
    """The same machine from slurmctld as from slurm.conf."""
    written = []
    for source in ([], ['--slurm-conf', cluster.dir / 'etc' / 'slurm.conf']):
        machine = json.loads(coolspan(cluster, 'machine', '--from-slurm', *source, '--json').stdout)
        expect((machine['machine'], machine['nodes'], machine['topology']) == ('mini', nodes, topology),
               f'{machine}')
        written.append(machine['text'].partition('\n')[2])
    expect(written[0] == written[1], f'{written}')


def check_slurm(cluster):
    """What check-config finds with the daemon file; exit code and report."""
    done = coolspan(cluster, 'check-config', '--slurm', cluster.dir / 'etc' / 'slurm.conf',
                    cluster.dir / 'etc' / 'coolspand.yaml', '--json', check=False)
    return done.returncode, json.loads(done.stdout)


def check_valid(cluster, plugin):
    code, found = check_slurm(cluster)
    slurm = found['slurm']
    expect((code, slurm['plugin'], slurm['nodes']) == (0, plugin, 16), f'{found}')
    expect(not slurm['machines'][0]['missing_in_machine'] and
           not slurm['machines'][0]['missing_in_slurm'], f'{found}')
    expect(['LLN=YES' in line for line in slurm['warnings']] == [True], f'{found}')


def use_written_machine(cluster):
    """coolspand places jobs with the machine file that was written."""
    (cluster.dir / 'etc' / 'topology.conf').write_text(SWITCHES)
    machine = cluster.dir / 'etc' / 'machine.yaml'
    refused = coolspan(cluster, 'machine', '--from-slurm', '--out', machine, check=False)
    expect(refused.returncode == 2 and 'exists' in refused.stderr, refused.stderr)
    coolspan(cluster, 'machine', '--from-slurm', '--out', machine, '--force')
    coolspan(cluster, 'check-config', machine)
    cluster.mini('restart', 'coolspand')

    def places():
        job = cluster.start('--nodes=1')
        return cluster.verdicts()[job][0] == 'enforced'
    wait_until(places, 60, 'coolspand places a job on the new machine')


def check_same_error(cluster):
    """check-config reports what slurmctld logs."""
    conf = cluster.dir / 'etc' / 'coolspan.conf'
    conf.write_text(conf.read_text() + 'HonorWeight=maybe\n')
    code, found = check_slurm(cluster)
    errors = [file['error'] for file in found['files'] if not file['ok']]
    expect(code == 2 and len(errors) == 1 and f'{conf}:' in errors[0], f'{found}')
    cluster.slurm('scontrol', 'reconfigure')
    wait_until(lambda: errors[0] in cluster.log(), 30, f'slurmctld logs {errors[0]}')


def site_files_are_written_and_checked(build, length, logs):
    """A machine file from slurmctld and from slurm.conf; check-config --slurm and the plugin agree."""
    extra = ['--slurm-conf', 'PartitionName=spread Nodes=ALL LLN=YES']
    for plugin in ('named', 'dropin'):
        with Cluster(build, logs, plugin=plugin, ordering='row-major', extra=extra) as cluster:
            check_machine(cluster, 16, 'mesh')
            check_valid(cluster, plugin)
            use_written_machine(cluster)
            check_machine(cluster, 16, 'fat-tree')
            check_same_error(cluster)


TESTS = [site_files_are_written_and_checked]
