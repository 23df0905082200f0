#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts tests after ctest: each gtest, not each process of them."""

import argparse
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

LINES_OF_A_FAILURE = 40


def count_report(path):
    """(names passed, [(name, message)] failed, [(name, reason)] skipped) of gtest's XML."""
    passed, failed, skipped = [], [], []
    for case in ElementTree.parse(path).getroot().iter('testcase'):
        if case.get('status') != 'run':
            continue  # disabled
        name = f'{case.get("classname")}.{case.get("name")}'
        failures = [failure.get('message', '') for failure in case.findall('failure')]
        skip = case.find('skipped')
        if failures:
            failed.append((name, '\n'.join(failures)))
        elif skip is not None:
            # "file:line" and "Skipped" come before the reason.
            reason = skip.get('message', '').strip().splitlines()
            skipped.append((name, reason[-1] if reason else ''))
        else:
            passed.append(name)
    return passed, failed, skipped


def count_output(program, output):
    """The same from what a program printed before it crashed or was ended."""
    results = {}
    for word, name in re.findall(r'^\[ {0,7}(RUN|OK|FAILED|SKIPPED) {0,6}\] ([^\s,]+\.[^\s,]+)',
                                 output, re.MULTILINE):
        results[name] = word
    failed = [(name, f'{program} ended in this test:\n' + '\n'.join(output.splitlines()[-LINES_OF_A_FAILURE:])
               if word == 'RUN' else 'see the log')
              for name, word in results.items() if word in ('RUN', 'FAILED')]
    passed = [name for name, word in results.items() if word == 'OK']
    skipped = [(name, 'see the log') for name, word in results.items() if word == 'SKIPPED']
    running = re.search(r'^\[=+\] Running (\d+) tests? from', output, re.MULTILINE)
    absent = int(running[1]) - len(results) if running else 0
    failed += [(f'{program}: test not run', '')] * absent
    if not failed:
        failed = [(program, 'failed outside its tests:\n' +
                   '\n'.join(output.splitlines()[-LINES_OF_A_FAILURE:]))]
    return passed, failed, skipped


def count(junit, reports):
    """Passed (a number), failed and skipped ([(name, text)]) of all of ctest's processes."""
    passed, failed, skipped = 0, [], []
    run_by_program = collections.Counter()
    for process in ElementTree.parse(junit).getroot().iter('testcase'):
        program, status = process.get('name'), process.get('status')
        output = process.findtext('system-out') or ''
        report = reports / f'{program}.xml'
        if report.exists():
            some_passed, some_failed, some_skipped = count_report(report)
            if status == 'fail' and not some_failed:
                # Every test passed: a leak, a race or a crash at the end.
                some_failed = [(program, '\n'.join(output.splitlines()[-LINES_OF_A_FAILURE:]))]
        elif re.search(r'^\[=+\] Running', output, re.MULTILINE):
            some_passed, some_failed, some_skipped = count_output(program, output)
        elif status == 'run':
            some_passed, some_failed, some_skipped = [program], [], []
        elif (process.find('skipped') is not None and
              'SKIP_RETURN_CODE' in process.find('skipped').get('message', '')):
            lines = output.strip().splitlines()
            some_passed, some_failed, some_skipped = [], [], [(program, lines[-1] if lines else '')]
        else:
            some_passed, some_failed, some_skipped = [], [(program, output)], []
        run_by_program[re.sub(r'\.\d+$', '', program)] += (
            len(some_passed) + len(some_failed) + len(some_skipped))
        passed += len(some_passed)
        failed += some_failed
        skipped += some_skipped
    # A filter or a label that matches nothing must not pass.
    if not run_by_program:
        failed.append(('no program ran', ''))
    failed += [(program, 'no test of it ran') for program, run in run_by_program.items() if run == 0]
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(
        description='Prints the failed tests with their messages, the skipped tests with their '
                    'reasons, a line "FAILED NAME" for each failed test, and last '
                    '"N passed, N failed, N skipped".')
    parser.add_argument('junit', type=pathlib.Path, help="ctest's --output-junit")
    parser.add_argument('reports', type=pathlib.Path, help='folder of the gtest XML reports')
    options = parser.parse_args()
    passed, failed, skipped = count(options.junit, options.reports)
    for name, message in failed:
        print(f'-- {name}')
        print('\n'.join(message.strip().splitlines()[:LINES_OF_A_FAILURE]))
    for name, reason in skipped:
        print(f'SKIPPED {name}: {reason}')
    for name, _ in failed:
        print(f'FAILED {name}')
    print(f'{passed} passed, {len(failed)} failed, {len(skipped)} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
