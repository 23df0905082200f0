# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of requests: what Coolspan places, and that Slurm uses its nodes."""

import collections
import random

from cluster import Cluster, expand, expect

SCHEDULER = 'SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=2'
MEMORY = 'SelectTypeParameters=CR_Core_Memory'
THREADS = '1-32 CPUs=8 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=2000'
# Four kinds of nodes.
MIXED_NODES = [
    '1-8 CPUs=4 CoresPerSocket=4 RealMemory=1000 Feature=small',
    '9-16 CPUs=8 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=2000 Feature=threads',
    '17-24 CPUs=16 Sockets=2 CoresPerSocket=8 RealMemory=4000 Feature=big',
    '25-32 CPUs=8 Sockets=2 CoresPerSocket=4 RealMemory=2000 Gres=gpu:2,fpga:a:1 Feature=gpu,big']


def start_cluster(build, logs, nodes=32, conf=(), node_conf=(), coolspan_conf=(), **options):
    extra = []
    for name, values in (('--slurm-conf', (SCHEDULER, *conf)), ('--node-conf', node_conf),
                         ('--coolspan-conf', coolspan_conf)):
        for value in values:
            extra += [name, value]
    return Cluster(build, logs, nodes=nodes, extra=extra, **options)


def node_count_ranges_are_placed(build, length, logs):
    """-N min-max with whole nodes: as many as are free, as without the plugin."""
    counts = {}
    for plugin in ('none', 'named'):
        with Cluster(build, logs, nodes=8, plugin=plugin) as cluster:
            first = cluster.start('--nodes=2-5')
            second = cluster.start('--nodes=1-9')
            counts[plugin] = [len(expand(cluster.job(job)['NodeList']))
                              for job in (first, second)]
            if plugin == 'none':
                continue
            for job in (first, second):
                cluster.expect_enforced(job)
            cluster.wait_agreement()
    expect(counts['named'] == counts['none'] == [5, 3], f'{counts}')


# --- a queue of all forms ---------------------------------------------------------------

FORMS = {
    '-N --exclusive': lambda chance: ['--exclusive', f'-N{chance.randint(1, 6)}'],
    '-n': lambda chance: [f'-n{chance.randint(9, 30)}'],
    '-n -c': lambda chance: [f'-n{chance.randint(5, 12)}', f'-c{chance.randint(2, 3)}'],
    '--ntasks-per-node': lambda chance: [f'-N{chance.randint(2, 5)}',
                                         f'--ntasks-per-node={chance.randint(1, 4)}'],
    '--mem': lambda chance: [f'-n{chance.randint(9, 20)}',
                             f'--mem={chance.choice([200, 400, 700])}'],
    '--mem-per-cpu': lambda chance: [f'-n{chance.randint(9, 16)}',
                                     f'--mem-per-cpu={chance.choice([100, 240])}'],
    '-N min-max': lambda chance: [f'-N{chance.randint(2, 3)}-5', f'-n{chance.randint(5, 16)}'],
}


def place_queue(cluster, count, seed):
    """`count` jobs of each form, in random order; expects nearly all to be enforced. Returns
    a note."""
    chance = random.Random(seed)
    order = [form for form in FORMS for _ in range(count)]
    chance.shuffle(order)
    jobs = {cluster.submit(*FORMS[form](chance), command=f'sleep {chance.uniform(0.2, 1):.2f}'):
            form for form in order}
    cluster.wait_all_done(jobs, 300)
    cluster.wait_agreement()
    enforced, verdicts = cluster.enforced(jobs), cluster.verdicts()
    others = collections.Counter((form, *verdicts[job][:1], verdicts[job][1].get('reason'))
                                 for job, form in jobs.items() if job not in enforced)
    expect(len(enforced) >= 0.95 * len(jobs), f'{len(enforced)} of {len(jobs)}: {others}')
    fallbacks = sum(verdicts[job][0] == 'fallback' for job in jobs)
    expect(fallbacks <= 0.02 * len(jobs), f'{fallbacks} fallbacks: {others}')
    return f'{len(enforced)} of {len(jobs)} enforced, {fallbacks} fallbacks'


def all_forms_of_requests(build, length, logs):
    """Whole nodes, tasks and memory, in one queue."""
    count = {'short': 6, 'long': 20}[length]
    with start_cluster(build, logs, conf=[MEMORY]) as cluster:
        return place_queue(cluster, count, 1)


def all_forms_with_weights(build, length, logs):
    """As all_forms_of_requests, with three Weights."""
    count = {'short': 6, 'long': 20}[length]
    with start_cluster(build, logs, conf=[MEMORY]) as cluster:
        for nodes, weight in (('n[01-08]', 7), ('n[20-27]', 3)):
            cluster.slurm('scontrol', 'update', f'NodeName={nodes}', f'Weight={weight}')
        return place_queue(cluster, count, 2)


def all_forms_with_threads(build, length, logs):
    """As all_forms_of_requests, with two threads a core."""
    count = {'short': 6, 'long': 20}[length]
    with start_cluster(build, logs, conf=[MEMORY], node_conf=[THREADS]) as cluster:
        return place_queue(cluster, count, 3)


def all_forms_with_reserved_cores(build, length, logs):
    """As all_forms_of_requests; another user has reserved two cores of eight nodes, which no
    job may use. scontrol refuses CoreCnt with other plugins than select/cons_*."""
    count = {'short': 6, 'long': 20}[length]
    with start_cluster(build, logs, conf=[MEMORY], plugin='dropin') as cluster:
        cluster.slurm('scontrol', 'create', 'reservation', 'ReservationName=cores', 'Users=nobody',
                      'StartTime=now', 'Duration=600', 'Nodes=n[05-12]', 'CoreCnt=' +
                      ','.join(['2'] * 8))
        note = place_queue(cluster, count, 4)
        whole = [job for job, fields in cluster.jobs().items() if fields['OverSubscribe'] == 'NO']
        reserved = expand('n[05-12]')
        for job in whole:
            nodes = expand(cluster.jobs()[job]['NodeList'])
            expect(not nodes & reserved, f'job {job} has whole nodes with reserved cores: {nodes}')
        return note


# --- random requests --------------------------------------------------------------------

def random_request(chance):
    options = []
    nodes = chance.choice([0, 0, 1, 2, 3, 5])
    if nodes:
        most = '' if chance.random() < 0.6 else f'-{nodes + chance.randint(1, 3)}'
        options.append(f'-N{nodes}{most}')
    if chance.random() < 0.8 or not nodes:
        options.append(f'-n{chance.randint(max(nodes, 1), max(nodes, 1) * 4 + 8)}')

    def maybe(share, *choices):
        if chance.random() < share:
            options.append(chance.choice(choices))
    maybe(0.25, '-c1', '-c2', '-c3')
    maybe(0.3, '--mem=200', '--mem=500', '--mem=900', '--mem-per-cpu=50', '--mem-per-cpu=100',
          '--mem-per-cpu=200')
    maybe(0.2, '--exclusive')
    maybe(0.2, '-Csmall', '-Cthreads', '-Cbig', '-Cthreads|big', '-Csmall|threads')
    maybe(0.15, '--gres=gpu:1', '--gres=gpu:2', '--gres=fpga:1', '--gres=gpu:1,fpga:a:1')
    maybe(0.1, '--ntasks-per-node=1', '--ntasks-per-node=3')
    maybe(0.1, '--hint=nomultithread', '--threads-per-core=1', '--mincpus=2',
          '--ntasks-per-socket=2', '--ntasks-per-core=1')
    maybe(0.05, '-xn[01-04]', '-wn20', '-wn10')
    return options


def submit_random(cluster, count, seed):
    """Requests that Slurm accepts: {job id: options}."""
    chance = random.Random(seed)
    jobs = {}
    while len(jobs) < count:
        options = random_request(chance)
        command = f'sleep {chance.uniform(0.2, 2):.2f}'
        done = cluster.slurm('sbatch', '--parsable', '--output=/dev/null', *options,
                             f'--wrap={command}', check=False)
        if done.returncode == 0:
            jobs[int(done.stdout)] = options
    cluster.wait_all_done(jobs, 500)
    cluster.wait_agreement()
    return jobs


def mixed_cluster(build, logs, mode):
    return start_cluster(build, logs, mode=mode, conf=[MEMORY, 'GresTypes=gpu,fpga'],
                         node_conf=MIXED_NODES)


def random_requests(build, length, logs):
    """On four kinds of nodes: each job starts where the daemon chose, or has a reason why it
    was left to Slurm."""
    count = {'short': 60, 'long': 500}[length]
    with mixed_cluster(build, logs, 'enforce') as cluster:
        jobs = submit_random(cluster, count, 5)
        enforced, verdicts = cluster.enforced(jobs), cluster.verdicts()
        fallbacks = {job: (verdicts[job], options) for job, options in jobs.items()
                     if verdicts[job][0] == 'fallback'}
        share = {'short': 0.05, 'long': 0.02}[length]
        expect(len(fallbacks) <= share * count, f'{fallbacks}')
        expect(len(enforced) >= 0.75 * count, f'{len(enforced)} of {count} enforced')
        for job in jobs:
            expect(verdicts[job][0] == 'enforced' or verdicts[job][1].get('reason'),
                   f'job {job}: {verdicts[job]}')
        reasons = collections.Counter(verdict[1]['reason'] for verdict, _ in fallbacks.values())
        return f'{len(enforced)} of {count} enforced, {len(fallbacks)} fallbacks {dict(reasons)}'


def random_requests_take_no_more_nodes(build, length, logs):
    """The choices of the daemon and of Slurm, for the same jobs on the same free nodes."""
    count = {'short': 60, 'long': 500}[length]
    with mixed_cluster(build, logs, 'advise') as cluster:
        jobs = submit_random(cluster, count, 6)
        advised, slurm, more = [], [], {}
        for job, options in jobs.items():
            verdict, fields = cluster.verdicts()[job]
            if verdict != 'advised':
                expect(verdict == 'left', f'job {job} is {verdict}: {fields}')
                continue
            advised.append(len(expand(fields['nodes'])))
            slurm.append(len(expand(fields['slurm'])))
            if advised[-1] > slurm[-1]:
                more[job] = (options, advised[-1], slurm[-1])
        expect(not more, f'more nodes than Slurm: {more}')
        expect(len(advised) >= 0.75 * count, f'only {len(advised)} of {count} compared')
        return f'{len(advised)} jobs: {sum(advised)} nodes, {sum(slurm)} by Slurm'


def tasks_take_no_more_nodes(build, length, logs):
    """Jobs by tasks that fit on few of the empty nodes, large and small ones."""
    nodes = ['1-4 CPUs=4 CoresPerSocket=4 RealMemory=4000',
             '5-8 CPUs=8 CoresPerSocket=8 RealMemory=8000',
             '9-10 CPUs=16 CoresPerSocket=16 RealMemory=16000']
    with start_cluster(build, logs, nodes=10, conf=[MEMORY], node_conf=nodes,
                       mode='advise') as cluster:
        counts = {}
        for options in (['-n5'], ['-n7'], ['-n8', '--exclusive'], ['-n4', '-c2'], ['-n10'],
                        ['-n16'], ['-n16', '--exclusive'], ['-n2', '-c8'], ['-n40'],
                        ['-n8', '--mem-per-cpu=500']):
            job = cluster.submit(*options, command='true')
            cluster.wait_all_done([job], 60)
            cluster.wait_agreement()
            fields = cluster.verdicts()[job][1]
            counts[' '.join(options)] = [len(expand(fields[key])) for key in ('nodes', 'slurm')]
        expect(all(ours <= slurm for ours, slurm in counts.values()), f'{counts}')
        return f'{counts}'


def sockets_are_counted_as_by_slurm(build, length, logs):
    """CR_Socket: sockets with a specialized core, before and after jobs run on them."""
    nodes = ['1-6 CPUs=4 Sockets=2 CoresPerSocket=2 RealMemory=1500',
             '7-8 CPUs=8 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=1500 '
             'CoreSpecCount=1 MemSpecLimit=200']
    with start_cluster(build, logs, nodes=8, mode='advise', node_conf=nodes,
                       conf=['SelectTypeParameters=CR_Socket_Memory']) as cluster:
        counts = {}
        for holder in (None, '-wn8', '-wn7'):
            if holder:
                held = cluster.submit(holder, '-N1', '-n2', '--mem=100', command='sleep 600')
                cluster.wait_state(held, 'RUNNING')
            job = cluster.submit('-N2-8', '--mem-per-cpu=200', command='true')
            cluster.wait_all_done([job], 60)
            cluster.wait_agreement()
            verdict, fields = cluster.verdicts()[job]
            expect(verdict == 'advised', f'{holder}: {verdict} {fields}')
            counts[holder] = [len(expand(fields[key])) for key in ('nodes', 'slurm')]
        expect(all(ours == slurm for ours, slurm in counts.values()), f'{counts}')
        return f'{counts}'


def gres_is_placed(build, length, logs):
    """Jobs with GRES per node get nodes that have them free; others are left to Slurm."""
    with start_cluster(build, logs, nodes=8, conf=['GresTypes=gpu'],
                       node_conf=['5-8 CPUs=4 CoresPerSocket=4 RealMemory=1000 Gres=gpu:2'],
                       coolspan_conf=['LeaveSubNodeJobs=no']) as cluster:
        def start(*options):
            job = cluster.submit(*options, command='sleep 600')
            cluster.wait_state(job, 'RUNNING')
            return job, expand(cluster.job(job)['NodeList'])
        whole, nodes = start('--exclusive', '-N2', '--gres=gpu:2')
        expect(nodes <= expand('n[5-8]'), f'{nodes}')
        shared, first = start('-N2', '-n2', '--gres=gpu:1')
        other, second = start('-N1', '-n1', '--gres=gpu:1')
        expect(first == expand('n[5-8]') - nodes and second <= first, f'{first}, {second}')
        for job in (whole, shared, other):
            cluster.expect_enforced(job)
        left, _ = start('--gpus=1', '-n1')
        expect(cluster.verdicts()[left][0] == 'left' and
               'GRES' in cluster.verdicts()[left][1]['reason'], f'{cluster.verdicts()[left]}')
        cluster.wait_agreement()


def parts_of_nodes_are_left(build, length, logs):
    """By default, jobs that fit on a part of one node are left to Slurm, which packs them."""
    with Cluster(build, logs, nodes=4) as cluster:
        part = cluster.submit('-n3', command='sleep 600')
        full = cluster.submit('-n4', command='sleep 600')
        for job in (part, full):
            cluster.wait_state(job, 'RUNNING')
        cluster.expect_enforced(full)
        expect(cluster.verdicts()[part][0] == 'left' and
               'LeaveSubNodeJobs' in cluster.verdicts()[part][1]['reason'],
               f'{cluster.verdicts()[part]}')


TESTS = [random_requests, tasks_take_no_more_nodes, all_forms_of_requests,
         all_forms_with_weights, gres_is_placed, sockets_are_counted_as_by_slurm,
         parts_of_nodes_are_left, node_count_ranges_are_placed]
LONG_TESTS = [random_requests_take_no_more_nodes, all_forms_with_threads,
              all_forms_with_reserved_cores]
