#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian packages in a fresh root of Debian with systemd: the commands of docs/install.md one
by one, from no Slurm to an enforced job; then upgrade, removal and purge."""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SKIP = 77
PATIENCE_S = 120
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
GUIDE = SOURCE / 'docs/install.md'
FOLDER = '/root/packages'
BASE = 'systemd,systemd-sysv,dbus,sudo,procps,ca-certificates'
SLURM = ['slurmctld', 'slurmd', 'slurm-client', 'munge']
# Of the release build, as packages of Debian; lintian has checked the rest.
CONTENTS = {
    'coolspand': ['./usr/sbin/coolspand', './etc/coolspan/coolspand.yaml', './lib/systemd/system/coolspand.service',
                  './usr/lib/sysusers.d/coolspand.conf', './usr/share/man/man8/coolspand.8.gz',
                  './usr/share/man/man5/coolspand.yaml.5.gz', './usr/share/man/man5/coolspan-machine.5.gz'],
    'coolspan': ['./usr/bin/coolspan', './usr/share/bash-completion/completions/coolspan',
                 './usr/share/zsh/vendor-completions/_coolspan', './usr/share/man/man1/coolspan.1.gz',
                 './usr/share/man/man1/coolspan-allocate.1.gz', './usr/share/man/man1/coolspan-replay.1.gz',
                 './usr/share/doc/coolspan/docs/install.md', './usr/share/doc/coolspan/examples/coolspan.conf'],
    'coolspan-slurm-plugin-*': ['./usr/lib/coolspan/dropin/select_cons_tres.so',
                                './usr/lib/coolspan/named/select_coolspan.so',
                                './usr/lib/coolspan/libcoolspan_client.so',
                                './usr/share/man/man5/coolspan.conf.5.gz'],
    'coolspan-pattern-openmpi': ['./usr/lib/coolspan/openmpi/libcoolspan_pattern.so'],
    'coolspan-pattern-mpich': ['./usr/lib/coolspan/mpich/libcoolspan_pattern.so'],
}


def say(text):
    print(f'[{time.strftime("%H:%M:%S")}] {text}', flush=True)


def run(*command, check=True, **keywords):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **keywords)
    assert not check or done.returncode == 0, f'{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}'
    return done


def wait_until(condition, what, logs=lambda: ''):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f'timeout: {what}\n{logs()}'
        time.sleep(0.3)


def blocks(section):
    """The commands of a section of the guide."""
    text = re.split(r'^## ', GUIDE.read_text(), flags=re.M)
    found = [part for part in text if part.split('\n', 1)[0] == section]
    assert len(found) == 1, f'{GUIDE} has no section "{section}"'
    return re.findall(r'^```sh\n(.*?)^```', found[0], re.M | re.S)


def build(programs, revision, output):
    run(SOURCE / 'deploy/build-packages', '--from', programs, '--revision', revision, '--output', output)
    return output


def check_contents(folder):
    for name, files in CONTENTS.items():
        package, = [path for path in folder.glob(f'{name}_*.deb') if '-dbgsym_' not in path.name]
        listed = {line.split()[5] for line in run('dpkg-deb', '-c', package).stdout.splitlines()}
        merged = listed | {'./lib' + path[9:] for path in listed if path.startswith('./usr/lib/')}
        assert set(files) <= merged, f'{package.name} lacks {set(files) - merged}'
        if name.startswith('coolspan-slurm-plugin'):
            version = re.search(r'plugin-([0-9.]+)_', package.name)[1]
            major, minor, micro = version.split('.')
            depends = run('dpkg-deb', '-f', package, 'Depends').stdout
            for bound in (f'(>= {version})', f'(<< {major}.{minor}.{int(micro) + 1}~)'):
                assert f'slurm-wlm-basic-plugins {bound}' in depends, depends


class Container:
    """A root with systemd, on a network of its own without others."""

    def __init__(self, root, folder):
        self.root, self.name = root, f'coolspan-packages-{os.getpid()}'
        limits = {'nofile': min(20000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]), 'nproc': 30000}
        configuration = folder / 'containers.conf'
        # crun does not work with hybrid cgroups.
        configuration.write_text(
            '[containers]\ndefault_ulimits = ' + json.dumps([f'{k}={v}:{v}' for k, v in limits.items()]) +
            f'\n[engine]\nruntime = "runc"\n[network]\nnetwork_config_dir = "{folder}/networks"\n'
            'network_backend = "netavark"\n')
        self.environment = dict(os.environ, CONTAINERS_CONF=str(configuration))
        self.options = ['--root', folder / 'podman', '--runroot', folder / 'run', '--storage-driver', 'vfs']

    def podman(self, *arguments, check=True, timeout=600):
        return run('podman', *self.options, *arguments, check=check, env=self.environment, timeout=timeout)

    def why_not(self):
        done = self.podman('run', '--rm', '--network', 'none', '--cap-add', 'SYS_ADMIN', '--security-opt',
                           'seccomp=unconfined', '--rootfs', self.root, '/bin/true', check=False)
        return done.stderr.strip() if done.returncode != 0 else ''

    def __enter__(self):
        # Slurm resolves no address where there are only loopback devices.
        subnet = f'10.{random.randrange(64, 224)}.{random.randrange(256)}.0/24'
        self.podman('network', 'create', '--internal', '--disable-dns', '--subnet', subnet, self.name)
        self.podman('run', '-d', '--name', self.name, '--hostname', 'trial', '--systemd=always', '--network', self.name,
                    '--cap-add', 'SYS_ADMIN', '--security-opt', 'seccomp=unconfined', '--rootfs', self.root,
                    '/sbin/init')
        wait_until(lambda: self('systemctl is-system-running', check=False).stdout.strip() in ('running', 'degraded'),
                   'systemd has booted')
        return self

    def __exit__(self, *_):
        self.podman('rm', '-f', '-t', '0', self.name, check=False)
        self.podman('network', 'rm', '-f', self.name, check=False)

    def __call__(self, commands, check=True):
        """In the folder of the packages; stops at the first command that fails."""
        done = self.podman('exec', '-w', FOLDER, '-e', 'DEBIAN_FRONTEND=noninteractive', '-e', 'LC_ALL=C.UTF-8',
                           self.name, 'bash', '-ec', commands, check=False)
        assert not check or done.returncode == 0, \
            f'{commands}\n{done.stdout[-3000:]}{done.stderr[-3000:]}\n{self.logs()}'
        return done

    def logs(self):
        return self('systemctl status coolspand; journalctl -n 20 --no-pager; tail -n 12 /var/log/slurm/*.log', check=False).stdout

    def follow(self, section, changes=()):
        """Runs the commands of a section; returns what each block printed."""
        outputs = []
        for block in blocks(section):
            for old, new in changes:
                block = block.replace(old, new)
            say(f'{section}: {block.strip().splitlines()[0]}')
            done = self(block)
            outputs.append(done.stdout + done.stderr)
            if 'restart' in block or 'reconfigure' in block:
                self.wait_for_nodes()
                time.sleep(2)  # the guide says a second
        return outputs

    def wait_for_nodes(self):
        if self('test -e /etc/slurm/slurm.conf', check=False).returncode == 0:
            wait_until(lambda: self('sinfo -h -o "%D %t"', check=False).stdout.split() == ['4', 'idle'],
                       'four nodes are idle', self.logs)


def make_root(root, suite, packages, base):
    """Fetches all that is installed later: the container has no network."""
    release = re.search(r'^VERSION_CODENAME=(\S+)', pathlib.Path('/etc/os-release').read_text(), re.M)[1]
    mirror = next(line.split()[0] for line in run(
        'apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)',
        'Created-By: Packages').stdout.splitlines() if line.split()[1:] == [release, 'main'])
    if base:
        run('cp', '-a', base, root)
    else:
        run('debootstrap', '--variant=minbase', f'--include={BASE}', suite, root, mirror,
            '/usr/share/debootstrap/scripts/sid', timeout=1800)
    for name in ('resolv.conf', 'hosts'):
        shutil.copy(f'/etc/{name}', root / 'etc' / name)
    (root / 'etc/apt/apt.conf.d/90test').write_text(
        'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\nAcquire::Retries "3";\n'
        'APT::Sandbox::User "root";\nBinary::apt::APT::Keep-Downloaded-Packages "true";\n')
    for version, folder in packages.items():
        shutil.copytree(folder, root / FOLDER[1:] / version if version != '1' else root / FOLDER[1:], dirs_exist_ok=True)
    command = ['chroot', root, 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive']
    names = [f'{FOLDER}/{path.name}' for path in sorted((root / FOLDER[1:]).glob('*.deb'))]
    run(*command, 'apt-get', 'update', timeout=600)
    run(*command, 'apt-get', '--download-only', 'install', *SLURM, *names, timeout=1800)
    (root / 'etc/machine-id').write_text('')


def check_guide(host, changes):
    """From no Slurm to an enforced job."""
    host.follow('A Slurm to try it on', changes)
    host.wait_for_nodes()
    installed, = host.follow('2. Install them')
    assert 'coolspand is not started: it needs a machine file' in installed, installed
    state = host('systemctl is-active coolspand || systemctl is-enabled coolspand', check=False).stdout.split()
    assert state == ['inactive', 'disabled'], state
    described, = host.follow('3. Describe the machine')
    assert 'valid' in described and 'error' not in described, described
    started, = host.follow('4. Start the daemon')
    assert re.search(r'machine', started), started
    # Other tests may take the processors for longer than 20 ms.
    patience = [('\nMode=advise\n', '\nMode=advise\nDeadlineMs=1000\n')]
    configured, _, restarted, advised = host.follow('5. Let it advise', patience)
    assert 'error' not in configured.lower(), configured
    assert 'mode=advise' in restarted and 'synced with coolspand' in restarted, restarted
    assert 'advised' in advised and 'decision 1.' in advised, advised
    _, enforced = host.follow('6. Let it decide')
    assert 'enforced' in enforced and 'decision 2.' in enforced, enforced
    nodes = re.search(r'nodes +(n\S+)', enforced)[1]
    assert f'enforced nodes={nodes} ' in host('grep JobId=2 /var/log/slurm/slurmctld.log').stdout
    # The manual pages and completions are where the shell and man look.
    host('test -s /usr/share/man/man1/coolspan-allocate.1.gz')
    assert 'allocate' in host('source /usr/share/bash-completion/completions/coolspan; '
                              'COMP_LINE="coolspan allo" COMP_POINT=13; _coolspan; echo "${COMPREPLY[@]}"').stdout


def place_a_job(host):
    """Returns what is known of it."""
    job = host("sbatch --parsable --exclusive -N 2 -o /dev/null --wrap 'sleep 1'").stdout.strip()
    wait_until(lambda: 'started' in host(f'coolspan explain {job}', check=False).stdout, f'job {job} has started', host.logs)
    return host(f'coolspan explain {job}').stdout


def check_upgrade(host):
    say('upgrade')
    host("echo '# kept' >> /etc/coolspan/coolspand.yaml")
    before = host('systemctl show --value -p MainPID coolspand').stdout
    upgraded = host(f'apt-get install {FOLDER}/newer/*.deb')
    assert host("dpkg-query -W -f '${Version}' coolspand").stdout.startswith('0.1.0-2'), 'not upgraded'
    assert 'systemctl restart slurmctld' in upgraded.stdout + upgraded.stderr, upgraded.stdout
    wait_until(lambda: host('coolspan status', check=False).returncode == 0, 'coolspand answers', host.logs)
    assert host('systemctl show --value -p MainPID coolspand').stdout != before, 'coolspand was not restarted'
    assert '# kept' in host('cat /etc/coolspan/coolspand.yaml').stdout, 'the daemon file was replaced'
    assert 'enforced' in host('coolspan explain 2').stdout, 'the state is lost'
    host('systemctl restart slurmctld')
    host.wait_for_nodes()
    wait_until(lambda: 'enforced' in place_a_job(host), 'jobs are placed after the upgrade', host.logs)


def check_removal(host):
    say('removal of the plugin while slurm.conf names its folder')
    removed = host("apt-get remove 'coolspan-slurm-plugin-*'").stdout
    assert 'kept the empty folder /usr/lib/coolspan/dropin' in removed, removed
    assert host('ls /usr/lib/coolspan/dropin').stdout == ''
    host('systemctl restart slurmctld')
    host.wait_for_nodes()
    host('srun --exclusive -N 2 hostname')
    host(f'apt-get install {FOLDER}/newer/coolspan-slurm-plugin-*.deb')
    host.follow('Remove it')
    host('srun --exclusive -N 2 hostname')
    left = host('ls -d /usr/bin/coolspan /usr/sbin/coolspand /usr/lib/coolspan/dropin /var/lib/coolspan/state.db '
                '/etc/coolspan/coolspand.yaml /etc/coolspan/machine.yaml', check=False).stdout.split()
    assert left == ['/etc/coolspan/coolspand.yaml', '/etc/coolspan/machine.yaml', '/var/lib/coolspan/state.db'], left
    assert host('systemctl is-active coolspand', check=False).stdout.strip() == 'inactive'
    say('purge')
    host("apt-get purge coolspan coolspand 'coolspan-*'")
    left = host('ls -d /var/lib/coolspan /var/log/coolspan /etc/coolspan/* /usr/lib/coolspan /usr/share/doc/coolspan* '
                '/etc/systemd/system/multi-user.target.wants/coolspand.service', check=False).stdout.split()
    assert left == ['/etc/coolspan/machine.yaml'], left
    known = host("dpkg-query -W -f '${Package} ${db:Status-Status}\\n' 'coolspan*'", check=False).stdout
    assert ' installed' not in known and ' config-files' not in known, known
    # What is not configured is not started, and no failure either.
    say('without Slurm running and without a machine file')
    host('systemctl stop slurmctld; mv /etc/coolspan/machine.yaml /root')
    host(f'apt-get install {FOLDER}/newer/*.deb')
    assert 'coolspand' not in host('systemctl --failed --no-legend').stdout


def check(host, suite):
    # The guide says so.
    changes = [] if suite == 'bookworm' else [('CgroupPlugin=cgroup/v1', 'CgroupPlugin=disabled')]
    check_guide(host, changes)
    check_upgrade(host)
    check_removal(host)
    say('done')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build', type=pathlib.Path, nargs='?', help='build folder whose programs are packaged')
    parser.add_argument('--short', action='store_true', help='only the build, lintian and the contents')
    parser.add_argument('--suite', default='bookworm')
    parser.add_argument('--packages', type=pathlib.Path, help='folder of packages, in place of a build')
    parser.add_argument('--newer', type=pathlib.Path, help='folder of the same packages with a higher version')
    parser.add_argument('--base', type=pathlib.Path, help='a root of the suite to copy, made by debootstrap')
    options = parser.parse_args()
    if not options.build and not (options.packages and options.newer):
        parser.error('expected a build folder, or --packages and --newer')
    with tempfile.TemporaryDirectory(prefix='coolspan-packages-', dir='/var/tmp') as name:
        folder = pathlib.Path(name)
        older = options.packages or build(options.build, 1, folder / '1')
        check_contents(older)
        if options.short:
            return
        newer = options.newer or build(options.build, 2, folder / '2')
        say('making the root')
        make_root(folder / 'root', options.suite, {'1': older, 'newer': newer}, options.base)
        host = Container(folder / 'root', folder)
        reason = host.why_not()
        if reason:
            print(f'skipped: no containers here: {reason}')
            sys.exit(SKIP)
        with host:
            check(host, options.suite)


if __name__ == '__main__':
    main()
