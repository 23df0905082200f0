# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm cluster of deploy/mini-cluster with coolspand, for the tests."""

import contextlib
import fcntl
import functools
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
# A loaded host may exceed the default of 20 ms, and no test measures time.
DEADLINE_MS = 1000


class Failure(Exception):
    """An expectation of a test that does not hold."""


class Skip(Exception):
    """The reason why a test cannot run on this host."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def wait_until(condition, seconds, what):
    """Polls until condition() is true and returns its value; fails after a generous
    timeout."""
    end = time.monotonic() + seconds
    pause = 0.1
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
        # A condition runs commands, and other tests wait for the processors.
        pause = min(pause * 1.2, 0.5)
    raise Failure(f'timeout after {seconds} s: {what}')


def expand(hostlist):
    """Set of the names in a hostlist, with at most one pair of brackets per name."""
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


def run(*command, check=True, timeout=120, env=None, cwd=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          errors='replace', timeout=timeout, env=env, cwd=cwd, check=False)
    if check and done.returncode != 0:
        raise Failure(f'{" ".join(map(str, command))}: exit {done.returncode}: '
                      f'{done.stderr.strip() or done.stdout.strip()}')
    return done


@functools.cache
def slurm_version():
    """The release of Slurm on this host, as (24, 11)."""
    return tuple(map(int, run('slurmctld', '-V').stdout.split()[1].split('.')[:2]))


# A starting cluster looks for free ports and takes them a second later; no other
# one, of any process, may look in between.
START_LOCK = os.path.join(tempfile.gettempdir(), 'coolspan-it.lock')


@contextlib.contextmanager
def one_start_at_a_time():
    with open(START_LOCK, 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Cluster:
    """Started on entry, stopped on exit. If the test fails, the logs are copied to
    `keep_logs`. beside: the cluster whose coolspand is used, instead of an own one."""

    def __init__(self, build, keep_logs, plugin='named', mode='enforce', nodes=16,
                 policy='best-fit', ordering='hilbert', extra=(), name='mini', beside=None):
        self.build = pathlib.Path(build).resolve()
        self.keep_logs = pathlib.Path(keep_logs)
        # A short path, for sockets, which the munge user can access.
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix='coolspan-it-'))
        self.scratch.chmod(0o755)
        self.dir = self.scratch / 'c'
        self.name, self.beside = name, beside
        # slurmctld keeps finished jobs, and starts jobs immediately instead of every
        # three seconds.
        self.options = ['--nodes', nodes, '--plugin', plugin, '--cluster-name', name,
                        '--slurm-conf', 'MinJobAge=3600',
                        '--slurm-conf', 'SchedulerParameters=batch_sched_delay=0']
        if plugin != 'none':
            self.options += ['--coolspan-conf', f'DeadlineMs={DEADLINE_MS}',
                             '--plugin-dir', self.build / 'plugin', '--mode', mode]
            self.options += ['--endpoint', beside.endpoint] if beside else [
                '--coolspand', self.build / 'bin' / 'coolspand', '--policy', policy,
                '--ordering', ordering]
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
        of_cluster = ['--cluster', self.name] if arguments[0] in ('explain', 'jobs') else []
        return run(self.build / 'bin' / 'coolspan', *arguments, *of_cluster,
                   '--endpoint', self.endpoint, '--json', check=check, timeout=30)

    def coolspand_log(self, event):
        """The lines of an event in the log of coolspand, oldest first."""
        path = (self.beside or self).dir / 'log' / 'coolspand.out'
        lines = []
        for line in path.read_text(errors='replace').splitlines():
            with contextlib.suppress(ValueError):
                fields = json.loads(line)
                if fields.get('event') == event:
                    lines.append(fields)
        return lines

    @property
    def endpoint(self):
        return f'unix://{(self.beside or self).dir}/run/coolspand.sock'

    def signal(self, what, signal):
        self.mini('signal', what, signal)

    def reload_slurmd(self, node):
        """The node registers again."""
        self.signal(node, 'HUP')

    def start_coolspand(self):
        self.mini('start-coolspand')

    # --- Slurm

    @property
    def restarts_at_reconfigure(self):
        """Whether scontrol reconfigure executes slurmctld anew."""
        return slurm_version() >= (23, 11)

    def submit(self, *options, command='sleep 1'):
        return int(self.slurm('sbatch', '--parsable', '--output=/dev/null', *options,
                              f'--wrap={command}').stdout.split(';')[0])

    def start(self, *options):
        """Submits an exclusive job of ten minutes and waits until it runs; returns its
        id."""
        job = self.submit('--exclusive', *options, command='sleep 600')
        self.wait_state(job, 'RUNNING')
        return job

    def job(self, job_id):
        """Fields of scontrol show job."""
        line = self.slurm('scontrol', '-o', 'show', 'job', job_id).stdout
        return dict(field.split('=', 1) for field in line.split() if '=' in field)

    def state(self, job_id):
        return self.job(job_id)['JobState']

    def wait_state(self, job_id, state, seconds=60):
        wait_until(lambda: self.state(job_id) == state, seconds, f'job {job_id} is {state}')

    def jobs(self):
        """All jobs known to slurmctld: {id: fields}."""
        jobs = {}
        for line in self.slurm('scontrol', '-o', 'show', 'jobs').stdout.splitlines():
            fields = dict(field.split('=', 1) for field in line.split() if '=' in field)
            if 'JobId' in fields:
                jobs[int(fields['JobId'])] = fields
        return jobs

    def mean_wait(self, job_ids):
        """In seconds, of jobs that have started."""
        known, form = self.jobs(), '%Y-%m-%dT%H:%M:%S'
        waits = [time.mktime(time.strptime(known[job]['StartTime'], form)) -
                 time.mktime(time.strptime(known[job]['SubmitTime'], form)) for job in job_ids]
        return sum(waits) / len(waits)

    def queue(self, states='RUNNING,SUSPENDED'):
        """Jobs in squeue: {id: set of nodes}."""
        lines = self.slurm('squeue', '-h', '-t', states, '-o', '%A %N').stdout.splitlines()
        return {int(line.split()[0]): expand(''.join(line.split()[1:])) for line in lines}

    def not_ended(self):
        """As queue(), including pending and completing jobs."""
        return self.queue('PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING')

    # --- Coolspan

    def ledger(self):
        """Records of `coolspan jobs`; None if coolspand does not respond."""
        done = self.coolspan('jobs', check=False)
        return json.loads(done.stdout)['jobs'] if done.returncode == 0 else None

    def room(self):
        """The room in `coolspan status`."""
        return json.loads(self.coolspan('status').stdout)['room']

    def held(self):
        """Committed jobs in the ledger: {id: set of nodes}; None if coolspand does not
        respond."""
        records = self.ledger()
        if records is None:
            return None
        return {record['job_id']: expand(record['nodes'])
                for record in records if record['state'] != 'tentative'}

    def decisions(self, job_id):
        done = self.coolspan('explain', job_id, check=False)
        return json.loads(done.stdout)['decisions'] if done.returncode == 0 else []

    def verdicts(self):
        """The last log line of the plugin for each job: {id: (verdict, fields)}."""
        verdicts = {}
        pattern = re.compile(r'coolspan: JobId=(\d+) (enforced|advised|fallback|left) (.*)')
        for line in self.log().splitlines():
            match = pattern.search(line)
            # Jobs left to Slurm also have a line without nodes for every test.
            if match and 'nodes=' in match[3]:
                fields = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', match[3]))
                verdicts[int(match[1])] = (match[2], fields)
        return verdicts

    def expect_enforced(self, job_id):
        verdict, fields = self.verdicts()[job_id]
        expect(verdict == 'enforced', f'job {job_id} is {verdict}: {fields}')

    def enforced(self, job_ids):
        """The jobs that are enforced according to the log. They must have run on the
        nodes in the log."""
        known, verdicts = self.jobs(), self.verdicts()
        enforced = [job for job in job_ids if verdicts[job][0] == 'enforced']
        for job in enforced:
            expect(expand(verdicts[job][1]['nodes']) == expand(known[job]['NodeList']),
                   f'job {job}: {verdicts[job]}, {known[job]["NodeList"]}')
        return enforced

    def expect_none_refused(self, job_ids):
        """Slurm accepted each answer, and nearly all jobs had one; returns how many."""
        verdicts = [self.verdicts()[job] for job in job_ids]
        refused = [fields for _, fields in verdicts if 'rejected' in fields.get('reason', '')]
        expect(not refused, f'{len(refused)} answers refused: {refused[:2]}')
        enforced = sum(verdict == 'enforced' for verdict, _ in verdicts)
        expect(enforced >= 0.95 * len(verdicts), f'{enforced} of {len(verdicts)} enforced')
        return enforced

    def log(self):
        path = self.dir / 'log' / 'slurmctld.log'
        return path.read_text(errors='replace') if path.exists() else ''

    # --- both

    def wait_agreement(self, seconds=60):
        """Waits until ledger and squeue have the same jobs on the same nodes; returns
        them."""
        seen = {}

        def agree():
            seen['ledger'], seen['squeue'] = self.held(), self.queue()
            return seen['ledger'] == seen['squeue'] and self.queue() == seen['squeue']
        try:
            wait_until(agree, seconds, 'ledger and squeue are equal')
        except Failure as failure:
            raise Failure(f'{failure}: {seen}') from None
        return seen['squeue']

    def wait_all_done(self, job_ids, seconds):
        """Waits until all jobs are COMPLETED."""
        pending = set(job_ids)

        def done():
            try:
                jobs = self.jobs()
            except (Failure, subprocess.TimeoutExpired):
                return False  # slurmctld is down
            pending.difference_update(
                {job for job in pending if jobs.get(job, {}).get('JobState') == 'COMPLETED'})
            return not pending
        try:
            wait_until(done, seconds, 'all jobs complete')
        except Failure as failure:
            states = {job: self.jobs().get(job, {}).get('JobState', 'unknown') for job in pending}
            raise Failure(f'{failure}: {states}') from None


class LedgerWatch(threading.Thread):
    """Polls the ledger until stopped; records nodes that were held twice."""

    def __init__(self, cluster, capacity):
        super().__init__(daemon=True)
        self.cluster, self.capacity = cluster, capacity
        self.polls, self.problems = 0, []
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(0.2):
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
        for node, held in whole.items():
            shareable = len(held) == 1 or not any(r['whole'] for r in held)
            if used[node] > self.capacity or not shareable:
                self.problems.append((node, held))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        self.stopping.set()
        self.join()

    def expect_sound(self):
        expect(self.polls > 0, 'the ledger was never read')
        expect(not self.problems, f'nodes held twice: {self.problems[:3]}')
