# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes of the plugin, and files it must refuse."""

import json

from cluster import Cluster, LedgerWatch, expand, expect, run, wait_until

# Sizes of jobs started one after the other; the oldest ends where 0 stands.
SEQUENCE = [3, 2, 4, 1, 0, 2, 5, 0, 0, 3, 1, 4, 0, 0, 2, 0, 6]


def nodes_of_sequence(cluster):
    """Starts and ends jobs in a fixed order; returns [(job, its nodes)]."""
    placed, running = [], []
    for size in SEQUENCE:
        if size == 0:
            job = running.pop(0)
            cluster.slurm('scancel', job)
            wait_until(lambda job=job: job not in cluster.not_ended(), 60, f'job {job} is gone')
            continue
        job = cluster.submit('--exclusive', f'--nodes={size}', command='sleep 600')
        cluster.wait_state(job, 'RUNNING')
        running.append(job)
        placed.append((job, cluster.job(job)['NodeList']))
    return placed


def stock_nodes(build, logs):
    with Cluster(build, logs, plugin='none') as cluster:
        return [nodes for _, nodes in nodes_of_sequence(cluster)]


def advise_leaves_slurms_choices_alone(build, length, logs):
    """The same jobs get the nodes that stock Slurm gives; both are logged."""
    stock = stock_nodes(build, logs)
    with Cluster(build, logs, mode='advise') as cluster:
        placed = nodes_of_sequence(cluster)
        expect([nodes for _, nodes in placed] == stock,
               f'{[nodes for _, nodes in placed]} instead of {stock}')
        verdicts, different = cluster.verdicts(), 0
        for job, nodes in placed:
            verdict, fields = verdicts.get(job, ('nothing', {}))
            expect(verdict == 'advised', f'job {job} is {verdict}: {fields}')
            expect(expand(fields['slurm']) == expand(nodes), f'job {job}: {fields}, {nodes}')
            different += expand(fields['nodes']) != expand(nodes)
            decision = cluster.decisions(job)
            expect(any(expand(d['nodes']) == expand(fields['nodes']) for d in decision),
                   f'job {job}: {fields} but {decision}')
        expect(different > 0, 'the advice never differed, so this shows nothing')
        cluster.wait_agreement()
        return f'{len(placed)} jobs, other nodes advised for {different}'


def off_asks_nothing(build, length, logs):
    """Stock Slurm's nodes, no connection, no line about any job."""
    stock = stock_nodes(build, logs)
    with Cluster(build, logs, mode='off') as cluster:
        nodes = [nodes for _, nodes in nodes_of_sequence(cluster)]
        expect(nodes == stock, f'{nodes} instead of {stock}')
        expect(not cluster.verdicts(), f'{cluster.verdicts()}')
        status = json.loads(cluster.coolspan('status').stdout)
        expect(not status['clusters'], f'coolspand was told of {status["clusters"]}')
    return None


def mode_changes_by_reconfigure(build, length, logs):
    """advise to enforce to off and back with scontrol reconfigure, jobs running."""
    with Cluster(build, logs, mode='advise') as cluster:
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        with LedgerWatch(cluster, 4) as watch:
            for mode, verdict in (('advise', 'advised'), ('enforce', 'enforced'),
                                  ('off', None), ('enforce', 'enforced')):
                lines = [line for line in conf.read_text().splitlines()
                         if not line.startswith('Mode=')]
                conf.write_text('\n'.join(lines + [f'Mode={mode}', '']))
                cluster.slurm('scontrol', 'reconfigure')
                job = cluster.submit('--exclusive', '--nodes=2', command='sleep 600')
                cluster.wait_state(job, 'RUNNING')
                seen = cluster.verdicts().get(job, (None,))[0]
                expect(seen == verdict, f'mode {mode}: job {job} is {seen}')
            cluster.wait_agreement()
        watch.expect_sound()
    return None


BAD_LINES = [
    # third line of coolspan.conf, words that its refusal must have
    ('Bogus=1', ['Bogus']),
    ('Mode=perhaps', ['Mode', 'perhaps', 'enforce']),
    ('DeadlineMs=soon', ['DeadlineMs', 'soon']),
    ('DeadlineMs=0', ['DeadlineMs']),
    ('BreakerSeconds=-1', ['BreakerSeconds']),
    ('no equals sign', ['no equals sign']),
    ('LeaveGresJobs=maybe', ['LeaveGresJobs', 'maybe']),
    ('NodePower=maybe', ['NodePower', 'maybe', 'auto']),
    ('Endpoints=unix:///another', ['Endpoints', 'twice']),
    ('Underlying=select/other', ['Underlying']),
]


# as daemon/client/endpoints.cc refuses them
BAD_ENDPOINTS = [
    '/run/coolspand.sock', 'unix://run/coolspand.sock', 'unix:///', 'unix:///' + 'x' * 107,
    'unix:///a,,unix:///b', 'unix:///a,', 'unix:///a,unix:///b,unix:///a',
    'ipv4:ctl', 'ipv4::7070', 'ipv4:ctl:http', 'ipv4:ctl:65536', 'ipv4:10.0.0:7070',
    'ipv4:c_t:7070',
]


def bad_files_are_refused_in_words(build, length, logs):
    """Each wrong line of coolspan.conf keeps slurmctld from starting."""
    with Cluster(build, logs, nodes=1) as cluster:
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        good = f'# a comment\nEndpoints={cluster.endpoint}\n'
        files = [(f'{good}{line}\n', words) for line, words in BAD_LINES]
        files += [(f'#\n#\nEndpoints={endpoints}\n', ['Endpoints', endpoints, 'unix:///PATH'])
                  for endpoints in BAD_ENDPOINTS]
        for text, words in files:
            conf.write_text(text)
            before = len(cluster.log())
            restarted = cluster.mini('restart', 'slurmctld', check=False)
            expect(restarted.returncode != 0, f'slurmctld started with {text!r}')
            fatal = [entry for entry in cluster.log()[before:].splitlines() if 'fatal:' in entry]
            expect(len(fatal) == 1, f'{text!r}: {fatal}')
            for word in ['coolspan.conf:3', *words]:
                expect(word in fatal[0], f'{text!r}: no {word!r} in {fatal}')
        conf.write_text('Mode=enforce\n')
        expect(cluster.mini('restart', 'slurmctld', check=False).returncode != 0,
               'slurmctld started without Endpoints')
        conf.write_text(good)
        cluster.mini('restart', 'slurmctld')
    return f'{len(files) + 1} files'


def bad_reconfigure_keeps_the_old_settings(build, length, logs):
    """A file that became wrong is reported and changes nothing."""
    with Cluster(build, logs, nodes=4) as cluster:
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        conf.write_text(conf.read_text() + 'Bogus=1\n')
        cluster.slurm('scontrol', 'reconfigure')
        expect('Bogus' in cluster.log(), 'the log does not mention the wrong key')
        job = cluster.submit('--exclusive', '--nodes=2')
        cluster.wait_all_done([job], 60)
        expect(cluster.verdicts()[job][0] == 'enforced', f'{cluster.verdicts()[job]}')
    return None


def command_line_on_a_running_cluster(build, length, logs):
    """status, jobs, explain, map-view; exit 3 when the daemon is away."""
    with Cluster(build, logs, nodes=4) as cluster:
        job = cluster.submit('--exclusive', '--nodes=2', command='sleep 600')
        cluster.wait_state(job, 'RUNNING')
        cluster.wait_agreement()
        status = json.loads(cluster.coolspan('status').stdout)
        expect([c['name'] for c in status['clusters']] == ['mini'], f'{status}')
        expect(status['clusters'][0]['nodes_free'] == 2, f'{status}')
        decision = cluster.decisions(job)[0]
        expect(decision['outcome'] == 'committed', f'{decision}')
        expect(decision['why'], f'{decision}')
        binary = cluster.build / 'bin' / 'coolspan'
        for words in (['status'], ['jobs'], ['map-view'], ['explain', job]):
            shown = run(binary, *words, '--endpoint', cluster.endpoint)
            expect(shown.stdout.strip(), f'{words} printed nothing')
        cluster.signal('coolspand', 'KILL')
        for words in (['status'], ['jobs'], ['map-view'], ['explain', job]):
            code = run(binary, *words, '--endpoint', cluster.endpoint, check=False).returncode
            expect(code == 3, f'{words} with no daemon: exit {code}')
    return None


TESTS = [advise_leaves_slurms_choices_alone, off_asks_nothing, mode_changes_by_reconfigure,
         bad_files_are_refused_in_words, bad_reconfigure_keeps_the_old_settings,
         command_line_on_a_running_cluster]
