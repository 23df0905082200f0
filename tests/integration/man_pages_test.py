#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""man_pages_test.py BUILD_DIR SOURCE_DIR: neither mandoc nor groff has a warning about a manual
page, written or made by the build."""

import os
import pathlib
import shutil
import subprocess
import sys

SKIP = 77


def complaints(page):
    lint = subprocess.run(['mandoc', '-T', 'lint', '-W', 'warning', page], capture_output=True, text=True,
                          check=False)
    groff = subprocess.run(['man', '--warnings', '-l', page], capture_output=True, text=True, check=False,
                           env=dict(os.environ, MANWIDTH='80', LC_ALL='C.UTF-8', MAN_KEEP_STDERR='1'))
    assert groff.returncode == 0 and 'NAME' in groff.stdout, (page, groff.stderr)
    return lint.stdout + lint.stderr + groff.stderr


def main():
    if not shutil.which('mandoc') or not shutil.which('man'):
        print('no mandoc or no man; run ./deploy/install-deps test')
        sys.exit(SKIP)
    build, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    made = sorted((build / 'documents/man1').iterdir())
    written = sorted((source / 'docs/man').iterdir())
    assert len(made) >= 15 and len(written) >= 7, (made, written)
    found = ''.join(complaints(page) for page in [*made, *written])
    assert not found, found


if __name__ == '__main__':
    main()
