#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy of the sources and headers that changed, and g++'s warnings of
constants whose sign a conversion changes; a file that passed is not read again
until it, a header that it includes, its compile command or the checks change. The
other sources that read a changed header are left to --all."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def git(*arguments):
    done = subprocess.run(['git', *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def base_commit():
    """The commit in tests/clang-tidy-base, up to which every change was read; None: not in this clone."""
    base = (ROOT / 'tests' / 'clang-tidy-base').read_text().strip()
    return base if git('rev-parse', '--verify', '--quiet', f'{base}^{{commit}}') else None


def included_by_name():
    """{file relative to ROOT: the project's headers that it includes, through others too}"""
    names = git('ls-files', 'daemon/*.h', 'daemon/*.cc', 'plugin/*.h', 'plugin/*.cc')
    direct = {}
    for name in names:
        wanted = re.findall(r'^#include "([^"]+)"', (ROOT / name).read_text(), re.MULTILINE)
        direct[name] = {f'daemon/{header}' for header in wanted} | {f'plugin/{header}' for header in wanted}
    found = {name: wanted & set(names) for name, wanted in direct.items()}
    while True:
        more = {name: wanted.union(*(found[header] for header in wanted)) for name, wanted in found.items()}
        if more == found:
            return found
        found = more


def with_headers(chosen, headers, sources):
    """The chosen sources, and for each header that none of them reads, its own
    source or else the first one that reads it."""
    included = included_by_name()
    chosen = list(chosen)
    for header in headers:
        if any(header in included[name] for name in chosen):
            continue
        own = header.removesuffix('.h') + '.cc'
        readers = [name for name in sources if header in included[name]]
        chosen += [own] if own in sources else readers[:1]
    return chosen


def chosen_files(everything):
    """Sources of the daemon and the plugin; tests are left to compiler warnings."""
    sources = git('ls-files', 'daemon/*.cc', 'plugin/*.cc')
    if not sources:
        sys.exit('git ls-files shows no sources (expected a clone that this user owns)')
    base = None if everything else base_commit()
    if base is None or git('diff', '--name-only', base, '--', '.clang-tidy'):
        return sources, None
    changed = git('diff', '--name-only', '--diff-filter=d', base, '--', 'daemon', 'plugin')
    headers = [name for name in changed if name.endswith('.h')]
    return sorted(with_headers(set(changed) & set(sources), headers, sources)), base


def compile_commands(build):
    """{source relative to ROOT: command}, for clang: without gcc's precompiled
    headers and without ccache."""
    commands = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        source = pathlib.Path(entry['directory'], entry['file']).resolve()
        command = re.sub(r'-Winvalid-pch|-include \S*cmake_pch\.hxx', '', entry['command'])
        command = re.sub(r'^\S*ccache ', '', command)
        if source.is_relative_to(ROOT):
            entry['command'] = command
            commands[str(source.relative_to(ROOT))] = entry
    return commands


def headers_of(entry):
    """The files that the compile command reads; None if it fails."""
    command = re.sub(r' (-MT|-MF|-o) \S+| -MD| -c(?= )', '', entry['command'])
    done = subprocess.run(shlex.split(command) + ['-MM'], cwd=entry['directory'],
                          capture_output=True, text=True, check=False)
    return done.stdout.replace('\\\n', ' ').split()[1:] if done.returncode == 0 else None


class Stamps:
    """Remembers which files passed, by a hash of all that decides the result but
    the headers of other projects, which the versions of its packages stand for."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        version = subprocess.run(['clang-tidy', '--version'], capture_output=True, check=True).stdout
        self.common = version + (ROOT / '.clang-tidy').read_bytes() + pathlib.Path(__file__).read_bytes()
        self.hashes = {}

    def hash_of(self, path):
        if path not in self.hashes:
            self.hashes[path] = hashlib.sha256(path.read_bytes()).digest() if path.exists() else b''
        return self.hashes[path]

    def path(self, entry):
        """Where the stamp of this state of the file is; None if its headers are unknown."""
        headers = headers_of(entry)
        if headers is None:
            return None
        key = hashlib.sha256(self.common + entry['command'].encode())
        for header in sorted(headers):
            path = pathlib.Path(entry['directory'], header).resolve()
            if path.is_relative_to(ROOT):
                key.update(str(path.relative_to(ROOT)).encode() + self.hash_of(path))
        return self.folder / key.hexdigest()


def changed_constants(entry):
    """g++'s warnings of constants that a conversion to an unsigned type changes, such
    as -1 beside an unsigned number in a conditional expression, which clang does not
    see. Its other warnings of -Wsign-conversion are of what may be meant."""
    command = re.sub(r' (-MT|-MF|-o) \S+| -MD| -Werror| -Wno-sign-conversion', '', entry['command'])
    done = subprocess.run(shlex.split(command) + ['-fsyntax-only', '-Wsign-conversion'], cwd=entry['directory'],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return [line for line in done.stderr.splitlines() if 'changes value' in line and '[-Wsign-conversion]' in line]


def lint(name, database, entry):
    done = subprocess.run(
        ['clang-tidy', '-p', database, '--quiet', '--extra-arg=-Wno-unknown-warning-option', name],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    errors = '' if done.returncode == 0 else done.stderr
    changed = changed_constants(entry)
    return done.returncode or len(changed), '\n'.join([done.stdout + errors, *changed])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--all', action='store_true', help='every file, not only what changed since tests/clang-tidy-base')
    parser.add_argument('--minutes', type=float, default=float('inf'),
                        help='begin no file after that time; the last line tells how many were not read')
    parser.add_argument('build', type=pathlib.Path,
                        help='a configured build folder without COOLSPAN_UNITY, with generated sources')
    options = parser.parse_args()
    build = options.build.resolve()
    names, base = chosen_files(options.all)
    commands = compile_commands(build)
    unknown = sorted(set(names) - set(commands))
    if unknown:
        sys.exit(f'no compile command for {", ".join(unknown)} (expected a build folder of all sources)')
    folder = build.parent / 'clang-tidy'
    stamps = Stamps(folder / 'passed')
    (folder / 'compile_commands.json').write_text(json.dumps(list(commands.values())))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        states = dict(zip(names, pool.map(lambda name: stamps.path(commands[name]), names)))
    due = [name for name in names if states[name] is None or not states[name].exists()]
    print(f'{len(names)} files ' + (f'changed since {base[:9]}' if base else 'in all') +
          f', {len(due)} to read', flush=True)
    bad = left = 0
    end = time.monotonic() + 60 * options.minutes
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (code, output) in zip(due, pool.map(
                lambda name: lint(name, folder, commands[name]) if time.monotonic() < end else (None, ''), due)):
            if code is None:
                left += 1
            elif code == 0:
                if states[name]:
                    states[name].touch()
            else:
                bad += 1
                print(f'-- {name}\n{output}', flush=True)
    print(f'{bad} files with findings, {left} not read for lack of time')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
