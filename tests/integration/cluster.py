# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm of deploy/mini-cluster with coolspand, as the tests use it."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MINI_CLUSTER = REPOSITORY / 'deploy' / 'mini-cluster'
# A loaded host may take longer to answer than the default of 20 ms, and no test
# is about time.
DEADLINE_MS = 1000


class Failure(Exception):
    """What a test expected and did not see."""


class Skip(Exception):
    """Why a test cannot run on this host."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def wait_until(condition, seconds, what):
    """Polls; the bound stands for never and is no measurement."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise Failure(f'not within {seconds} s: {what}')


def expand(hostlist):
    """n[01-03,7] to a set of names; one pair of brackets is all we use."""
    names = set()
    for prefix, ranges, plain in re.findall(r'([^,\[]+)\[([^\]]+)\]|([^,\[]+)', hostlist):
        if plain:
            names.add(plain)
            continue
        for part in ranges.split(','):
            first, _, last = part.partition('-')
            for number in range(int(first), int(last or first) + 1):
                names.add(f'{prefix}{number:0{len(first)}d}')
    return names


def run(*command, check=True, timeout=120, env=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          errors='replace', timeout=timeout, env=env, check=False)
    if check and done.returncode != 0:
        raise Failure(f'{" ".join(map(str, command))}: exit {done.returncode}: '
                      f'{done.stderr.strip() or done.stdout.strip()}')
    return done


@contextlib.contextmanager
def one_start_at_a_time():
    """A starting cluster looks for free ports and takes them a second later; no
    other one, of any process, may look in between."""
    with open(os.path.join(tempfile.gettempdir(), 'coolspan-it.lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Cluster:
    """Started on entry, ended on exit; logs stay in `keep_logs` if it fails."""

    def __init__(self, build, keep_logs, plugin='named', mode='enforce', nodes=16,
                 policy='best-fit', ordering='hilbert', extra=()):
        self.build = pathlib.Path(build).resolve()
        self.keep_logs = pathlib.Path(keep_logs)
        # Short, for sockets; and a folder that the munge user may enter.
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix='coolspan-it-'))
        self.scratch.chmod(0o755)
        self.dir = self.scratch / 'c'
        # Jobs are remembered to the end, and started at once instead of every
        # three seconds.
        self.options = ['--nodes', nodes, '--plugin', plugin,
                        '--slurm-conf', 'MinJobAge=3600',
                        '--slurm-conf', 'SchedulerParameters=batch_sched_delay=0']
        if plugin != 'none':
            self.options += ['--coolspan-conf', f'DeadlineMs={DEADLINE_MS}',
                             '--plugin-dir', self.build / 'plugin', '--mode', mode,
                             '--coolspand', self.build / 'bin' / 'coolspand',
                             '--policy', policy, '--ordering', ordering]
        self.options += extra

    def __enter__(self):
        with one_start_at_a_time():
            started = self.mini('start', *self.options, check=False)
        if started.returncode != 0:
            self.end(failed=True)
            raise Failure(f'the cluster did not start: {started.stderr.strip()[-2000:]}')
        return self

    def __exit__(self, kind, value, trace):
        self.end(failed=kind is not None)

    def end(self, failed):
        if failed and (self.dir / 'log').is_dir():
            shutil.rmtree(self.keep_logs, ignore_errors=True)
            shutil.copytree(self.dir / 'log', self.keep_logs)
        if self.dir.is_dir():
            self.mini('stop', check=False)
        shutil.rmtree(self.scratch, ignore_errors=True)

    # --- programs

    def mini(self, action, *arguments, check=True):
        return run(MINI_CLUSTER, action, '--dir', self.dir, *arguments, check=check, timeout=300)

    def slurm(self, *command, check=True):
        env = dict(os.environ, SLURM_CONF=str(self.dir / 'etc' / 'slurm.conf'))
        return run(*command, check=check, timeout=60, env=env)

    def coolspan(self, *arguments, check=True):
        return run(self.build / 'bin' / 'coolspan', *arguments, '--endpoint', self.endpoint,
                   '--json', check=check, timeout=30)

    @property
    def endpoint(self):
        return f'unix://{self.dir}/run/coolspand.sock'

    def signal(self, what, signal):
        self.mini('signal', what, signal)

    def start_coolspand(self):
        self.mini('start-coolspand')

    # --- Slurm's side

    def submit(self, *options, command='sleep 1'):
        return int(self.slurm('sbatch', '--parsable', '--output=/dev/null', *options,
                              f'--wrap={command}').stdout.split(';')[0])

    def job(self, job_id):
        """The fields of scontrol show job."""
        line = self.slurm('scontrol', '-o', 'show', 'job', job_id).stdout
        return dict(field.split('=', 1) for field in line.split() if '=' in field)

    def state(self, job_id):
        return self.job(job_id)['JobState']

    def wait_state(self, job_id, state, seconds=60):
        wait_until(lambda: self.state(job_id) == state, seconds, f'job {job_id} is {state}')

    def jobs(self):
        """Every job that slurmctld remembers: {id: fields}."""
        jobs = {}
        for line in self.slurm('scontrol', '-o', 'show', 'jobs').stdout.splitlines():
            fields = dict(field.split('=', 1) for field in line.split() if '=' in field)
            if 'JobId' in fields:
                jobs[int(fields['JobId'])] = fields
        return jobs

    def queue(self, states='RUNNING,SUSPENDED'):
        """{id: set of nodes} of squeue."""
        lines = self.slurm('squeue', '-h', '-t', states, '-o', '%A %N').stdout.splitlines()
        return {int(line.split()[0]): expand(''.join(line.split()[1:])) for line in lines}

    def not_ended(self):
        """As queue, with the jobs that wait and those whose nodes are not free yet."""
        return self.queue('PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING')

    # --- coolspan's side

    def ledger(self):
        """The records of `coolspan jobs`; None while no daemon answers."""
        done = self.coolspan('jobs', check=False)
        return json.loads(done.stdout)['jobs'] if done.returncode == 0 else None

    def room(self):
        """What `coolspan status` says of the room."""
        return json.loads(self.coolspan('status').stdout)['room']

    def held(self):
        """{id: set of nodes} of what the ledger has committed."""
        records = self.ledger()
        if records is None:
            return None
        return {record['job_id']: expand(record['nodes'])
                for record in records if record['state'] != 'tentative'}

    def decisions(self, job_id):
        done = self.coolspan('explain', job_id, check=False)
        return json.loads(done.stdout)['decisions'] if done.returncode == 0 else []

    def verdicts(self):
        """The plugin's last line on each job: {id: (verdict, fields)}."""
        verdicts = {}
        pattern = re.compile(r'coolspan: JobId=(\d+) (enforced|advised|fallback|left) (.*)')
        for line in self.log().splitlines():
            match = pattern.search(line)
            # Jobs left to Slurm have a line at every test, without nodes.
            if match and 'nodes=' in match[3]:
                fields = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', match[3]))
                verdicts[int(match[1])] = (match[2], fields)
        return verdicts

    def log(self):
        path = self.dir / 'log' / 'slurmctld.log'
        return path.read_text(errors='replace') if path.exists() else ''

    # --- what both sides must say

    def wait_agreement(self, seconds=60):
        """Ledger and squeue name the same jobs on the same nodes."""
        seen = {}

        def agree():
            seen['ledger'], seen['squeue'] = self.held(), self.queue()
            return seen['ledger'] == seen['squeue'] and self.queue() == seen['squeue']
        try:
            wait_until(agree, seconds, 'ledger and squeue agree')
        except Failure as failure:
            raise Failure(f'{failure}: {seen}') from None
        return seen['squeue']

    def wait_all_done(self, job_ids, seconds):
        """Waits until every one of the jobs is COMPLETED."""
        pending = set(job_ids)

        def done():
            try:
                jobs = self.jobs()
            except (Failure, subprocess.TimeoutExpired):
                return False  # slurmctld is away
            pending.difference_update(
                {job for job in pending if jobs.get(job, {}).get('JobState') == 'COMPLETED'})
            return not pending
        try:
            wait_until(done, seconds, 'every job completes')
        except Failure as failure:
            states = {job: self.jobs().get(job, {}).get('JobState', 'unknown') for job in pending}
            raise Failure(f'{failure}: {states}') from None


class LedgerWatch(threading.Thread):
    """Polls the ledger until stopped; remembers nodes that were held twice."""

    def __init__(self, cluster, capacity):
        super().__init__(daemon=True)
        self.cluster, self.capacity = cluster, capacity
        self.polls, self.problems = 0, []
        self.ending = threading.Event()

    def run(self):
        while not self.ending.wait(0.2):
            records = self.cluster.ledger()
            if records is not None:
                self.polls += 1
                self.check(records)

    def check(self, records):
        used, whole = {}, {}
        for record in records:
            if record['state'] == 'suspended':
                continue
            contested = expand(record['contested'])
            nodes = sorted(expand(record['nodes']) - contested)
            units = record['units'] or [self.capacity] * len(nodes)
            for node, count in zip(nodes, units):
                used[node] = used.get(node, 0) + count
                whole.setdefault(node, []).append(record)
        for node, records_there in whole.items():
            alone = len(records_there) == 1 or not any(r['whole'] for r in records_there)
            if used[node] > self.capacity or not alone:
                self.problems.append((node, records_there))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        self.ending.set()
        self.join()

    def expect_sound(self):
        expect(self.polls > 0, 'the ledger was never seen')
        expect(not self.problems, f'nodes held twice: {self.problems[:3]}')
