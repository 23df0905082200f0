# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern recorder in a job of Slurm."""

import shutil

from cluster import Cluster, Skip, expect
from recorder_cases import EXPECTED
from recorder_test import Recorder, read_matrix

# Slurm's plugin for the process management interface of Debian's MPI.
INTERFACES = {'openmpi': 'pmix', 'mpich': 'pmi2'}
SCRIPT = """#!/bin/sh
cd {folder} || exit 1
export COOLSPAN_PATTERN_FILE=pattern-%j-%s.csv
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
export OMPI_MCA_mpi_yield_when_idle=1 UCX_TLS=self,sm,tcp
srun --mpi={interface} --ntasks=4 env LD_PRELOAD={library} {program} send alltoallv split
"""


def check_job(cluster, recorder, interface):
    folder = cluster.scratch / recorder.mpi
    folder.mkdir()
    script = folder / 'job.sh'
    script.write_text(SCRIPT.format(folder=folder, interface=interface, library=recorder.library,
                                    program=recorder.programs / 'traffic'))
    job = int(cluster.slurm('sbatch', '--parsable', '--nodes=1', '--ntasks=4', f'--output={folder}/output',
                            script).stdout.split(';')[0])
    cluster.wait_all_done([job], 120)
    rows = read_matrix(folder / f'pattern-{job}-0.csv')
    expected = EXPECTED['send'] + EXPECTED['alltoallv'] + EXPECTED['split']
    expect(rows == expected.bytes, f'{recorder.mpi}: {rows}, not {expected}')


def patterns_are_recorded_in_jobs(build, length, logs):
    """srun starts a program with the recorder: Open MPI with pmix, MPICH with pmi2."""
    recorders = [Recorder(build, mpi) for mpi in INTERFACES]
    recorders = [recorder for recorder in recorders if recorder.library.exists()]
    if not recorders or not shutil.which('srun'):
        raise Skip('no pattern recorder is built')
    with Cluster(build, logs, plugin='none') as cluster:
        known = cluster.slurm('srun', '--mpi=list').stdout.split()
        tried = [recorder.mpi for recorder in recorders if INTERFACES[recorder.mpi] in known]
        for recorder in recorders:
            if recorder.mpi in tried:
                check_job(cluster, recorder, INTERFACES[recorder.mpi])
        expect(tried, f'srun has no plugin of {INTERFACES}: {known}')
        return ', '.join(tried)


TESTS = [patterns_are_recorded_in_jobs]
