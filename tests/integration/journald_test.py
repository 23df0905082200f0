#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""journald_test.py BUILD_DIR: log lines are entries of a real systemd-journald, which runs
in a mount namespace of its own."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

JOURNALD = '/lib/systemd/systemd-journald'
INSIDE = '--inside'
SKIP = 77


def why_not():
    if os.geteuid() != 0:
        return 'needs root for a mount namespace'
    for tool in (JOURNALD, 'unshare', 'journalctl'):
        if not shutil.which(tool):
            return f'{tool} is not installed'
    if subprocess.run(['unshare', '--mount', 'true'], check=False).returncode != 0:
        return 'no mount namespaces here'
    return None


def wait_until(condition, what):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f'timeout: {what}')


def entries(*matches):
    """Of the journal, oldest first."""
    done = subprocess.run(['journalctl', '--directory=/run/log/journal', '--output=json', '--all',
                           '--no-pager', *matches], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def stream_of_the_journal():
    """As systemd opens it for a service: sd_journal_stream_fd(3)."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.connect('/run/systemd/journal/stdout')
    # Identifier, unit, priority, prefixes, forwarding to syslog, kernel log and console.
    stream.send(b'coolspand\n\n6\n0\n0\n0\n0\n')
    return stream


class Daemon:
    """coolspand, whose standard error is a stream of the journal."""

    def __init__(self, build, folder, log=''):
        self.socket = folder / 'd.sock'
        (folder / 'm.yaml').write_text('name: m\ntopology: {kind: mesh, dims: [4]}\n'
                                       'nodes: "n[1-4]"\n')
        self.file = folder / 'd.yaml'
        self.file.write_text(f'listen: unix://{self.socket}\nmachine: m.yaml\n'
                             f'state: {{sqlite: state.db}}\n{log}')
        with stream_of_the_journal() as stream:
            inode = os.fstat(stream.fileno())
            environment = dict(os.environ, JOURNAL_STREAM=f'{inode.st_dev}:{inode.st_ino}')
            self.process = subprocess.Popen([build / 'bin/coolspand', '--config', self.file],
                                            stderr=stream, env=environment)
        wait_until(self.socket.exists, 'the socket')

    def stop(self):
        self.process.terminate()
        assert self.process.wait(60) == 0, self.process.returncode


def test(build):
    with tempfile.TemporaryDirectory(prefix='coolspan-journald-') as name:
        folder = pathlib.Path(name)
        daemon = Daemon(build, folder)
        start = wait_until(lambda: entries('COOLSPAN_EVENT=start'), 'the start in the journal')[0]
        assert start['COOLSPAN_MACHINE'] == 'm', start
        assert start['COOLSPAN_NODES'] == '4', start
        assert start['COOLSPAN_PID'] == str(daemon.process.pid), start
        assert start['MESSAGE'].startswith('event=start version='), start
        assert start['PRIORITY'] == '6', start
        assert start['MESSAGE_ID'] == '70dd68a527be449887943e5a257afa87', start
        assert start['SYSLOG_IDENTIFIER'] == 'coolspand', start
        with daemon.file.open('a') as file:
            file.write('none: "such\\u0007"\n')
        daemon.process.send_signal(signal.SIGHUP)
        refused = wait_until(lambda: entries('COOLSPAN_EVENT=reload'), 'the refused reload')[0]
        assert refused['PRIORITY'] == '3', refused
        assert refused['COOLSPAN_RESULT'] == 'refused', refused
        assert refused['COOLSPAN_WHY'].startswith(f'{daemon.file}:4:1: unknown key'), refused
        daemon.stop()
        wait_until(lambda: entries('COOLSPAN_EVENT=stop'), 'the stop')

        # With a format, the lines themselves.
        daemon = Daemon(build, folder, 'log: {format: json}\n')
        line = wait_until(lambda: [json.loads(entry['MESSAGE'])
                                   for entry in entries(f'_PID={daemon.process.pid}')], 'a line')[0]
        assert line['event'] == 'start', line
        daemon.stop()
        assert len(entries('COOLSPAN_EVENT=start')) == 1


def run_inside(build):
    """In the namespace: /run is our own."""
    subprocess.run(['mount', '-t', 'tmpfs', 'tmpfs', '/run'], check=True)
    os.makedirs('/run/systemd/journal')
    os.makedirs('/run/log/journal')
    journald = subprocess.Popen([JOURNALD], stderr=subprocess.DEVNULL)
    try:
        wait_until(pathlib.Path('/run/systemd/journal/stdout').exists, 'systemd-journald')
        test(build)
    finally:
        journald.terminate()
        journald.wait()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if INSIDE in sys.argv:
        run_inside(build)
        return 0
    reason = why_not()
    if reason:
        print(reason)
        return SKIP
    return subprocess.run(['unshare', '--mount', sys.executable, '-B', __file__, build, INSIDE],
                          check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
