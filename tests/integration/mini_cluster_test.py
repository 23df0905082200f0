#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mini_cluster_test.py MINI_CLUSTER: messages and cleaning up of deploy/mini-cluster, with
a podman that only stores the states of containers. Real clusters are those of run."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MINI_CLUSTER = pathlib.Path(sys.argv.pop(1)).resolve()
PATIENCE_S = 60
# A folder has a file for each container, with its state.
PODMAN = r"""#!/bin/bash
echo "$*" >>"$FAKE/calls"
while [[ $1 == --* ]]; do
  case $1 in --log-level=*) shift ;; *) shift 2 ;; esac
done
state=$FAKE/containers/${!#}
case $1 in
  run)
    name=$(sed 's/.* --name \([^ ]*\) .*/\1/' <<<"$*")
    touch "$FAKE/running"
    sleep "${SECONDS_OF_RUN:-0}"
    echo running >"$FAKE/containers/$name" ;;
  rm) rm -f "$state" ;;
  inspect)
    [[ -f $state ]] || exit 125
    if [[ $3 == *Pid* ]]; then
      grep -qxE 'running|paused' "$state" && echo 4242 || echo 0
    else
      cat "$state"
    fi ;;
  pause) echo paused >"$state" ;;
  exec)
    case $* in
      *sinfo*) [[ -n ${NEVER_IDLE:-} ]] || echo n1 idle ;;
      *scontrol*) echo slurm 22.05.8 ;;
    esac ;;
esac
"""


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f'timeout: {what}'
        time.sleep(0.02)


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix='coolspan-mini-')
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name).resolve()
        self.dir = self.scratch / 'cluster'
        self.programs = self.scratch / 'programs'
        self.programs.mkdir()
        self.environment = dict(os.environ, FAKE=str(self.scratch),
                                PATH=f'{self.programs}:{os.environ["PATH"]}')

    def program(self, name, text='#!/bin/sh\n'):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def mini(self, *arguments, **keywords):
        return subprocess.run([MINI_CLUSTER, *map(str, arguments)], env=self.environment,
                              capture_output=True, text=True, check=False, timeout=PATIENCE_S,
                              **keywords)

    def expect(self, done, code, *lines):
        """The exit code, and for each line on stderr what it contains."""
        self.assertEqual(done.returncode, code, done.stderr)
        said = done.stderr.splitlines()
        self.assertEqual(len(said), len(lines), done.stderr)
        for text, part in zip(said, lines):
            self.assertIn(part, text)


class Messages(Case):
    def test_words_that_an_action_does_not_take(self):
        for action in ('start', 'stop', 'status', 'env', 'start-coolspand'):
            self.expect(self.mini(action, '--dir', self.dir, 'extra', 'words'), 2,
                        f"{action}: unexpected argument 'extra'")
        self.assertFalse(self.dir.exists())

    def test_stop_of_a_folder_that_does_not_exist(self):
        for options in ([], ['--containers']):
            self.expect(self.mini('stop', *options, '--dir', self.dir), 1,
                        f'no cluster in {self.dir}')

    def test_faults_of_hosts_need_containers(self):
        for action in ('kill', 'pause', 'resume', 'cut', 'join', 'exec'):
            self.expect(self.mini(action, '--dir', self.dir, 'n1'), 2,
                        f'{action}: the cluster is not one of containers (expected --containers')


class Stop(Case):
    """Processes that outlive slurmd."""

    def launch(self, *command, **keywords):
        process = subprocess.Popen(command, **keywords)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def setUp(self):
        super().setUp()
        (self.dir / 'log').mkdir(parents=True)
        (self.dir / '.mini-cluster').touch()
        marker = dict(os.environ, COOLSPAN_MINI_CLUSTER=str(self.dir))
        # Ignores TERM; its child has no marker.
        self.job = self.launch('bash', '-c', 'trap "" TERM; env -u COOLSPAN_MINI_CLUSTER '
                               f'sleep 1000 & echo $! >{self.scratch}/child; wait; wait',
                               env=marker)
        # slurmstepd has no marker, but an open log file.
        shutil.copy(shutil.which('sleep'), self.scratch / 'slurmstepd')
        with open(self.dir / 'log/slurmd-n1.log', 'w') as log:
            self.step = self.launch(self.scratch / 'slurmstepd', '1000', stdout=log)
        others = dict(os.environ, COOLSPAN_MINI_CLUSTER=f'{self.dir}2')
        self.other = self.launch('sleep', '1000', env=others)
        self.other_step = self.launch(self.scratch / 'slurmstepd', '1000')
        wait_until((self.scratch / 'child').exists, 'the job starts')
        wait_until((self.scratch / 'child').read_text, 'the job starts')
        self.child = int((self.scratch / 'child').read_text())

    def test_ends_jobs_and_their_children_only(self):
        self.expect(self.mini('stop', '--dir', self.dir), 0)
        self.assertEqual(self.job.wait(PATIENCE_S), -signal.SIGKILL)
        self.assertEqual(self.step.wait(PATIENCE_S), -signal.SIGTERM)
        status = pathlib.Path(f'/proc/{self.child}/status')
        self.assertTrue(not status.exists() or '\nState:\tZ' in status.read_text())
        self.assertIsNone(self.other.poll())
        self.assertIsNone(self.other_step.poll())
        self.assertFalse(self.dir.exists())

    def test_starts_few_programs_whatever_the_number_of_processes(self):
        for name in ('grep', 'tr', 'cat', 'find', 'sed'):
            self.program(name, f'#!/bin/sh\necho {name} >>"$FAKE/calls"\n'
                         f'exec {shutil.which(name)} "$@"\n')
        self.expect(self.mini('stop', '--dir', self.dir), 0)
        calls = (self.scratch / 'calls').read_text().split()
        self.assertIn('grep', calls)
        self.assertLess(len(calls), 12, calls)


@unittest.skipIf(os.geteuid() != 0, 'needs root')
class Containers(Case):
    def setUp(self):
        super().setUp()
        (self.scratch / 'containers').mkdir()
        self.program('podman', PODMAN)
        for name in ('runc', 'iptables', 'nsenter', 'openssl'):
            self.program(name)
        root = self.scratch / 'root'
        for file in ('usr/sbin/slurmctld', 'usr/sbin/slurmd', 'usr/sbin/munged', 'etc/group',
                     'usr/lib/x86_64-linux-gnu/slurm-wlm/select_cons_tres.so', 'build/bin/coolspan',
                     'build/bin/coolspand', 'etc/nsswitch.conf', 'etc/ld.so.cache'):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).touch()
        (root / 'etc/alternatives').mkdir()
        (root / 'etc/passwd').write_text('munge:x:0:0::/:/bin/sh\n')
        self.start = ['start', '--containers', '--dir', self.dir, '--suite', 'other',
                      '--suite-root', root, '--build', root / 'build', '--plugin', 'none',
                      '--nodes', '1']

    def containers(self):
        return sorted(path.name.split('-')[-1] for path in (self.scratch / 'containers').iterdir())

    def started(self):
        done = self.mini(*self.start)
        self.expect(done, 0, '1 nodes are idle')
        self.assertEqual(self.containers(), ['cs1', 'cs2', 'ctl1', 'n1'])

    def set_state(self, host, state):
        path, = (self.scratch / 'containers').glob(f'*-{host}')
        path.write_text(f'{state}\n')

    def test_each_host_has_its_own_mac_address_derived_from_its_address(self):
        self.started()
        runs = re.findall(r'--ip (\S+) --mac-address (\S+)', (self.scratch / 'calls').read_text())
        self.assertEqual(len(runs), 4)
        for address, mac in runs:
            self.assertEqual(mac, '02:00:' + ':'.join(f'{int(part):02x}' for part in address.split('.')))

    def end_start(self, number, condition):
        """Sends the signal when the condition is true; returns what start() printed."""
        process = subprocess.Popen([MINI_CLUSTER, *map(str, self.start)], env=self.environment,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        wait_until(condition, 'start has begun')
        os.killpg(process.pid, number)
        said = process.communicate(timeout=PATIENCE_S)[1]
        return subprocess.CompletedProcess(process.args, process.returncode, '', said)

    def test_a_signal_ends_start_and_removes_the_containers(self):
        self.environment['NEVER_IDLE'] = 'yes'
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number.name):
                done = self.end_start(number, lambda: len(self.containers()) == 4)
                self.expect(done, 128 + number, f'ended by {number.name}',
                            'start failed: removing what was started; see the logs')
                self.assertEqual(self.containers(), [])
                self.assertEqual(self.mini('stop', '--dir', self.dir).returncode, 0)

    def test_a_signal_while_a_container_is_made(self):
        self.environment['SECONDS_OF_RUN'] = '0.5'
        done = self.end_start(signal.SIGINT, (self.scratch / 'running').exists)
        self.expect(done, 128 + signal.SIGINT, 'ended by SIGINT', 'start failed: removing')
        time.sleep(1)  # a podman that was not waited for would have made it
        self.assertEqual(self.containers(), [])
        self.assertEqual((self.scratch / 'calls').read_text().count(' run -d '), 1)

    def test_a_machine_file_that_does_not_exist(self):
        self.expect(self.mini(*self.start, '--machine', '/nonexist'), 2,
                    '--machine: cannot read /nonexist: No such file or directory')
        self.assertFalse(self.dir.exists())

    def test_a_full_disk(self):
        def at_most(size):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        # The description of the cluster cannot be written, or only the files of its hosts.
        self.expect(self.mini(*self.start, preexec_fn=at_most(300)), 1,
                    'cluster: File too large', 'start failed: removing what was started')
        self.assertFalse(self.dir.exists())
        self.expect(self.mini(*self.start, preexec_fn=at_most(800)), 1,
                    'cluster: File too large', 'start failed: removing what was started; see')
        self.assertEqual(self.mini('stop', '--dir', self.dir).returncode, 0)
        self.assertFalse(self.dir.exists())

    def test_a_program_that_fails(self):
        self.program('openssl', '#!/bin/sh\necho no entropy >&2\nexit 3\n')
        self.expect(self.mini(*self.start), 1, 'openssl: exit code 3: no entropy', 'start failed')

    def test_faults_of_hosts_that_are_down_or_paused(self):
        self.started()
        self.expect(self.mini('pause', '--dir', self.dir, 'n1'), 0)
        self.expect(self.mini('pause', '--dir', self.dir, 'n1'), 1,
                    'pause: n1 is paused (expected running)')
        self.set_state('cs1', 'exited')
        self.expect(self.mini('cut', '--dir', self.dir, 'cs1'), 1,
                    'cut: cs1 is exited (expected running)')


if __name__ == '__main__':
    result = unittest.main(exit=False, verbosity=1).result
    sys.exit(not result.wasSuccessful())
