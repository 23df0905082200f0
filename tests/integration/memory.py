# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of slurmctld with the plugin."""

import re
import shutil

from cluster import Cluster, Skip, expect, wait_until

OURS = ('select_coolspan.so', 'libcoolspan_client.so')

LIBRARIES = r'/(select_|libcoolspan|libgrpc|libabsl|libprotobuf|libssl|libcrypto)'


def reports(text):
    """Valgrind's reports: blocks of lines between empty lines, without the process number."""
    lines = [re.sub(r'^==\d+==( |$)', '', line) for line in text.splitlines()
             if line.startswith('==')]
    return [block.splitlines() for block in re.split(r'\n\s*\n', '\n'.join(lines)) if block]


def of_our_code(text):
    """Errors and leaks in our code: it is nearest to them, of the select plugins and of the
    libraries of the client (gRPC keeps some memory until the process ends). Memory "possibly
    lost" is left out: Slurm's xmalloc returns pointers into a block, so memory in use counts
    as possibly lost."""
    found = []
    for block in reports(text):
        leak = 'are definitely lost' in block[0]
        error = re.match(r'(Invalid|Conditional jump|Use of uninit|Syscall param|Mismatched|'
                         r'Source and destination)', block[0])
        frames = [line for line in block if re.search(LIBRARIES, line)]
        if (leak or error) and frames and any(name in frames[0] for name in OURS):
            found.append('\n'.join(block))
    return found


def valgrind_finds_nothing_of_ours(build, length, logs):
    """slurmctld in valgrind: jobs start and end, settings are read again, coolspand restarts."""
    if not shutil.which('valgrind'):
        raise Skip('valgrind is not installed')
    count = {'short': 30, 'long': 1000}[length]
    log = logs.parent / 'valgrind.log'
    log.parent.mkdir(parents=True, exist_ok=True)
    wrapper = ('valgrind --leak-check=full --keep-debuginfo=yes --num-callers=30 '
               f'--log-file={log}')
    extra = ['--run-slurmctld-in', wrapper, '--timeout', '180', '--slurm-conf',
             'MessageTimeout=100', '--coolspan-conf', 'LeaveSubNodeJobs=no']
    with Cluster(build, logs, nodes=16, extra=extra) as cluster:
        done = restarts = 0
        while done < count:
            jobs = [cluster.submit(*(('--exclusive', f'-N{1 + n % 3}') if n % 2 else
                                     (f'-n{1 + n % 9}',)), command='true')
                    for n in range(min(10, count - done))]
            cluster.wait_all_done(jobs, 300)
            done += len(jobs)
            # From 23.11 on that executes slurmctld anew, without valgrind.
            if done % 100 == 10 and not cluster.restarts_at_reconfigure:
                cluster.slurm('scontrol', 'reconfigure')
            if done % 500 == 20:
                cluster.mini('restart', 'coolspand')
                restarts += 1
            cluster.wait_agreement()
        cluster.signal('slurmctld', 'TERM')
        wait_until(lambda: 'ERROR SUMMARY' in log.read_text(errors='replace'), 180,
                   'slurmctld ends')
        enforced = sum(verdict == 'enforced' for verdict, _ in cluster.verdicts().values())
        # The next ten may all start before slurmctld has noticed that coolspand is back.
        expect(enforced >= count - 10 * restarts, f'{enforced} of {count} enforced')
    found = of_our_code(log.read_text(errors='replace'))
    expect(not found, '\n\n'.join(found[:5]))
    return f'{enforced} of {count} enforced'


def rss_mb(cluster, name):
    pid = (cluster.dir / 'run' / f'{name}.pid').read_text().split()[0]
    status = open(f'/proc/{pid}/status', encoding='utf-8').read()
    return int(re.search(r'VmRSS:\s*(\d+)', status)[1]) / 1024


def memory_of_starts(build, logs, plugin, rounds, tasks):
    """MiB of slurmctld and of coolspand (0 without) after each round of starts."""
    extra = ['--cloud', '--slurm-conf', 'MinJobAge=2', '--slurm-conf', 'JobCompType=jobcomp/none',
             '--slurm-conf', 'SlurmctldDebug=info',
             '--slurm-conf', 'SchedulerParameters=batch_sched_delay=0,sched_interval=1,'
                             'default_queue_depth=2000,max_sched_time=20']
    with Cluster(build, logs, nodes=tasks, plugin=plugin, extra=extra) as cluster:
        memory = []
        for number in range(rounds):
            job = cluster.submit('--exclusive', '-N1', f'--array=1-{tasks}')
            wait_until(lambda: len(cluster.slurm('squeue', '-h', '-r', '-t', 'CONFIGURING,RUNNING',
                                                 '-o', '%i').stdout.split()) == tasks,
                       120, f'all tasks of array {number} start')
            cluster.slurm('scancel', job)
            wait_until(lambda: not cluster.slurm('squeue', '-h').stdout, 60, 'all tasks end')
            memory.append((rss_mb(cluster, 'slurmctld'),
                           rss_mb(cluster, 'coolspand') if plugin != 'none' else 0))
        enforced = cluster.log().count(' enforced nodes=')
        expect(plugin == 'none' or enforced >= 0.99 * rounds * tasks,
               f'{enforced} of {rounds * tasks} enforced')
        return memory


def starts_take_no_more_memory_than_stock(build, length, logs):
    """slurmctld's memory grows with 100,000 starts, which it forgets once a minute: with
    Coolspan not more than without."""
    rounds, tasks = 100, 1000
    stock = memory_of_starts(build, logs, 'none', rounds, tasks)
    ours = memory_of_starts(build, logs, 'named', rounds, tasks)
    grown = ours[-1][0] - ours[0][0]
    expect(grown < 1.1 * (stock[-1][0] - stock[0][0]) + 8, f'{ours} MiB, without Coolspan {stock}')
    # coolspand keeps decisions for explain until retention_days.
    return (f'slurmctld {ours[0][0]:.0f} to {ours[-1][0]:.0f} MiB, without Coolspan '
            f'{stock[0][0]:.0f} to {stock[-1][0]:.0f}; coolspand {ours[0][1]:.0f} to '
            f'{ours[-1][1]:.0f}')


TESTS = [valgrind_finds_nothing_of_ours]
LONG_TESTS = [starts_take_no_more_memory_than_stock]
