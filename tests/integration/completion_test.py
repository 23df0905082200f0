#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""completion_test.py BUILD_DIR: what bash and zsh make of a line of coolspan when Tab is
pressed on a terminal."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 20
# What is typed before Tab, and the arguments that the command then gets.
LINES = {
    'alloc': 'allocate',
    'map-v': 'map-view',
    '--vers': '--version',
    'replay --sched': 'replay --scheduler',
    'allocate --policy coolspa': 'allocate --policy coolspan',
    'allocate --policy=coolest': 'allocate --policy=coolest-inlet',
    'allocate --ordering hil': 'allocate --ordering hilbert',
    'order --machine ma': 'order --machine machine-of-test.yaml',
    'order --machine=ma': 'order --machine=machine-of-test.yaml',
    'check-config ma': 'check-config machine-of-test.yaml',
    'check-config machine-of-test.yaml oth': 'check-config machine-of-test.yaml other-file.yaml',
    'replay --policy first-fit,best': 'replay --policy first-fit,best-fit',
    'replay --policy rec': 'replay --policy recorded',
    'replay --scheduler conserv': 'replay --scheduler conservative',
    'replay --runtime-model cont': 'replay --runtime-model contention',
    'generate --model lub': 'generate --model lublin99',
    'map --method gre': 'map --method greedy',
    'mode adv': 'mode advise',
    'mode --cluster alpha adv': 'mode --cluster alpha advise',
    'cluster rem': 'cluster remove',
    'state exp': 'state export',
    'state export ma': 'state export machine-of-test.yaml',
    # No values are known, and no such option.
    'allocate --nodes ma': 'allocate --nodes ma',
    'status --policy': 'status --policy',
}
# What is shown where several words fit.
CHOICES = {
    'replay --trace x --zero-run ': {'skip', 'run'},
    'allocate --span ': {'ring', 'linear'},
    'mode ': {'enforce', 'advise', 'off', 'default'},
    'allocate --consolidate-segments --s': {'--seed', '--segment', '--shape', '--span', '--spread-segments'},
}


class Shell:
    """An interactive shell whose command coolspan prints its arguments."""

    def __init__(self, command, setup, folder):
        environment = {'PATH': os.environ['PATH'], 'HOME': str(folder), 'TERM': 'dumb', 'LC_ALL': 'C'}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.send(f'{setup}\necho rea""dy\n')
        self.read_until(r'ready\r?\n')

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, pattern):
        output, end = '', time.monotonic() + PATIENCE_S
        while not re.search(pattern, output):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f'no {pattern!r} in {output!r}'
            output += os.read(self.terminal, 4096).decode(errors='replace')
        return output

    def complete(self, line):
        self.send(f'coolspan {line}\t')
        time.sleep(0.05)
        self.send('\n')
        output = self.read_until(r'arguments<[^>]*>')
        return re.search(r'arguments<([^>]*)>', output)[1].strip().rstrip(',')

    def choices(self, line):
        self.send(f'coolspan {line}\t\t')
        time.sleep(0.3)
        self.send('\x15echo shown""-all\n')
        return set(re.findall(r'[\w.:-]+', self.read_until('shown-all')))

    def close(self):
        self.send('\x15exit\n')
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def shells(build):
    documents = build / 'documents'
    prints = 'coolspan() { printf "arguments<%s>\\n" "$*"; }'
    yield 'bash', ['bash', '--norc', '--noprofile', '-i'], \
        f"PS1='$ '; bind 'set bell-style none'; {prints}; source {documents}/bash/coolspan"
    if shutil.which('zsh'):
        yield 'zsh', ['zsh', '-f', '-i'], \
            f"PS1='$ '; setopt no_beep; fpath=({documents}/zsh $fpath); autoload -U compinit; " \
            f'compinit -u -D; {prints}'


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    subprocess.run(['bash', '-n', build / 'documents/bash/coolspan'], check=True)
    wrong = []
    with tempfile.TemporaryDirectory(prefix='coolspan-completion-') as folder:
        for name in ('machine-of-test.yaml', 'other-file.yaml'):
            pathlib.Path(folder, name).touch()
        for name, command, setup in shells(build):
            shell = Shell(command, setup, folder)
            for line, expected in LINES.items():
                found = shell.complete(line)
                if found != expected:
                    wrong.append(f'{name}: coolspan {line}: {found!r} (expected {expected!r})')
            for line, expected in CHOICES.items():
                found = shell.choices(line)
                if not expected <= found:
                    wrong.append(f'{name}: coolspan {line}: {sorted(expected - found)} not in {sorted(found)}')
            shell.close()
    assert not wrong, '\n'.join(wrong)


if __name__ == '__main__':
    main()
