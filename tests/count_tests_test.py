#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""count_tests.py counts every test, also of programs that crash."""

import pathlib
import tempfile
import unittest

import count_tests

REPORT = '''<testsuites><testsuite name="A">
<testcase name="Ok" status="run" result="completed" classname="A"/>
<testcase name="Off" status="notrun" result="suppressed" classname="A"/>
<testcase name="Fails" status="run" result="completed" classname="A"><failure message="a.cc:5&#x0A;1 vs 2"/></testcase>
<testcase name="Skips" status="run" result="skipped" classname="A"><skipped message="a.cc:4&#x0A;Skipped&#x0A;needs data"/></testcase>
</testsuite></testsuites>'''
CRASH = '''[==========] Running 5 tests from 2 test suites.
[ RUN      ] A.Ok
[       OK ] A.Ok (0 ms)
[ RUN      ] A.Skips
[  SKIPPED ] A.Skips (0 ms)
[ RUN      ] A.Crashes
ERROR: AddressSanitizer: heap-use-after-free
'''


class CountTests(unittest.TestCase):
    def count(self, processes, reports):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / 'junit.xml').write_text(f'<testsuite>{processes}</testsuite>')
            for name, text in reports.items():
                (folder / f'{name}.xml').write_text(text)
            return count_tests.count(folder / 'junit.xml', folder)

    def test_reports_are_counted(self):
        passed, failed, skipped = self.count('<testcase name="p.0" status="fail"/>', {'p.0': REPORT})
        self.assertEqual(passed, 1)
        self.assertEqual(failed, [('A.Fails', 'a.cc:5\n1 vs 2')])
        self.assertEqual(skipped, [('A.Skips', 'needs data')])

    def test_a_crash_fails_its_test_and_those_not_run(self):
        passed, failed, skipped = self.count(
            f'<testcase name="p.0" status="fail"><system-out>{CRASH}</system-out></testcase>', {})
        self.assertEqual((passed, len(failed), len(skipped)), (1, 3, 1))
        self.assertEqual(failed[0][0], 'A.Crashes')
        self.assertIn('heap-use-after-free', failed[0][1])

    def test_a_leak_found_after_the_tests_is_a_failure(self):
        ok = '<testsuites><testcase name="Ok" status="run" classname="A"/></testsuites>'
        passed, failed, _ = self.count(
            '<testcase name="p.0" status="fail"><system-out>LeakSanitizer</system-out></testcase>', {'p.0': ok})
        self.assertEqual((passed, failed), (1, [('p.0', 'LeakSanitizer')]))

    def test_a_program_of_which_no_test_runs_fails(self):
        none = '<testsuites></testsuites>'
        some = '<testsuites><testcase name="Ok" status="run" classname="A"/></testsuites>'
        processes = ''.join(f'<testcase name="{name}" status="run"/>' for name in ('p.0', 'p.1', 'q.0', 'q.1'))
        passed, failed, _ = self.count(processes, {'p.0': none, 'p.1': some, 'q.0': none, 'q.1': none})
        self.assertEqual((passed, failed), (1, [('q', 'no test of it ran')]))
        self.assertEqual(self.count('', {}), (0, [('no program ran', '')], []))

    def test_other_programs_are_one_test(self):
        processes = ('<testcase name="a" status="run"/><testcase name="b" status="fail"/>'
                     '<testcase name="c" status="notrun"><skipped message="Unable to find executable"/></testcase>'
                     '<testcase name="d" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                     '<system-out>no data</system-out></testcase>')
        passed, failed, skipped = self.count(processes, {})
        self.assertEqual((passed, [name for name, _ in failed], skipped), (1, ['b', 'c'], [('d', 'no data')]))


if __name__ == '__main__':
    unittest.main()
