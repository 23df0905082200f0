# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes of the plugin, invalid coolspan.conf files, the command line."""

import json
import os
import pathlib
import re
import shutil
import tempfile

from cluster import Cluster, LedgerWatch, expand, expect, run, wait_until

# Sizes of jobs to start, one after the other; 0 ends the oldest job.
SEQUENCE = [3, 2, 4, 1, 0, 2, 5, 0, 0, 3, 1, 4, 0, 0, 2, 0, 6]


def nodes_of_sequence(cluster):
    """Starts and ends jobs as in SEQUENCE; returns [(job, nodes)]."""
    placed, running = [], []
    for size in SEQUENCE:
        if size == 0:
            job = running.pop(0)
            cluster.slurm('scancel', job)
            wait_until(lambda job=job: job not in cluster.not_ended(), 60, f'job {job} has ended')
            continue
        job = cluster.start(f'--nodes={size}')
        running.append(job)
        placed.append((job, cluster.job(job)['NodeList']))
    return placed


def stock_nodes(build, logs):
    with Cluster(build, logs, plugin='none') as cluster:
        return [nodes for _, nodes in nodes_of_sequence(cluster)]


def advise_does_not_change_allocations(build, length, logs):
    """mode=advise: jobs get the same nodes as without the plugin; both are logged."""
    stock = stock_nodes(build, logs)
    with Cluster(build, logs, mode='advise') as cluster:
        placed = nodes_of_sequence(cluster)
        expect([nodes for _, nodes in placed] == stock,
               f'{[nodes for _, nodes in placed]} (expected {stock})')
        verdicts, different = cluster.verdicts(), 0
        for job, nodes in placed:
            verdict, fields = verdicts.get(job, ('nothing', {}))
            expect(verdict == 'advised', f'job {job} is {verdict}: {fields}')
            expect(expand(fields['slurm']) == expand(nodes), f'job {job}: {fields}, {nodes}')
            different += expand(fields['nodes']) != expand(nodes)
            decision = cluster.decisions(job)
            expect(any(expand(d['nodes']) == expand(fields['nodes']) for d in decision),
                   f'job {job}: {fields} but {decision}')
        expect(different > 0, 'no decision differed from the choice of Slurm')
        cluster.wait_agreement()
        return f'{len(placed)} jobs, {different} decisions differ'


def off_requests_no_decisions(build, length, logs):
    """mode=off: same nodes as without the plugin, no connection, no log lines."""
    stock = stock_nodes(build, logs)
    with Cluster(build, logs, mode='off') as cluster:
        nodes = [nodes for _, nodes in nodes_of_sequence(cluster)]
        expect(nodes == stock, f'{nodes} (expected {stock})')
        expect(not cluster.verdicts(), f'{cluster.verdicts()}')
        status = json.loads(cluster.coolspan('status').stdout)
        expect(not status['clusters'], f'coolspand has clusters: {status["clusters"]}')
    return None


def reconfigure_changes_the_mode(build, length, logs):
    """Mode= is changed with scontrol reconfigure while jobs are running."""
    with Cluster(build, logs, mode='advise') as cluster:
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        with LedgerWatch(cluster, 4) as watch:
            for mode, verdict in (('advise', 'advised'), ('enforce', 'enforced'),
                                  ('off', None), ('enforce', 'enforced')):
                lines = [line for line in conf.read_text().splitlines()
                         if not line.startswith('Mode=')]
                conf.write_text('\n'.join(lines + [f'Mode={mode}', '']))
                cluster.slurm('scontrol', 'reconfigure')
                job = cluster.start('--nodes=2')
                seen = cluster.verdicts().get(job, (None,))[0]
                expect(seen == verdict, f'mode {mode}: job {job} is {seen}')
                logged = re.findall(r'coolspan: mode=(\w+)', cluster.log())
                expect(logged[-1] == mode, f'mode {mode}: logged are {logged}')
                if mode != 'off':
                    cluster.wait_agreement()
                    shown = json.loads(cluster.coolspan('mode').stdout)['clusters'][0]
                    expect(shown['client_mode'] == mode, f'{shown}')
            cluster.wait_agreement()
        # At the start, and at each change or each start by reconfigure.
        expect(len(logged) == (5 if cluster.restarts_at_reconfigure else 4),
               f'modes in the log: {logged}')
        watch.expect_sound()
    return None


def coolspan_mode_applies_to_the_next_decision(build, length, logs):
    """coolspan mode, without a restart of anything; a rule for one partition."""
    rules = ['rules:', '  - {partition: debug, mode: advise}']
    with Cluster(build, logs, mode='advise',
                 extra=['--slurm-conf', 'PartitionName=debug Nodes=ALL MaxTime=INFINITE State=UP',
                        *(part for rule in rules for part in ('--daemon-conf', rule))]) as cluster:
        with LedgerWatch(cluster, 4) as watch:
            verdicts = {'enforce': 'enforced', 'advise': 'advised', 'off': 'left'}
            before = 'default'
            for mode in ('enforce', 'off', 'advise', 'enforce', 'off', 'enforce'):
                told = json.loads(cluster.coolspan('mode', mode).stdout)
                expect(told == {'cluster': 'mini', 'mode': mode, 'previous': before}, f'{told}')
                before = mode
                for options, expected in (((), verdicts[mode]),
                                          (('--partition=debug',),
                                           'left' if mode == 'off' else 'advised')):
                    job = cluster.start('--nodes=1', *options)
                    seen = cluster.verdicts().get(job, (None,))[0]
                    expect(seen == expected, f'mode {mode}: job {job} is {seen}')
            cluster.signal('coolspand', 'KILL')
            cluster.start_coolspand()
            wait_until(lambda: cluster.ledger() is not None, 60, 'coolspand is back')
            cluster.wait_agreement()
            status = json.loads(cluster.coolspan('status').stdout)
            expect(status['clusters'][0]['mode'] == 'enforce', f'{status}')
            cluster.coolspan('mode', 'default')
            job = cluster.start('--nodes=1')
            expect(cluster.verdicts()[job][0] == 'advised', f'{cluster.verdicts()[job]}')
        watch.expect_sound()


INVALID_LINES = [
    # third line of coolspan.conf, texts in the error message
    ('Bogus=1', ['Bogus']),
    ('Mode=perhaps', ['Mode', 'perhaps', 'enforce']),
    ('DeadlineMs=soon', ['DeadlineMs', 'soon']),
    ('DeadlineMs=0', ['DeadlineMs']),
    ('BreakerSeconds=-1', ['BreakerSeconds']),
    ('no equals sign', ['no equals sign']),
    ('LeaveGresJobs=maybe', ['LeaveGresJobs', 'maybe']),
    ('NodePower=maybe', ['NodePower', 'maybe', 'auto']),
    ('Endpoints=unix:///another', ['Endpoints', 'more than once']),
    ('Underlying=select/other', ['Underlying']),
]


# Values that daemon/client/endpoints.cc refuses too.
INVALID_ENDPOINTS = [
    '/run/coolspand.sock', 'unix://run/coolspand.sock', 'unix:///', 'unix:///' + 'x' * 107,
    'unix:///a,,unix:///b', 'unix:///a,', 'unix:///a,unix:///b,unix:///a',
    'ipv4:ctl', 'ipv4::7070', 'ipv4:ctl:http', 'ipv4:ctl:65536', 'ipv4:10.0.0:7070',
    'ipv4:c_t:7070',
]


def expect_slurm_alone(cluster, parts):
    """Jobs run without coolspand, and one error in the log says why."""
    errors = [entry for entry in cluster.log().splitlines() if 'error: coolspan:' in entry]
    expect(len(errors) == 1, f'{errors}')
    for part in [*parts, 'placed by Slurm alone']:
        expect(part in errors[0], f'no {part!r} in {errors}')
    expect('mode=' not in cluster.log(), 'the log names a mode')
    job = cluster.start('--nodes=2')
    cluster.slurm('scancel', job)
    expect(not cluster.verdicts(), f'{cluster.verdicts()}')


def jobs_run_with_an_invalid_conf(build, length, logs):
    """slurmctld starts with an invalid coolspan.conf, without Coolspan, until the file is
    corrected."""
    with Cluster(build, logs, nodes=2) as cluster:
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        good = f'# a comment\nEndpoints={cluster.endpoint}\n'
        files = [(f'{good}{line}\n', expected) for line, expected in INVALID_LINES]
        files += [(f'#\n#\nEndpoints={endpoints}\n', ['Endpoints', endpoints, 'unix:///PATH'])
                  for endpoints in INVALID_ENDPOINTS]
        for text, expected in files:
            conf.write_text(text)
            before = len(cluster.log())
            cluster.mini('restart', 'slurmctld')
            errors = [entry for entry in cluster.log()[before:].splitlines()
                      if 'error: coolspan:' in entry]
            expect(len(errors) == 1, f'{text!r}: {errors}')
            for part in ['coolspan.conf:3', *expected, 'placed by Slurm alone']:
                expect(part in errors[0], f'{text!r}: no {part!r} in {errors}')
        for text in ('Mode=enforce\n', None):
            conf.unlink()
            if text:
                conf.write_text(text)
            (cluster.dir / 'log' / 'slurmctld.log').write_text('')
            cluster.mini('restart', 'slurmctld')
            expect_slurm_alone(cluster, ['coolspan.conf', 'Endpoints'])
        # The default of 20 ms is sometimes missed on a busy host.
        conf.write_text(f'{good}DeadlineMs=1000\n')
        cluster.slurm('scontrol', 'reconfigure')
        cluster.expect_enforced(cluster.start('--nodes=2'))
    return f'{len(files) + 2} files'


def an_invalid_conf_keeps_the_underlying_plugin(build, length, logs):
    """Jobs of select/linear survive a restart with an invalid coolspan.conf."""
    with Cluster(build, logs, nodes=2, extra=['--underlying', 'linear']) as cluster:
        job = cluster.start('--nodes=1')
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        valid = conf.read_text()
        conf.write_text('Bogus=1\n' + valid)
        cluster.mini('restart', 'slurmctld')
        expect('Bogus' in cluster.log(), 'the error is not in the log')
        expect(cluster.state(job) == 'RUNNING', f'job {job} is {cluster.state(job)}')
        conf.write_text(valid)
        cluster.slurm('scontrol', 'reconfigure')
        expect('requires a restart' not in cluster.log(), 'another underlying plugin was loaded')
        cluster.expect_enforced(cluster.start('--nodes=1'))
        cluster.wait_agreement()


def jobs_run_with_a_plugin_of_another_point_release(build, length, logs):
    """A plugin built for another point release forwards all calls and logs an error."""
    for plugin in ('dropin', 'named'):
        with Cluster(build, logs, nodes=2, plugin=plugin,
                     extra=['--plugin-dir', build / 'tests' / 'slurm' / 'other_point_release',
                            *(['--underlying', 'linear'] if plugin == 'named' else [])]) as cluster:
            expect_slurm_alone(cluster, ['built for Slurm', '.99', 'but this is'])
            status = json.loads(cluster.coolspan('status').stdout)
            expect(not status['clusters'], f'coolspand has clusters: {status["clusters"]}')


def jobs_run_without_the_client_library(build, length, logs):
    """libcoolspan_client.so is missing beside the plugin."""
    for plugin in ('dropin', 'named'):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            (pathlib.Path(folder) / plugin).mkdir()
            file = 'select_cons_tres.so' if plugin == 'dropin' else 'select_coolspan.so'
            shutil.copy(build / 'plugin' / plugin / file, pathlib.Path(folder) / plugin)
            with Cluster(build, logs, nodes=2, plugin=plugin,
                         extra=['--plugin-dir', folder]) as cluster:
                expect_slurm_alone(cluster, ['libcoolspan_client.so'])


def invalid_reconfigure_keeps_the_old_settings(build, length, logs):
    """An invalid coolspan.conf at scontrol reconfigure is logged and not applied. From 23.11
    on that starts slurmctld anew, and jobs are placed by Slurm alone."""
    with Cluster(build, logs, nodes=4) as cluster:
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        valid = conf.read_text()
        conf.write_text(valid + 'Bogus=1\n')
        cluster.slurm('scontrol', 'reconfigure')
        wait_until(lambda: 'Bogus' in cluster.log(), 60, 'the error is in the log')
        job = cluster.submit('--exclusive', '--nodes=2')
        cluster.wait_all_done([job], 60)
        if cluster.restarts_at_reconfigure:
            expect(job not in cluster.verdicts(), f'{cluster.verdicts()}')
        else:
            cluster.expect_enforced(job)
            # Valid, but the client cannot use it.
            before = len(cluster.log())
            conf.write_text(valid + ''.join(f'Tls{key}=/none.pem\n' for key in ('Cert', 'Key', 'Ca')))
            cluster.slurm('scontrol', 'reconfigure')
            wait_until(lambda: '/none.pem: No such file' in cluster.log()[before:], 60, 'the error is in the log')
            expect('the old settings stay in effect' in cluster.log()[before:], cluster.log()[before:])
            job = cluster.submit('--exclusive', '--nodes=2')
            cluster.wait_all_done([job], 60)
            cluster.expect_enforced(job)
    return None


def command_line_on_a_running_cluster(build, length, logs):
    """status, jobs, explain, map-view; exit code 3 without coolspand."""
    with Cluster(build, logs, nodes=4) as cluster:
        job = cluster.start('--nodes=2')
        cluster.wait_agreement()
        status = json.loads(cluster.coolspan('status').stdout)
        expect([c['name'] for c in status['clusters']] == ['mini'], f'{status}')
        expect(status['clusters'][0]['nodes_free'] == 2, f'{status}')
        decision = cluster.decisions(job)[0]
        expect(decision['outcome'] == 'committed', f'{decision}')
        expect(decision['why'], f'{decision}')
        binary = cluster.build / 'bin' / 'coolspan'
        for command in (['status'], ['jobs'], ['map-view'], ['explain', job]):
            shown = run(binary, *command, '--endpoint', cluster.endpoint)
            expect(shown.stdout.strip(), f'{command}: empty output')
        cluster.signal('coolspand', 'KILL')
        for command in (['status'], ['jobs'], ['map-view'], ['explain', job]):
            code = run(binary, *command, '--endpoint', cluster.endpoint, check=False).returncode
            expect(code == 3, f'{command} without coolspand: exit code {code}')
    return None


TESTS = [advise_does_not_change_allocations, off_requests_no_decisions, reconfigure_changes_the_mode,
         coolspan_mode_applies_to_the_next_decision,
         jobs_run_with_an_invalid_conf, an_invalid_conf_keeps_the_underlying_plugin,
         invalid_reconfigure_keeps_the_old_settings,
         jobs_run_with_a_plugin_of_another_point_release, jobs_run_without_the_client_library,
         command_line_on_a_running_cluster]
