# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies and communication shares selected by partition and comment."""

import pathlib
import shutil
import tempfile

from cluster import Cluster, expand, expect, wait_until
from small_room import busy_w, inlet_c, write_machine

RULES = 'rules: [{name: loose jobs, partition: loose, nodes: 2-3, policy: free-list}]'
PARTITION = 'PartitionName=loose Nodes=ALL MaxTime=INFINITE State=UP'


def rules_and_comments_select_the_policy(build, length, logs):
    """n2 is busy: first-fit starts after it, free-list uses n1."""
    with Cluster(build, logs, nodes=8, policy='first-fit', ordering='row-major',
                 extra=('--daemon-conf', RULES, '--slurm-conf', PARTITION)) as cluster:
        first = cluster.start('--nodelist=n2')
        names = cluster.job(first)['NodeList']
        expect(expand(names) == expand('n2'), f'job {first} is on {names}')

        def check(options, nodes, policy, rule):
            job = cluster.start('--nodes=2', *options)
            ran_on = cluster.job(job)['NodeList']
            verdict = cluster.verdicts()[job][0]
            decision = cluster.decisions(job)[0]
            actual = (verdict, expand(ran_on), decision['policy'], decision['rule'])
            expected = ('enforced', expand(nodes), policy, rule)
            expect(actual == expected, f'{options}: {actual} (expected {expected})')
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
              'invalid policy "fastest" in the job comment (ignored)')
        # Invalid UTF-8 in an argument of sbatch.
        check([b'--comment=caf\xe9 coolspan:policy=free-list'.decode(errors='surrogateescape')],
              'n[1,3]', 'free-list', 'comment coolspan:policy=free-list')
    return None


def comments_set_the_communication_share(build, length, logs):
    """The power of nodes follows the comment, also for jobs placed by Slurm."""
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
        return cluster.start('--nodes=1', *options)

    marked = start('--comment=coolspan:comm-share=1 coolspan:policy=best-fit')
    wait_until(lambda: shares() == {marked: 1}, 60, 'the share is in the ledger')
    decision = cluster.decisions(marked)[0]
    expect(decision['facts']['communication_share'] == '1', f'{decision}')
    wait_peak(busy_w(1))
    invalid = start('--comment=coolspan:comm-share=lots')
    rule = cluster.decisions(invalid)[0]['rule']
    expect(rule == 'invalid communication share "lots" in the job comment (ignored)',
           f'rule: {rule}')
    cluster.slurm('scancel', invalid)
    left = start('--partition=loose', '--comment=see wiki,coolspan:comm-share=0.25')
    wait_until(lambda: shares() == {marked: 1, left: 0.25}, 60, 'the share of a job left to Slurm is in the ledger')
    wait_peak(busy_w(0.25))
    # After coolspand has lost its ledger, the Sync has the shares.
    cluster.signal('coolspand', 'KILL')
    for file in (cluster.dir / 'state').glob('coolspand.db*'):
        file.unlink()
    cluster.start_coolspand()
    third = start()
    wait_until(lambda: shares() == {marked: 1, left: 0.25, third: None}, 60, 'the Sync has all shares')
    wait_peak(busy_w())


TESTS = [rules_and_comments_select_the_policy, comments_set_the_communication_share]
