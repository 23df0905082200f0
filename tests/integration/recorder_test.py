#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""recorder_test.py BUILD_DIR MPI: the pattern that libcoolspan_pattern.so records
of programs on four ranks is, to the byte, what they sent."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from recorder_cases import EXPECTED, N, OTHERS, Matrix, fortran

SKIPPED = 77
# MPICH 4.0.2 fails with "Invalid communicator" in the second start, also without
# the library.
FAIL_IN_MPI = {'scatter_init'}
HPCC_SETTINGS = pathlib.Path(__file__).parent / 'mpi_recorder' / 'hpccinf.txt'


class Recorder:
    """Runs programs of one MPI with the library."""

    def __init__(self, build, mpi):
        self.build = build
        self.mpi = mpi
        self.library = build / 'plugin/mpi_recorder' / mpi / 'libcoolspan_pattern.so'
        self.programs = build / 'tests/mpi_recorder' / mpi
        self.mpirun = shutil.which(f'mpirun.{mpi}')

    def command(self, library, ranks):
        preload = [f'LD_PRELOAD={self.library}'] if self.mpi == 'openmpi' else ['LD_PRELOAD', str(self.library)]
        if self.mpi == 'openmpi':
            return [self.mpirun, '--oversubscribe', '--mca', 'btl', 'self,vader,tcp',
                    '--mca', 'btl_tcp_if_include', 'lo', '--mca', 'mpi_yield_when_idle', '1',
                    '-n', str(ranks), *(['-x', *preload] if library else [])]
        return [self.mpirun, '-iface', 'lo', '-n', str(ranks), *(['-genv', *preload] if library else [])]

    def run(self, folder, *command, library=True, ranks=N, timeout=120, **variables):
        """The ended process; the pattern's files are in the folder."""
        # Not an argument: mpirun of Open MPI 5 would read it, and refuses loopback devices.
        environment = dict(os.environ, OMPI_MCA_oob_tcp_if_include='lo',
                           OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                           COOLSPAN_PATTERN_MESSAGES='messages.csv', HYDRA_LAUNCHER='fork',
                           UCX_TLS='self,sm', **variables)
        return subprocess.run([*self.command(library, ranks), *map(str, command)], cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=timeout, check=False)

    def traffic(self, folder, *cases, **options):
        return self.run(folder, self.programs / 'traffic', *cases, **options)


def read_matrix(path):
    rows = [[int(number) for number in line.split(',')] for line in path.read_text().splitlines()]
    assert len({len(row) for row in rows} | {len(rows)}) == 1, f'{path.name}: not square: {rows}'
    return rows


def recorded(folder):
    matrix = Matrix()
    matrix.bytes = read_matrix(folder / 'coolspan-pattern.csv')
    matrix.messages = read_matrix(folder / 'messages.csv')
    return matrix


def check(recorder, cases):
    """What the cases send together; on a difference each one alone, to name it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = recorder.traffic(folder, *cases)
        assert done.returncode == 0 and not done.stderr, f'{cases}: {done.returncode} {done.stderr}'
        found = recorded(folder)
        left = sorted(file.name for file in folder.iterdir())
        assert left == ['coolspan-pattern.csv', 'messages.csv'], left
    expected = sum((EXPECTED[case] for case in cases), Matrix())
    if found == expected:
        return
    for case in cases if len(cases) > 1 else ():
        check(recorder, [case])
    raise AssertionError(f'{cases}:\n  recorded {found}\n  expected {expected}')


def check_traffic(recorder):
    listed = subprocess.run([recorder.programs / 'traffic', '--list'], capture_output=True, text=True,
                            check=True).stdout.split()
    endings = {'abort', 'error', 'exit', 'crash', 'fork', 'spawn'}
    unknown = set(listed) - endings - set(EXPECTED)
    assert not unknown and len(listed) >= 60, (unknown, listed)
    together = [case for case in listed if case not in endings | {'threads'} | FAIL_IN_MPI]
    check(recorder, together)
    check(recorder, ['threads'])
    return len(together) + 1


def check_without_collectives(recorder):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recorder.traffic(folder, 'send', 'alltoallv', 'cart', 'bcast', COOLSPAN_PATTERN_COLLECTIVES='no')
        assert recorded(folder) == EXPECTED['send'], recorded(folder)
        done = recorder.traffic(folder, 'send', 'bcast', COOLSPAN_PATTERN_COLLECTIVES='maybe')
        assert done.returncode == 0, done
        assert done.stderr == ('libcoolspan_pattern: warning: COOLSPAN_PATTERN_COLLECTIVES: unknown value; '
                               'collectives are counted (expected yes, 1, no or 0)\n'), done.stderr
        assert recorded(folder) == sum((EXPECTED[case] for case in ('send', 'bcast')), Matrix())
        done = recorder.traffic(folder, 'send', COOLSPAN_PATTERN_COLLECTIVES='yes')
        assert not done.stderr, done.stderr


def check_files(recorder):
    """Names, a program that changes its directory, a file that cannot be written."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = recorder.traffic(folder, 'fork', COOLSPAN_PATTERN_FILE='p%j-%s-%%.csv',
                                SLURM_JOB_ID='17', SLURM_STEP_ID='2')
        assert done.returncode == 0 and not done.stderr, done
        assert sorted(file.name for file in folder.iterdir()) == ['messages.csv', 'p17-2-%.csv']
        assert read_matrix(folder / 'p17-2-%.csv') == ring_and_allreduce().bytes
        (folder / 'messages.csv').unlink()
        done = recorder.traffic(folder, 'send', COOLSPAN_PATTERN_FILE='absent/p.csv')
        assert done.returncode == 0, done
        assert re.fullmatch(r'libcoolspan_pattern: cannot write \S*/absent/p.csv: No such file or directory\n',
                            done.stderr), done.stderr
        assert read_matrix(folder / 'messages.csv') == EXPECTED['send'].messages


def check_output_files(recorder):
    """Names that exist when the matrix is written."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # What a temporary file could be called by others in the same folder.
        traps = 'ln -s victim coolspan-pattern.csv.$$.tmp; mkfifo messages.csv.$$.tmp; umask 026'
        done = recorder.run(folder, 'sh', '-c', f'{traps}; exec {recorder.programs / "traffic"} send')
        assert done.returncode == 0 and not done.stderr, done
        assert recorded(folder) == EXPECTED['send']
        assert not (folder / 'victim').exists()
        assert len(list(folder.iterdir())) == 2 + 2 * N, os.listdir(folder)
        assert (folder / 'coolspan-pattern.csv').stat().st_mode & 0o777 == 0o640
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.mkfifo(folder / 'fifo')
        (folder / 'messages.csv').symlink_to('/dev/full')
        done = recorder.traffic(folder, 'send', COOLSPAN_PATTERN_FILE='fifo')
        assert done.returncode == 0, done
        lines = [rf'libcoolspan_pattern: cannot write \S*/{file}: not a regular file \(expected a new or regular file\)\n'
                 for file in ('fifo', 'messages.csv')]
        assert re.fullmatch(''.join(lines), done.stderr), done.stderr
        assert (folder / 'fifo').is_fifo() and (folder / 'messages.csv').is_symlink()
        assert len(list(folder.iterdir())) == 2, os.listdir(folder)


def check_other_mpi(recorder):
    """Programs of the other MPI run without the library, and say so."""
    other = Recorder(recorder.build, {'openmpi': 'mpich', 'mpich': 'openmpi'}[recorder.mpi])
    if not other.mpirun or not other.library.exists():
        return f'{other.mpi} is not installed'
    other.library = recorder.library
    said = {'openmpi': 'library for Open MPI in a program that uses MPICH or its ABI',
            'mpich': 'library for MPICH in a program that uses Open MPI'}[recorder.mpi]
    said = f'libcoolspan_pattern: nothing is recorded: {said} (expected the library for its MPI)\n'
    programs = [other.programs / 'traffic', *other.programs.glob('fortran_*')]
    programs = [program for program in programs if program.is_file()]
    for program in programs:
        with tempfile.TemporaryDirectory() as name:
            cases = ['send', 'bcast', 'split', 'put'] if program.name == 'traffic' else []
            done = other.run(name, program, *cases)
            assert done.returncode == 0 and done.stderr == said * N, (program, done)
            assert not os.listdir(name), (program, os.listdir(name))
    return f'{len(programs)} programs'


def ring_and_allreduce():
    matrix = Matrix()
    for source in range(N):
        matrix.add(source, (source + 1) % N, 40)
        for other in range(N):
            if other != source:
                matrix.add(source, other, 4)
    return matrix


def check_ends(recorder):
    """MPI_Abort and exit leave the row of the rank that called them; a killed rank leaves none, nor one
    that Open MPI ends for an error."""
    for case, rank in (('abort', 1), ('exit', 2), ('crash', None), ('error', None)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done = recorder.traffic(folder, case)
            assert done.returncode != 0, (case, done)
            assert not (folder / 'coolspan-pattern.csv').exists(), case
            for rows, file in ((ring_and_allreduce().bytes, 'coolspan-pattern.csv'),
                               (ring_and_allreduce().messages, 'messages.csv')):
                left = sorted(path.name for path in folder.iterdir() if path.name.startswith(file))
                # Whether the launcher lets the others end by themselves is its choice.
                assert rank is None or f'{file}.rank-{rank}' in left, (case, left)
                killed = case == 'crash' or (case == 'error' and recorder.mpi == 'openmpi')
                assert not killed or f'{file}.rank-1' not in left, left
                for path in left:
                    row = [int(number) for number in (folder / path).read_text().split(',')]
                    assert row == rows[int(path[-1])], (case, path, row)
            # MPICH's launcher may drop what a rank wrote just before it ended.
            if rank is not None and recorder.mpi == 'openmpi':
                assert f'libcoolspan_pattern: rank {rank} ended without MPI_Finalize' in done.stderr, done.stderr


def check_session(recorder):
    """A program without MPI_Init says that it is not recorded."""
    if 'MPI_Session_init' not in symbols(recorder.library, '--defined-only'):
        return f'{recorder.mpi} has no sessions'
    with tempfile.TemporaryDirectory() as name:
        done = recorder.traffic(name, '--session')
        assert done.returncode == 0 and 'uses MPI sessions only' in done.stderr and not os.listdir(name), done
    return None


def check_spawn(recorder):
    """What goes to started processes is reported; these write files of their own."""
    with tempfile.TemporaryDirectory() as name:
        if recorder.traffic(name, 'spawn', library=False).returncode != 0:
            return f'{recorder.mpi} cannot start processes here'
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # mpirun of Open MPI 5 gives the started processes its own environment, without -x.
        environment = {'LD_PRELOAD': str(recorder.library)} if recorder.mpi == 'openmpi' else {}
        done = recorder.traffic(folder, 'spawn', **environment)
        assert done.returncode == 0, done
        assert recorded(folder) == ring_and_allreduce(), recorded(folder)
        for size, messages in ((36 + 3 * 44, 4), (20, 1)):  # by rank 0, by the started process
            assert f'{size} bytes (messages: {messages}) to or from processes outside MPI_COMM_WORLD' in done.stderr, done
        spawned = [path for path in folder.iterdir() if '.csv.spawned-' in path.name]
        assert len(spawned) == 2 and all(read_matrix(path) == [[0]] for path in spawned), spawned
    return None


def check_fortran(recorder):
    """The three interfaces; and that every function to pass a call on to exists, with its name in
    PMPI or else in MPI."""
    programs = [program for program in sorted(recorder.programs.glob('fortran_*')) if program.is_file()]
    existing = set()
    for program in programs:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done = recorder.run(folder, program)
            assert done.returncode == 0 and not done.stderr, f'{program.name}: {done}'
            assert recorded(folder) == fortran(), f'{program.name}: {recorded(folder)}, not {fortran()}'
        for library in re.findall(r'=> (\S*libmpi\S*)', linked(program)):
            existing |= symbols(library, '--defined-only')
    absent = {name for name in symbols(recorder.library, '--undefined-only')
              if name.startswith('pmpi') and not {name, name[1:]} & existing}
    assert not programs or not absent, absent
    return len(programs)


def symbols(path, which):
    lines = subprocess.run(['nm', '-D', which, path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split('@')[0] for line in lines.splitlines()}


def linked(program):
    return subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout


def linked_mpi(program):
    return 'openmpi' if 'libmpi.so' in linked(program) else 'mpich'


def check_every_call(recorder):
    """Each function of this MPI that sends data is replaced."""
    mpi = re.search(r'=> (\S*libmpi(?:ch)?\.so\S*)', linked(recorder.library))[1]
    sends = (r'MPI_(?!T_|File|Win|Type|Comm|Reduce_local|Get_|Irecv|Imrecv|.*recv_init|Group|Info|Op_|Attr)'
             r'(\w*(send|put|accumulate|bcast|reduce|gather|gatherv|scatter|scatterv|alltoall[vw]?|scan'
             r'|fetch_and_op|compare_and_swap|start|startall|send_init|sendrecv|sendrecv_replace)\w*|R?get)(_c)?')
    sends = re.compile(sends, re.IGNORECASE)
    known = {'MPI_Grequest_start', 'MPI_Get_accumulate_c'}
    wanted = {name for name in symbols(mpi, '--defined-only') if sends.fullmatch(name)} - known
    wanted |= {'MPI_Get', 'MPI_Get_accumulate', 'MPI_Init', 'MPI_Init_thread', 'MPI_Finalize', 'MPI_Abort',
               'MPI_Request_free'}
    absent = wanted - symbols(recorder.library, '--defined-only')
    assert len(wanted) >= 70 and not absent, (len(wanted), absent)
    return len(wanted)


def monitored(folder):
    """Point-to-point messages by Open MPI's own count, without those by which the
    library gathers the rows on rank 0: two of N numbers."""
    counted = Matrix()
    for path in folder.glob('monitored.*.prof'):
        for line in path.read_text().splitlines():
            if line.startswith('E\t'):
                _, source, to, size, messages = re.split(r'[\t ]', line.replace(' bytes', ''))[:5]
                counted.add(int(source), int(to), int(size), int(messages))
    for source in range(1, N):
        counted.add(source, 0, -2 * 8 * N, -2)
    return counted


# Its default for MPI_Alltoall counts as point-to-point.
MONITORING = ('--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 '
              '--mca pml_monitoring_filename monitored '
              '--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 2').split()


def check_hpcc(recorder):
    """Point-to-point traffic of HPCC as Open MPI's monitoring counts it, to the byte; then with
    collectives, of which every pair has some."""
    hpcc = shutil.which('hpcc')
    if not hpcc or recorder.mpi != linked_mpi(hpcc):
        return f'no HPCC with {recorder.mpi}'
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(HPCC_SETTINGS, folder)
        done = recorder.run(folder, *MONITORING, hpcc, timeout=300, COOLSPAN_PATTERN_COLLECTIVES='0')
        assert done.returncode == 0, done
        found = recorded(folder)
        assert found == monitored(folder), f'recorded {found}, monitored {monitored(folder)}'
        total = sum(map(sum, found.bytes))
        assert total > 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(HPCC_SETTINGS, folder)
        done = recorder.run(folder, hpcc, timeout=300)
        assert done.returncode == 0, done
        found = recorded(folder)
        assert all(found.bytes[source][to] > 0 for source, to in OTHERS), found
    return f'{total} bytes'


def main():
    build, mpi = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    recorder = Recorder(build, mpi)
    if not recorder.mpirun:
        print(f'mpirun.{mpi} is not installed (./deploy/install-deps mpi)')
        return SKIPPED
    for step in (check_every_call, check_traffic, check_without_collectives, check_files, check_output_files,
                 check_other_mpi, check_ends, check_session, check_spawn, check_fortran, check_hpcc):
        print(step.__name__, step(recorder) or '', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
