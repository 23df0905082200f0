# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster of deploy/mini-cluster --containers, for the tests."""

import json
import os
import pathlib
import re
import shutil
import tempfile
import threading
import time

from cluster import Cluster, Failure, MINI_CLUSTER, Skip, expand, run, wait_until
from repairs import repair

ENDPOINT = 'unix:///run/coolspand.sock'
COOLSPAN = '/opt/coolspan/bin/coolspan'


class ContainerCluster(Cluster):
    """Started on entry, removed on exit, like Cluster. Faults are methods; a host with a
    fault is in `faulty` until it is mended. COOLSPAN_CONTAINERS in the environment has more
    options, as --suite trixie --build DIR for the Slurm of another Debian suite."""

    def __init__(self, build, keep_logs, *options):
        self.build = pathlib.Path(build).resolve()
        self.keep_logs = pathlib.Path(keep_logs)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix='coolspan-it-'))
        self.dir = self.scratch / 'c'
        self.name, self.beside = 'containers', None
        # A requeued job waits until its old credential is no longer valid: 10 s, not 120.
        self.options = ['--build', self.build, '--coolspan-conf', 'DeadlineMs=1000',
                        '--slurm-conf', 'SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2',
                        '--slurm-conf', 'AuthInfo=cred_expire=10',
                        '--timeout', 120, *options,
                        *os.environ.get('COOLSPAN_CONTAINERS', '').split()]
        self.faulty = set()
        self.repaired = 0
        self.lock = threading.Lock()

    def __enter__(self):
        for tool in ('podman', 'runc', 'iptables', 'nsenter', 'openssl'):
            if not shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin:/sbin'):
                raise Skip(f'{tool} is not installed')
        started = self.mini('start', *self.options, check=False)
        if started.returncode != 0:
            if 'podman run' in started.stderr or 'podman network' in started.stderr:
                raise Skip(f'no containers here: {started.stderr.strip()[-500:]}')
            self.end(failed=True)
            raise Failure(f'the cluster did not start: {started.stderr.strip()[-2000:]}')
        state = json.loads((self.dir / 'containers.json').read_text())
        self.addresses = state['addresses']
        # With a dead first controller, each command would wait for it.
        conf = (self.dir / 'etc/slurm.conf').read_text()
        for host in self.of_kind('ctl'):
            (self.dir / f'etc/{host}.conf').write_text(re.sub(
                rf'^SlurmctldHost=(?!{host}\().*\n', '', conf, flags=re.M))
        return self

    def mini(self, action, *arguments, check=True):
        return run(MINI_CLUSTER, action, '--containers', '--dir', self.dir, *arguments,
                   check=check, timeout=300)

    def of_kind(self, kind):
        return [host for host in self.addresses if host.rstrip('0123456789') == kind]

    # --- programs on the hosts

    def on(self, host, *command, check=True):
        return self.mini('exec', host, 'timeout', 30, *command, check=check)

    def slurm(self, *command, check=True):
        """On a controller that has no fault, which is asked alone."""
        with self.lock:
            hosts = [host for host in self.of_kind('ctl') if host not in self.faulty]
        if not hosts:
            raise Failure('no controller responds')
        return self.on(hosts[0], 'env', f'SLURM_CONF=/etc/slurm/{hosts[0]}.conf', *command,
                       check=check)

    def reload_slurmd(self, node):
        self.on(node, 'sh', '-c', 'kill -HUP 1', check=False)

    def ledger_of(self, host):
        """Records of the coolspand of a host; None if it does not respond."""
        done = self.on(host, COOLSPAN, 'jobs', '--cluster', self.name, '--endpoint', ENDPOINT,
                       '--json', check=False)
        return json.loads(done.stdout)['jobs'] if done.returncode == 0 else None

    def ledger(self):
        """Records of the coolspand that slurmctld uses."""
        return self.ledger_of(self.used_coolspand())

    def agreement(self):
        """The jobs that ledger and squeue have on the same nodes; None if they differ. The
        ledger is read between two equal outputs of squeue, by one command: jobs of a second
        start and end meanwhile."""
        squeue = "squeue -h -t RUNNING,SUSPENDED -o '%A %N'"
        address = self.addresses[self.used_coolspand()]
        tls = ' '.join(f'--tls-{name} /etc/slurm/tls/{file}' for name, file in (
            ('cert', 'slurmctld.crt'), ('key', 'slurmctld.key'), ('ca', 'ca.crt')))
        done = self.slurm('sh', '-ec', f'{squeue}; echo =; {COOLSPAN} jobs --cluster {self.name} '
                          f'--endpoint ipv4:{address}:7070 {tls} --json; echo =; {squeue}', check=False)
        if done.returncode != 0:
            return None
        before, ledger, after = done.stdout.split('=\n')
        held = {record['job_id']: expand(record['nodes'])
                for record in json.loads(ledger)['jobs'] if record['state'] != 'tentative'}
        queue = {int(line.split()[0]): expand(line.split()[1]) for line in before.splitlines()}
        return held if before == after and held == queue else None

    def wait_agreement(self, seconds=60):
        wait_until(lambda: self.agreement() is not None, seconds, 'ledger and squeue are equal')

    def used_coolspand(self):
        """By the last Sync in the logs of the controllers."""
        found = re.findall(r'coolspan: synced with coolspand at ipv4:([\d.]+):', self.log())
        by_address = {address: host for host, address in self.addresses.items()}
        return by_address[found[-1]] if found else 'cs1'

    def log(self):
        """Of all controllers, in the order of time as far as one is active at a time."""
        paths = sorted((self.dir / 'log').glob('ctl*.out'), key=os.path.getmtime)
        return ''.join(path.read_text(errors='replace') for path in paths)

    # --- faults

    def fault(self, action, host):
        """kill, pause or cut."""
        with self.lock:
            self.faulty.add(host)
        self.mini(action, host)

    def mend(self, action, host):
        """restart, resume or join."""
        self.mini(action, host)
        with self.lock:
            self.faulty.discard(host)

    def down(self):
        """Hosts that do not run although nothing was done to them."""
        lines = self.mini('status', check=False).stdout.splitlines()
        with self.lock:
            return [line for line in lines
                    if line.split()[-1] != 'running' and line.split()[0] not in self.faulty]

    def core_files(self):
        """Those in the working and log directories: also of programs that are no host's
        first process, as slurmstepd. The pattern of the kernel may put them elsewhere."""
        return [str(path.relative_to(self.dir)) for top in ('hosts', 'log', 'state')
                for path in (self.dir / top).rglob('core*')
                if re.fullmatch(r'core(\.\d+)?', path.name) and path.is_file()]

    # --- jobs, by name: slurmctld gives ids again that it had not saved before it was killed

    def submit_named(self, name, *options, command='sleep 1'):
        """Returns whether slurmctld acknowledged the job."""
        try:
            return self.slurm('sbatch', '--parsable', '--requeue', '--output=/dev/null',
                              f'--job-name={name}', *options, f'--wrap={command}',
                              check=False).returncode == 0
        except Failure:
            return False

    def named(self, states='all'):
        """{name: (state, nodes)}; None if slurmctld does not respond. A job that ran more
        than once counts by its last run."""
        try:
            done = self.slurm('squeue', '-h', '-t', states, '-o', '%j %T %N', check=False)
        except Failure:
            return None
        if done.returncode != 0:
            return None
        return {fields[0]: (fields[1], fields[2] if len(fields) > 2 else '')
                for fields in (line.split() for line in done.stdout.splitlines())}

    def state_of(self, names):
        """What Slurm and the hosts of the jobs know, for the message of a failure."""
        def output(host, *command):
            try:
                done = self.slurm(*command, check=False) if host is None else \
                    self.on(host, *command, check=False)
            except Failure as error:
                return str(error)
            return (done.stdout + done.stderr).strip()

        known = self.named() or {}
        hosts = sorted({node for name in names for node in expand(known.get(name, ('', ''))[1])})
        jobs = output(None, 'squeue', '-h', '-t', 'all', '-o', '%A', f'--name={",".join(names)}')
        return '\n'.join([
            *(output(None, 'scontrol', '-o', 'show', 'job', job) for job in jobs.split()),
            *(output(None, 'scontrol', '-o', 'show', 'node', host) for host in hosts),
            *(f'{host}: {output(host, "ps", "-e", "-o", "pid,stat,wchan:20,etime,args")}'
              for host in hosts)])

    def wait_named(self, names, seconds):
        """Waits until all jobs are COMPLETED, and repairs; returns those that are not."""
        end = time.monotonic() + seconds
        while True:
            known = self.named()
            left = {name: known.get(name, ('unknown', '')) for name in names
                    if known.get(name, ('', ''))[0] != 'COMPLETED'} if known is not None else names
            # slurmctld never learns of a job again that it does not know.
            if time.monotonic() > end or (known is not None and all(
                    state == 'unknown' for state, _ in left.values())):
                return left
            self.repaired += repair(self)
            time.sleep(2)
