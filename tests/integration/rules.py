# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies by partition and by comment, as jobs get them."""

import pathlib
import shutil
import tempfile

from cluster import Cluster, expand, expect, wait_until
from small_room import busy_w, inlet_c, write_machine

RULES = 'rules: [{name: loose jobs, partition: loose, nodes: 2-3, policy: free-list}]'
PARTITION = 'PartitionName=loose Nodes=ALL MaxTime=INFINITE State=UP'


def rules_and_comments_choose_the_policy(build, length, logs):
    """n02 is taken: first-fit starts behind it, free-list with n01."""
    with Cluster(build, logs, nodes=8, policy='first-fit', ordering='row-major',
                 extra=('--daemon-conf', RULES, '--slurm-conf', PARTITION)) as cluster:
        first = cluster.submit('--exclusive', '--nodelist=n2', command='sleep 600')
        cluster.wait_state(first, 'RUNNING')
        names = cluster.job(first)['NodeList']
        expect(expand(names) == expand('n2'), f'job {first} is on {names}')

        def check(options, nodes, policy, rule):
            job = cluster.submit('--exclusive', '--nodes=2', *options, command='sleep 600')
            cluster.wait_state(job, 'RUNNING')
            ran_on = cluster.job(job)['NodeList']
            verdict = cluster.verdicts()[job][0]
            decision = cluster.decisions(job)[0]
            said = (verdict, expand(ran_on), decision['policy'], decision['rule'])
            wanted = ('enforced', expand(nodes), policy, rule)
            expect(said == wanted, f'{options}: {said} instead of {wanted}')
            cluster.slurm('scancel', job)
            wait_until(lambda: set(cluster.not_ended()) == {first}, 60,
                       f'the nodes of job {job} are free')
            cluster.wait_agreement()

        by_rule = 'rule 1 "loose jobs", line 6'
        check([], 'n[3-4]', 'first-fit', '')
        check(['--partition=loose'], 'n[1,3]', 'free-list', by_rule)
        check(['--comment=coolspan:policy=free-list'], 'n[1,3]', 'free-list',
              'comment coolspan:policy=free-list')
        check(['--partition=loose', '--comment=see wiki; coolspan:policy=first-fit'], 'n[3-4]',
              'first-fit', 'comment coolspan:policy=first-fit')
        check(['--comment=coolspan:policy=fastest'], 'n[3-4]', 'first-fit',
              'the comment\'s "fastest" is no policy')
        # Bytes that are no UTF-8, as an argument of sbatch.
        check([b'--comment=caf\xe9 coolspan:policy=free-list'.decode(errors='surrogateescape')],
              'n[1,3]', 'free-list', 'comment coolspan:policy=free-list')
    return None


def comments_say_how_much_a_job_communicates(build, length, logs):
    """What a job's nodes draw follows its comment, whoever chose them."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix='coolspan-share-'))
    try:
        extra = ('--machine', write_machine(scratch), '--slurm-conf', PARTITION,
                 '--coolspan-conf', 'LeavePartitions=loose')
        with Cluster(build, logs, nodes=4, policy='first-fit', ordering='row-major',
                     extra=extra) as cluster:
            check_shares(cluster)
    finally:
        shutil.rmtree(scratch)


def check_shares(cluster):
    def shares():
        return {record['job_id']: record['communication_share']
                for record in cluster.ledger() or [] if record['state'] == 'committed'}

    def wait_peak(watts):
        wait_until(lambda: abs(cluster.room()['steady_peak_inlet_c'] - inlet_c(watts)) < 0.01,
                   60, f'a node draws {watts} W')

    def start(*options):
        job = cluster.submit('--exclusive', '--nodes=1', *options, command='sleep 600')
        cluster.wait_state(job, 'RUNNING')
        return job

    quiet = start('--comment=coolspan:comm-share=1 coolspan:policy=best-fit')
    wait_until(lambda: shares() == {quiet: 1}, 60, 'the share is in the ledger')
    decision = cluster.decisions(quiet)[0]
    expect(decision['facts']['communication_share'] == '1', f'{decision}')
    wait_peak(busy_w(1))
    wrong = start('--comment=coolspan:comm-share=lots')
    said = cluster.decisions(wrong)[0]['rule']
    expect(said == 'the comment\'s "lots" is no communication share', f'it says {said}')
    cluster.slurm('scancel', wrong)
    left = start('--partition=loose', '--comment=see wiki,coolspan:comm-share=0.25')
    wait_until(lambda: shares() == {quiet: 1, left: 0.25}, 60, 'so is that of a job left to Slurm')
    wait_peak(busy_w(0.25))
    # Without its ledger coolspand is told again.
    cluster.signal('coolspand', 'KILL')
    for file in (cluster.dir / 'state').glob('coolspand.db*'):
        file.unlink()
    cluster.start_coolspand()
    third = start()
    wait_until(lambda: shares() == {quiet: 1, left: 0.25, third: None}, 60, 'a Sync has them all')
    wait_peak(busy_w())


TESTS = [rules_and_comments_choose_the_policy, comments_say_how_much_a_job_communicates]
