# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies by partition and by comment, as jobs get them."""

from cluster import Cluster, expand, expect, wait_until

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


TESTS = [rules_and_comments_choose_the_policy]
