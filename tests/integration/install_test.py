#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""install_test.py BUILD_DIR SOURCE_DIR [--plugin] [--openmpi] [--mpich]: `cmake --install` below a
DESTDIR puts every file in its place and no other, and what it put there runs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

DOC = 'share/doc/coolspan'
PROGRAMS = {'bin/coolspan', 'sbin/coolspand'}
PLUGIN = {'lib/coolspan/libcoolspan_client.so',
          'lib/coolspan/named/select_coolspan.so', 'lib/coolspan/named/libcoolspan_client.so',
          'lib/coolspan/dropin/select_cons_tres.so', 'lib/coolspan/dropin/libcoolspan_client.so'}
RECORDER = 'lib/coolspan/{}/libcoolspan_pattern.so'
DOCUMENTS = {f'{DOC}/{name}' for name in ('README.md', 'CHANGELOG.md', 'LICENSE')}


COMPLETIONS = {'share/bash-completion/completions/coolspan', 'share/zsh/vendor-completions/_coolspan'}


def expected_files(build, source, built):
    libraries = PLUGIN if '--plugin' in built else set()
    libraries = libraries | {RECORDER.format(mpi) for mpi in ('openmpi', 'mpich') if f'--{mpi}' in built}
    pages = {f'share/man/man{page.suffix[1:]}/{page.name}' for page in (source / 'docs/man').iterdir()}
    made = {f'share/man/man1/{page.name}' for page in (build / 'documents/man1').iterdir()}
    assert 'share/man/man1/coolspan-allocate.1' in made and not made & pages, made
    examples = {f'{DOC}/examples/{file.relative_to(source / "config")}'
                for file in (source / 'config').rglob('*') if file.is_file()}
    examples |= {f'{DOC}/examples/{file.relative_to(source / "deploy")}' for folder in ('prometheus', 'grafana')
                 for file in (source / 'deploy' / folder).iterdir()}
    chapters = {f'{DOC}/docs/{file.relative_to(source / "docs")}'
                for file in (source / 'docs').rglob('*') if file.suffix in ('.md', '.svg', '.png')}
    assert len(pages) >= 6 and len(examples) >= 15, (pages, examples)
    assert {f'{DOC}/docs/slurm-plugin.md', f'{DOC}/docs/map-view.svg'} <= chapters, chapters
    return PROGRAMS | COMPLETIONS | DOCUMENTS | pages | made | examples | chapters | libraries


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def main():
    build, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix='coolspan-install-') as folder:
        subprocess.run(['cmake', '--install', build, '--prefix', '/usr'], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, DESTDIR=folder))
        usr = pathlib.Path(folder, 'usr')
        found = {str(file.relative_to(usr)) for file in usr.rglob('*') if not file.is_dir()}
        expected = expected_files(build, source, sys.argv[3:])
        assert found == expected, f'absent: {expected - found}; not expected: {found - expected}'
        outside = [path for path in pathlib.Path(folder).iterdir() if path != usr]
        assert not outside, f'installed outside the prefix: {outside}'
        for link in usr.glob('lib/coolspan/*/libcoolspan_client.so'):
            assert link.resolve() == (usr / 'lib/coolspan/libcoolspan_client.so').resolve(), link

        assert run(usr / 'bin/coolspan', '--version').strip()
        assert 'coolspand' in run(usr / 'sbin/coolspand', '--help')
        machine = usr / DOC / 'examples/machines/mesh-16.yaml'
        nodes = json.loads(run(usr / 'bin/coolspan', 'order', '--machine', machine, '--json'))['nodes']
        assert len(nodes) == 16, nodes
        for machine in (usr / DOC / 'examples/machines').glob('*.yaml'):
            run(usr / 'bin/coolspan', 'check-config', machine)


if __name__ == '__main__':
    main()
