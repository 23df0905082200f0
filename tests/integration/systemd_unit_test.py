#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""systemd_unit_test.py SOURCE_DIR: systemd accepts the unit of coolspand, rates its
exposure at 2.0 at most, and its user can be created."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MAX_EXPOSURE = 2.0
SKIP = 77


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, f'{command}: {done.stdout}{done.stderr}'
    return done.stdout + done.stderr


def main():
    config = pathlib.Path(sys.argv[1], 'config')
    for tool in ('systemd-analyze', 'systemd-sysusers'):
        if not shutil.which(tool):
            print(f'{tool} is not installed')
            return SKIP
    unit = (config / 'coolspand.service').read_text()
    with tempfile.TemporaryDirectory(prefix='coolspan-unit-') as folder:
        # Programs that exist: those of the unit may not be installed here.
        copy = pathlib.Path(folder, 'coolspand.service')
        copy.write_text(re.sub(r'/usr/s?bin/coolspand?\b', '/bin/true', unit))
        complaints = run('systemd-analyze', 'verify', '--man=no', copy)
        assert 'coolspand.service' not in complaints, complaints
        rating = run('systemd-analyze', 'security', '--offline=true', copy)
        exposure = float(re.search(r'exposure level for coolspand.service: ([0-9.]+)', rating)[1])
        assert exposure <= MAX_EXPOSURE, rating
        root = pathlib.Path(folder, 'root')
        (root / 'etc/sysusers.d').mkdir(parents=True)
        shutil.copy(config / 'coolspan-sysusers.conf', root / 'etc/sysusers.d/coolspan.conf')
        run('systemd-sysusers', f'--root={root}')
        user = re.search(r'^User=(.*)$', unit, re.MULTILINE)[1]
        assert f'{user}:' in (root / 'etc/passwd').read_text(), user
    print(f'exposure {exposure}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
