#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the decisions of a replay with those of earlier versions.

    decisions_test.py COOLSPAN SOURCE_FOLDER [--write]

Each policy that compares whole numbers replays a synthetic log; the
SHA-256 of its decisions must be that in decisions.sha256. --write replaces that
file: with a change that is meant to change decisions, and says so."""
import argparse
import hashlib
import pathlib
import subprocess
import sys
import tempfile

# Searches of exponential time get fewer jobs.
JOBS = {'exact': 8, 'ptas': 8}
DEFAULT_JOBS = 400
POLICIES = ('best-fit', 'coolspan', 'exact', 'exact-1d', 'first-fit', 'free-list', 'genalg', 'genalg:ties=paper',
            'mbs', 'mc', 'mc:ties=paper', 'mc1x1', 'mc1x1:ties=paper', 'mm', 'mm:ties=paper', 'mm-inc',
            'mm-inc:ties=paper', 'ptas', 'random', 'slurm', 'sum-of-squares')


def decisions(coolspan, source, folder, policy):
    trace = folder / 'trace.swf'
    if not trace.exists():
        made = subprocess.run([source / 'deploy/example-trace', '--jobs', str(DEFAULT_JOBS)],
                              check=True, stdout=subprocess.PIPE)
        trace.write_bytes(made.stdout)
    log = folder / 'decisions.csv'
    subprocess.run([coolspan, 'replay', '--trace', trace, '--machine', source / 'config/machines/mesh-16x8.yaml',
                    '--scheduler', 'easy', '--policy', policy, '--max-jobs', str(JOBS.get(policy, DEFAULT_JOBS)),
                    '--decisions', log], check=True, stdout=subprocess.DEVNULL)
    return hashlib.sha256(log.read_bytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('coolspan', type=pathlib.Path)
    parser.add_argument('source', type=pathlib.Path)
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
    golden = options.source / 'tests/golden/decisions.sha256'
    with tempfile.TemporaryDirectory() as folder:
        found = {policy: decisions(options.coolspan, options.source, pathlib.Path(folder), policy)
                 for policy in POLICIES}
    if options.write:
        golden.write_text(''.join(f'{digest}  {policy}\n' for policy, digest in found.items()))
        return 0
    expected = {policy: digest for digest, policy in
                (line.split() for line in golden.read_text().splitlines())}
    changed = [policy for policy in POLICIES if found[policy] != expected.get(policy)]
    if changed or set(expected) != set(found):
        print(f'other decisions than before: {", ".join(changed) or "another list of policies"}')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
