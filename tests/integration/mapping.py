# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded communication pattern, mapped to the nodes of a job and launched."""

import pathlib
import shutil
import tempfile

from cluster import Cluster, Skip, expand, expect
from recorder_test import HPCC_SETTINGS, Recorder, linked_mpi, read_matrix

RANKS = 8
SCRIPT = """#!/bin/sh
cd {folder} || exit 1
{map} map --job $SLURM_JOB_ID --endpoint {endpoint} --pattern {pattern} --hostfile >hosts || exit 1
SLURM_HOSTFILE=hosts srun --ntasks={ranks} --distribution=arbitrary \\
  sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME' >ran
"""


def record_hpcc(build, folder):
    """The file with the pattern of HPCC on eight ranks."""
    recorder = Recorder(build, 'openmpi')
    hpcc = shutil.which('hpcc')
    if not hpcc or not recorder.mpirun or linked_mpi(hpcc) != 'openmpi':
        raise Skip('HPCC with Open MPI is not installed')
    if not recorder.library.exists():
        raise Skip(f'{recorder.library} is not built')
    shutil.copy(HPCC_SETTINGS, folder)
    done = recorder.run(folder, hpcc, ranks=RANKS, timeout=300)
    expect(done.returncode == 0, f'hpcc: {done.stderr}')
    rows = read_matrix(folder / 'coolspan-pattern.csv')
    expect(len(rows) == RANKS, f'{rows}')
    return folder / 'coolspan-pattern.csv'


def check_launch(cluster, pattern, nodes, program):
    """Each rank runs where the map said, which used the nodes of the job evenly."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=cluster.scratch))
    script = folder / 'job.sh'
    script.write_text(SCRIPT.format(folder=folder, map=program, endpoint=cluster.endpoint,
                                    pattern=pattern, ranks=RANKS))
    job = int(cluster.slurm('sbatch', '--parsable', '--exclusive', f'--nodes={nodes}',
                            f'--ntasks-per-node={RANKS // nodes}', f'--output={folder}/output',
                            script).stdout.split(';')[0])
    cluster.wait_all_done([job], 120)
    hosts = (folder / 'hosts').read_text().split()
    ran = dict(line.split() for line in (folder / 'ran').read_text().splitlines())
    expect(len(hosts) == RANKS and len(ran) == RANKS, f'{hosts} {ran}')
    for rank, host in enumerate(hosts):
        expect(ran[str(rank)] == host, f'rank {rank} ran on {ran[str(rank)]}, mapped to {host}')
    of_job = expand(cluster.job(job)['NodeList'])
    expect(set(hosts) == of_job, f'{hosts}, the job has {of_job}')
    expect({hosts.count(host) for host in hosts} == {RANKS // nodes}, f'{hosts}')


def recorded_pattern_is_mapped_and_launched(build, length, logs):
    """HPCC's recorded pattern, mapped in a job: every rank runs on the node that the map names."""
    with tempfile.TemporaryDirectory() as name:
        recorded = record_hpcc(build, pathlib.Path(name))
        with Cluster(build, logs, ordering='row-major') as cluster:
            pattern = cluster.scratch / 'pattern.csv'
            shutil.copy(recorded, pattern)
            for nodes in (RANKS, RANKS // 2):
                check_launch(cluster, pattern, nodes, cluster.build / 'bin' / 'coolspan')


TESTS = [recorded_pattern_is_mapped_and_launched]
