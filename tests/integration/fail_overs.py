# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of a real Slurm through fail-overs of coolspand, with three members of etcd."""

import os
import pathlib
import shutil

from cluster import START_LOCK, Skip, run

HA_DEMO = pathlib.Path(__file__).resolve().parents[2] / 'deploy' / 'ha-demo'


def jobs_survive_fail_overs(build, length, logs):
    """The leader is killed, stopped and cut off from etcd, and members of etcd are killed,
    while jobs run: each job runs once, none stays in the queue or in the ledger."""
    if shutil.which('etcd') is None:
        raise Skip('etcd is not installed')
    faults = (200, 50, 10, 10, 3) if length == 'long' else (40, 3, 1, 1, 1)
    options = [str(part) for name, number in
               zip(('--jobs', '--kills', '--pauses', '--cuts', '--member-kills'), faults)
               for part in (name, number)]
    done = run(HA_DEMO, *options, build, timeout=1800,
               env={**os.environ, 'COOLSPAN_START_LOCK': START_LOCK})
    return next(line for line in done.stdout.splitlines() if 'jobs have run' in line)


TESTS = [jobs_survive_fail_overs]
