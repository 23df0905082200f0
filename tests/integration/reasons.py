# SPDX-License-Identifier: GPL-3.0-or-later
"""What coolspand knows about the start of each job."""

import json
import pathlib
import shutil
import tempfile

from cluster import DEADLINE_MS, Cluster, expand, expect, run, wait_until
from small_room import busy_w, write_machine


def explained(cluster, job):
    """The JSON of `coolspan explain`, once the start of the job is known."""
    def ask():
        done = cluster.coolspan('explain', job, check=False)
        reply = json.loads(done.stdout) if done.returncode == 0 else {}
        return reply if reply.get('starts') else None
    return wait_until(ask, 30, f'the start of job {job} is known')


def counts(cluster):
    return json.loads(cluster.coolspan('status').stdout)['clusters'][0]['starts']


def text_of(cluster, *arguments):
    return run(cluster.build / 'bin' / 'coolspan', *arguments,
               '--endpoint', cluster.endpoint).stdout


def starts_have_a_reason(build, length, logs):
    """explain, jobs and status of enforced jobs, jobs left to Slurm and fallbacks."""
    with Cluster(build, logs, nodes=8) as cluster:
        enforced = cluster.start('--nodes=1')
        start = explained(cluster, enforced)['starts'][0]
        expect((start['verdict'], start['reason']) == ('enforced', ''), f'{start}')
        expect(start['decision_id'] == cluster.decisions(enforced)[0]['id'], f'{start}')

        left = cluster.start('--nodes=2', '--contiguous')
        reply = explained(cluster, left)
        start = reply['starts'][0]
        expect((start['verdict'], start['reason']) == ('left', '--contiguous'), f'{start}')
        expect(expand(start['nodes']) == expand(cluster.job(left)['NodeList']), f'{start}')
        expect(not reply['decisions'], f'{reply}')
        expect('left to Slurm: --contiguous' in text_of(cluster, 'explain', left), 'no reason')
        expect('left to Slurm: --contiguous' in text_of(cluster, 'jobs'), 'no reason in jobs')
        lines = [line for line in cluster.log().splitlines()
                 if f'coolspan: JobId={left} left reason="--contiguous" nodes=' in line]
        expect(len(lines) == 1 and 'debug' not in lines[0], f'{lines}')

        # Without an answer; the events are delivered when it runs again.
        cluster.signal('coolspand', 'STOP')
        late = cluster.start('--nodes=1')
        cluster.signal('coolspand', 'CONT')
        start = explained(cluster, late)['starts'][0]
        expect(start['verdict'] == 'fallback' and start['reason'], f'{start}')
        expect(counts(cluster) == {
            **counts(cluster), 'enforced': 1, 'advised': 0, 'left': 1,
            'left_by_reason': {'--contiguous': 1}, 'fallback': 1,
            'fallback_by_reason': {'no answer within the deadline': 1}}, f'{counts(cluster)}')
        expect('mini: left to Slurm: 1 job (--contiguous: 1)' in text_of(cluster, 'status'),
               text_of(cluster, 'status'))
    return f'with a deadline of {DEADLINE_MS} ms: {start["reason"]}'


def starts_during_an_outage_have_a_reason(build, length, logs):
    """coolspand is killed; a Sync follows its start, and still the reason is known."""
    with Cluster(build, logs, nodes=8) as cluster:
        cluster.start('--nodes=1')
        cluster.wait_agreement()
        cluster.signal('coolspand', 'KILL')
        jobs = [cluster.start('--nodes=1') for _ in range(2)]
        cluster.start_coolspand()
        for job in jobs:
            start = explained(cluster, job)['starts'][0]
            expect(start['verdict'] == 'fallback' and start['reason'], f'{start}')
        expect(counts(cluster)['fallback'] == len(jobs), f'{counts(cluster)}')
        cluster.wait_agreement()


def array_tasks_are_found_by_their_number(build, length, logs):
    """explain ARRAY_TASK, for placed tasks and those left to Slurm."""
    with Cluster(build, logs, nodes=8) as cluster:
        for options, verdict in ((['--exclusive'], 'enforced'),
                                 (['--exclusive', '--contiguous'], 'left')):
            array = cluster.submit('--nodes=1', '--array=0-3', *options, command='sleep 600')
            wait_until(lambda: len(cluster.queue('RUNNING')) == 4, 60, 'all tasks run')
            job_ids = set()
            for task in range(4):
                reply = explained(cluster, f'{array}_{task}')
                start = reply['starts'][0]
                names = cluster.job(f'{array}_{task}')
                expect((start['verdict'], start['array_job_id'], start['array_task_id']) ==
                       (verdict, array, task), f'{start}')
                expect(start['job_id'] == reply['job_id'] == int(names['JobId']), f'{start}')
                expect(expand(start['nodes']) == expand(names['NodeList']), f'{start}')
                expect(len(reply['decisions']) == (verdict == 'enforced'), f'{reply}')
                job_ids.add(start['job_id'])
            expect(len(job_ids) == 4, f'{job_ids}')
            done = cluster.coolspan('explain', f'{array}_9', check=False)
            expect(done.returncode == 1 and f'{array}_9' in done.stderr, done.stderr)
            cluster.slurm('scancel', array)
            wait_until(lambda: not cluster.not_ended(), 60, 'the tasks have ended')


def advice_is_compared_with_the_choice_of_slurm(build, length, logs):
    """Mode advise: hops and cooling power of both choices."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix='coolspan-advice-'))
    try:
        with Cluster(build, logs, nodes=4, mode='advise', policy='first-fit',
                     ordering='row-major', extra=('--machine', write_machine(scratch))) as cluster:
            check_advice(cluster)
    finally:
        shutil.rmtree(scratch)


def check_advice(cluster):
    middle = cluster.start('--nodelist=n2')
    totals = {'pairwise_total': 0, 'cooling_w': 0.0}
    sums = {'coolspan': dict(totals), 'slurm': dict(totals)}
    jobs = [middle, cluster.start('--nodes=2')]
    for job in jobs:
        start = explained(cluster, job)['starts'][0]
        expect(start['verdict'] == 'advised', f'{start}')
        for who, total in sums.items():
            for key in total:
                total[key] += start['advice'][who][key]
    # Both choices of the second job have the same power; first-fit takes n[3-4].
    advice = explained(cluster, jobs[1])['starts'][0]['advice']
    expect(advice['coolspan']['pairwise_total'] == 1, f'{advice}')
    expect(advice['coolspan']['cooling_w'] > busy_w() / 10, f'{advice}')
    actual = sorted(int(name[1:]) for name in expand(cluster.job(jobs[1])['NodeList']))
    expect(advice['slurm']['pairwise_total'] == actual[1] - actual[0], f'{advice}, {actual}')
    starts = counts(cluster)
    expect(starts['advised'] == starts['advice']['jobs'] == 2, f'{starts}')
    expect(starts['advice']['jobs_n2'] == 1, f'{starts}')
    for who, total in sums.items():
        for key, value in total.items():
            expect(abs(starts['advice'][who][key] - value) < 1e-6, f'{starts}, {sums}')
    expect('mean hops' in text_of(cluster, 'status'), text_of(cluster, 'status'))
    shown = text_of(cluster, 'explain', jobs[1])
    expect('  Coolspan   mean hops 1.00' in shown and '  Slurm      mean hops' in shown, shown)


TESTS = [starts_have_a_reason, starts_during_an_outage_have_a_reason,
         array_tasks_are_found_by_their_number, advice_is_compared_with_the_choice_of_slurm]
