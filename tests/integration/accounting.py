# SPDX-License-Identifier: GPL-3.0-or-later
"""Replay of Slurm's accounting and of coolspand's own record."""

import csv
import io
import json
import os
import shutil
import time

from cluster import Cluster, Skip, expand, expect, run, wait_until

COLUMNS = 'JobID,JobIDRaw,User,Group,Partition,Submit,Start,End,Timelimit,NNodes,NodeList,State'
NEEDED = ('mariadbd', 'mariadb-install-db', 'slurmdbd', 'sacct')


def submit_several_forms(cluster):
    """About 30 jobs; returns the number of those that start."""
    for n in range(16):
        cluster.submit('--exclusive', f'-N{1 + n % 4}', f'--time={5 + n}',
                       command=f'sleep {1 + n % 3}')
    cluster.submit('--exclusive', '-N1', '--array=0-5%3', command='srun sleep 1')
    cluster.submit('--exclusive', '-N2', ':', '-N1', '--exclusive', command='sleep 2')
    cluster.submit('--exclusive', '-N2', command='exit 3')
    cluster.submit('--exclusive', '-N2', '-n2', command='srun sleep 1')
    cancelled = cluster.submit('--exclusive', '-N2', command='sleep 100')
    cluster.slurm('scancel', cluster.submit('--exclusive', '-N12'))  # never starts
    requeued = cluster.submit('--exclusive', '-N1', '--requeue', command='sleep 4')
    wait_until(lambda: cluster.state(requeued) == 'RUNNING'
               and cluster.state(cancelled) == 'RUNNING', 60, 'jobs run')
    time.sleep(2)
    cluster.slurm('scontrol', 'requeue', requeued)
    cluster.slurm('scancel', cancelled)
    wait_until(lambda: cluster.state(requeued) == 'PENDING', 60, 'the requeued job waits')
    # Its first run must be gone from the node. Slurm would wait two minutes.
    time.sleep(3)
    cluster.slurm('scontrol', 'update', f'JobId={requeued}', 'StartTime=now')
    return 16 + 6 + 2 + 2 + 1 + 2


def sacct(cluster):
    """The output of the command in coolspan-replay(1)."""
    env = dict(os.environ, SLURM_CONF=str(cluster.dir / 'etc' / 'slurm.conf'),
               SLURM_TIME_FORMAT='%s', TZ='UTC')
    return run('sacct', '--allusers', '--duplicates', '--parsable2', '--noconvert',
               '--starttime', 'now-1hour', '--format', COLUMNS, env=env).stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text), delimiter='|', quoting=csv.QUOTE_NONE))


def jobs_of(text):
    """What happened: {(id, start): (end, nodes)} of the jobs that ran."""
    return {(row['JobID'], int(row['Start'])): (int(row['End']), expand(row['NodeList']))
            for row in rows(text)
            if '.' not in row['JobID'] and row['Start'].isdigit() and row['End'].isdigit()
            and row['NodeList'] != 'None assigned'}


def submits_of(text):
    ran = jobs_of(text)
    return {(row['JobID'], row['Start']): row['Submit'] for row in rows(text)
            if row['Start'].isdigit() and (row['JobID'], int(row['Start'])) in ran}


def replay(cluster, trace, *options):
    """The report, and the decisions as in jobs_of()."""
    log = cluster.scratch / 'decisions.csv'
    report = json.loads(run(
        cluster.build / 'bin' / 'coolspan', 'replay', '--json', '--trace', trace,
        '--machine', cluster.dir / 'etc' / 'machine.yaml', '--scheduler', 'recorded',
        '--zero-run', 'run', '--decisions', log, *options).stdout)
    with open(log, encoding='utf-8') as lines:
        decided = {(row['job'], int(float(row['start_s']))):
                   (int(float(row['end_s'])), expand(row['hostlist']))
                   for row in csv.DictReader(lines)}
    return report, decided


def accounting_is_replayed_as_it_happened(build, length, logs):
    """Jobs of several forms: sacct and coolspan jobs --history give replays on the same nodes at
    the same times, job by job."""
    missing = [tool for tool in NEEDED if not shutil.which(tool)]
    if missing:
        raise Skip(f'{", ".join(missing)} not installed')
    with Cluster(build, logs, nodes=12, policy='mc1x1', extra=['--accounting']) as cluster:
        count = submit_several_forms(cluster)
        wait_until(lambda: not cluster.not_ended(), 120, 'all jobs end')

        def ended():
            text = sacct(cluster)
            return len(jobs_of(text)) >= count and 'RUNNING' not in text and text
        text = wait_until(ended, 60, 'sacct has all jobs')
        trace = cluster.scratch / 'sacct.txt'
        trace.write_text(text)
        happened = jobs_of(text)
        report, decided = replay(cluster, trace, '--policy', 'recorded')
        counts = report['trace']
        expect(counts['jobs'] + counts['skipped'] == len(rows(text)), f'{counts}: {text}')
        expect(counts['skipped_by']['steps'] > 0 and counts['skipped_by']['not_started'] == 1,
               f'{counts}: {text}')
        expect(decided == happened, f'decided {decided}, happened {happened}')
        expect(report['runs'][0]['metrics']['late_jobs'] == 0, f'{report["runs"]}')
        anew, _ = replay(cluster, trace, '--policy', 'recorded,mc1x1')
        expect([run['jobs'] for run in anew['runs']] == [len(happened)] * 2, f'{anew["runs"]}')

        # coolspand has the starts from Slurm, and notes an end when it is told.
        own = cluster.scratch / 'history.txt'
        own.write_text(run(build / 'bin' / 'coolspan', 'jobs', '--history', '--endpoint',
                           cluster.endpoint, '--cluster', cluster.name).stdout)
        recorded = jobs_of(own.read_text())
        expect(recorded.keys() == happened.keys(), f'{own.read_text()} but {text}')
        for job, (end, nodes) in happened.items():
            expect(recorded[job][1] == nodes and abs(recorded[job][0] - end) <= 1,
                   f'{job}: {recorded[job]}, sacct has {end} {nodes}')
        expect(submits_of(own.read_text()) == submits_of(text), f'{own.read_text()} but {text}')
        _, from_own = replay(cluster, own, '--policy', 'recorded')
        expect(from_own == recorded, f'decided {from_own}, recorded {recorded}')
    return f'{len(happened)} jobs'


LONG_TESTS = [accounting_is_replayed_as_it_happened]
