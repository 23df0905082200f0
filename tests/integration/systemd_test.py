#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""systemd_test.py BUILD_DIR SOURCE_DIR: the unit of coolspand under a real systemd, which
boots in a container of podman with the programs of this host: start, reload, watchdog,
stop, the journal."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SKIP = 77
PATIENCE_S = 120
# Those of the container, at most the host's.
LIMITS = {'nofile': min(20000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]), 'nproc': 30000}
MACHINE = 'name: m\ntopology: {kind: mesh, dims: [4, 4]}\nnodes: "n[01-16]"\n'
DAEMON = 'machine: m.yaml\npolicy: first-fit\nordering: row-major\n'
# Programs are not installed, and a test does not wait half a minute.
DROP_IN = """[Service]
ExecStart=
ExecStart=/opt/coolspan/coolspand --config /etc/coolspan/coolspand.yaml
ExecReload=
ExecReload=/opt/coolspan/coolspan reload
WatchdogSec=3
"""


class Container:
    """systemd with /usr of this host, read-only, and an own /etc and /var."""

    def __init__(self, build, source, folder):
        self.root = folder / 'root'
        self.options = ['--root', str(folder / 'podman'), '--runroot', str(folder / 'run'),
                        '--storage-driver', 'vfs']
        self.name = f'coolspan-systemd-{os.getpid()}'
        configuration = folder / 'containers.conf'
        # crun does not work with hybrid cgroups.
        limits = [f'{name}={limit}:{limit}' for name, limit in LIMITS.items()]
        configuration.write_text(f'[containers]\ndefault_ulimits = {json.dumps(limits)}\n'
                                 '[engine]\nruntime = "runc"\n')
        self.environment = dict(os.environ, CONTAINERS_CONF=str(configuration))
        self.make_root(source)
        self.mounts = ['-v', '/usr:/usr:ro', '-v', f'{build / "bin"}:/opt/coolspan:ro']

    def make_root(self, source):
        for name in ('etc/systemd/system/coolspand.service.d', 'etc/sysusers.d', 'etc/coolspan',
                     'usr', 'var/lib', 'var/log', 'run', 'tmp', 'proc', 'sys', 'dev',
                     'opt/coolspan', 'root'):
            (self.root / name).mkdir(parents=True)
        for name in ('bin', 'sbin', 'lib', 'lib64'):
            (self.root / name).symlink_to(f'usr/{name}')
        etc = self.root / 'etc'
        for name in ('ld.so.cache', 'nsswitch.conf'):
            shutil.copy(f'/etc/{name}', etc)
        (etc / 'passwd').write_text('root:x:0:0:root:/root:/bin/sh\n')
        (etc / 'group').write_text('root:x:0:\n')
        (etc / 'machine-id').touch()
        shutil.copy(source / 'config/coolspand.service', etc / 'systemd/system')
        shutil.copy(source / 'config/coolspan-sysusers.conf', etc / 'sysusers.d/coolspan.conf')
        (etc / 'systemd/system/coolspand.service.d/test.conf').write_text(DROP_IN)
        (etc / 'coolspan/m.yaml').write_text(MACHINE)
        self.configure('')

    def configure(self, lines):
        (self.root / 'etc/coolspan/coolspand.yaml').write_text(DAEMON + lines)

    def podman(self, *arguments, check=True):
        done = subprocess.run(['podman', *self.options, *arguments], capture_output=True, text=True,
                              env=self.environment, check=False, timeout=300)
        assert not check or done.returncode == 0, f'{arguments}: {done.stdout}{done.stderr}'
        return done

    def run(self, *command, check=True):
        return self.podman('exec', self.name, *command, check=check)

    def why_not(self):
        """Why no container starts here; '' if one does."""
        done = self.podman('run', '--rm', '--network', 'none', '--cap-add', 'SYS_ADMIN',
                           '--security-opt', 'seccomp=unconfined', *self.mounts,
                           '--rootfs', str(self.root), '/bin/true', check=False)
        return done.stderr.strip() if done.returncode != 0 else ''

    def __enter__(self):
        try:
            self.boot()
        except BaseException:
            self.end()
            raise
        return self

    def boot(self):
        self.podman('run', '-d', '--name', self.name, '--systemd=always', '--network', 'none',
                    '--cap-add', 'SYS_ADMIN', '--security-opt', 'seccomp=unconfined',
                    *self.mounts, '--rootfs', str(self.root), '/sbin/init', '--unit=basic.target')
        wait_until(lambda: self.run('systemctl', 'is-system-running', check=False).stdout.strip()
                   in ('running', 'degraded'), 'systemd has booted')

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.podman('rm', '-f', '-t', '0', self.name, check=False)

    def show(self, name):
        return self.run('systemctl', 'show', '--value', '-p', name, 'coolspand').stdout.strip()

    def status(self):
        return json.loads(self.run('/opt/coolspan/coolspan', 'status', '--json').stdout)


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f'timeout: {what}')


def starts(container):
    container.run('systemctl', 'start', 'coolspand')
    # Without waiting: systemctl start returns when the daemon serves.
    assert container.status()['policy'] == 'first-fit'
    text = container.show('StatusText')
    assert text == 'serving machine m, 16 nodes; policy first-fit', text
    process = container.show('MainPID')
    owner = container.run('stat', '-c', '%U %a', '/run/coolspan/coolspand.sock').stdout.split()
    assert owner == ['slurm', '660'], owner
    limits = container.run('cat', f'/proc/{process}/limits').stdout
    assert re.search(rf'Max open files +{min(65536, LIMITS["nofile"])} ', limits), limits
    entry = json.loads(container.run('journalctl', '-o', 'json', '--no-pager',
                                     'COOLSPAN_EVENT=start').stdout)
    assert entry['_SYSTEMD_UNIT'] == 'coolspand.service', entry
    assert entry['COOLSPAN_NODES'] == '16', entry


def searches_in_its_sandbox(container):
    """A replay session searches at idle priority, which the system calls must allow."""
    (container.root / 'etc/coolspan/t.swf').write_text(
        ''.join(f'{job} {job} -1 60 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n' for job in range(1, 20)))
    done = container.run('/opt/coolspan/coolspan', 'replay', '--trace', '/etc/coolspan/t.swf', '--machine',
                         '/etc/coolspan/m.yaml', '--policy', 'best-fit', '--endpoint',
                         'unix:///run/coolspan/coolspand.sock', '--json')
    assert json.loads(done.stdout)['runs'][0]['jobs'] == 19, done.stdout


def reloads(container):
    container.configure('deadline_ms: 30\nretention_days: 7\n')
    container.run('systemctl', 'reload', 'coolspand')
    assert container.show('ActiveState') == 'active'
    loaded = container.status()['config']
    assert loaded['reload_ms'] == loaded['loaded_ms'], loaded
    container.configure('deadline_ms: none\n')
    refused = container.run('systemctl', 'reload', 'coolspand', check=False)
    assert refused.returncode != 0, refused
    assert container.show('ActiveState') == 'active'
    assert 'coolspand.yaml:4:14: deadline_ms: ' in container.status()['config']['reload_error']
    container.configure('')
    assert container.show('NRestarts') == '0'


def is_restarted_when_it_hangs(container):
    before = container.show('MainPID')
    container.run('kill', '-STOP', before)
    wait_until(lambda: container.show('NRestarts') == '1' and
               container.show('ActiveState') == 'active', 'systemd has restarted a hung coolspand')
    assert container.show('MainPID') != before
    assert container.status()['policy'] == 'first-fit'


def stops(container):
    container.run('systemctl', 'stop', 'coolspand')
    assert container.show('ActiveState') == 'inactive', container.show('ActiveState')
    assert container.show('Result') == 'success', container.show('Result')


def why_not():
    if os.geteuid() != 0:
        return 'needs root'
    for tool in ('podman', 'runc', 'systemctl', '/lib/systemd/systemd'):
        if not shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin'):
            return f'{tool} is not installed'
    return None


def main():
    reason = why_not()
    if reason:
        print(reason)
        return SKIP
    build, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix='coolspan-systemd-') as folder:
        container = Container(build, source, pathlib.Path(folder))
        reason = container.why_not()
        if reason:
            print(f'no container starts here: {reason}')
            return SKIP
        with container:
            for step in (starts, searches_in_its_sandbox, reloads, is_restarted_when_it_hangs,
                         stops):
                try:
                    step(container)
                except AssertionError:
                    print(container.run('journalctl', '--no-pager', '-n', '40', check=False).stdout)
                    raise
                print(f'{step.__name__}: done', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
