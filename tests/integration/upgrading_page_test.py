#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""upgrading_page_test.py PAGE: the line of docs/upgrading-slurm.md that removes the drop-in build
from slurm.conf does so, or fails and changes nothing."""

import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = '/usr/lib/coolspan/dropin'
STOCK = '/usr/lib/x86_64-linux-gnu/slurm-wlm'


def command(page):
    """The line, with programs that need no root and no systemd."""
    line = re.search('^    .*sed -i.*PluginDir.*$', page.read_text(), re.M)[0]
    changed = line.replace('sudo ', '').replace('systemctl restart slurmctld', 'touch restarted')
    assert '/etc/slurm/slurm.conf' in changed and 'touch restarted' in changed, line
    return changed.replace('/etc/slurm/slurm.conf', 'slurm.conf')


def run(text, conf):
    """Returns exit code, output, slurm.conf and whether slurmctld was restarted."""
    with tempfile.TemporaryDirectory(prefix='coolspan-page-') as folder:
        path = pathlib.Path(folder, 'slurm.conf')
        path.write_text(conf)
        done = subprocess.run(['bash', '-c', text], cwd=folder, capture_output=True, text=True,
                              check=False)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout, path.read_text(), pathlib.Path(folder, 'restarted').exists()


def main():
    text = command(pathlib.Path(sys.argv[1]))
    for key in ('PluginDir=', 'PluginDir = ', '  plugindir ='):
        before, after = f'{key}{FOLDER}:{STOCK}\n', f'PluginDir={STOCK}\n'
        rest = 'SelectType=select/cons_tres\n'
        found = run(text, before + rest)
        assert found == (0, after, after + rest, True), found
    for line in (f'PluginDir=/usr/lib/coolspan/named:{STOCK}', f'PluginDir=/opt/coolspan/dropin:{STOCK}',
                 f'PluginDir={STOCK}:{FOLDER}', f'#PluginDir={FOLDER}:{STOCK}', f'PluginDir={FOLDER}'):
        code, output, conf, restarted = run(text, f'{line}\n')
        assert code != 0 and not output and conf == f'{line}\n' and not restarted, (line, output, conf)


if __name__ == '__main__':
    main()
