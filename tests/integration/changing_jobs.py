# SPDX-License-Identifier: GPL-3.0-or-later
"""Requeued, resized, suspended and cancelled jobs, job arrays, node lists."""

import json
import time

from cluster import Cluster, LedgerWatch, expect, wait_until
from placing import check_decisions

CORES = 4


def requeued_job_starts_again(build, length, logs):
    """scontrol requeue: the ledger has one holding, that of the new start."""
    with Cluster(build, logs, nodes=8) as cluster, LedgerWatch(cluster, CORES) as watch:
        job = cluster.start('--nodes=3', '--requeue')
        cluster.wait_agreement()
        cluster.slurm('scontrol', 'requeue', job)
        # Slurm starts a requeued job after two minutes, unless StartTime is set.
        wait_until(lambda: cluster.state(job) == 'PENDING', 60, 'the job is pending')
        cluster.wait_agreement()
        expect(cluster.held() == {}, f'{cluster.held()} while the job is pending')
        # slurmd also rejects credentials created in the same second in which it
        # revoked the old one, and slurmctld would then end the job.
        time.sleep(2)
        cluster.slurm('scontrol', 'update', f'JobId={job}', 'StartTime=now')
        cluster.wait_state(job, 'RUNNING', 180)
        cluster.wait_agreement()
        records = cluster.ledger()
        expect([(r['job_id'], r['restart']) for r in records] == [(job, 1)], f'{records}')
        cluster.expect_enforced(job)
    watch.expect_sound()


def shrunk_job_releases_nodes(build, length, logs):
    """scontrol update NumNodes: the ledger is updated, and others get the nodes."""
    with Cluster(build, logs, nodes=8) as cluster, LedgerWatch(cluster, CORES) as watch:
        job = cluster.start('--nodes=6')
        cluster.wait_agreement()
        decision = cluster.ledger()[0]['decision_id']
        cluster.slurm('scontrol', 'update', f'JobId={job}', 'NumNodes=2')
        wait_until(lambda: len(cluster.queue()[job]) == 2, 60, 'Slurm has shrunk the job')
        cluster.wait_agreement()
        expect(decision and cluster.ledger()[0]['decision_id'] == decision,
               f'{cluster.ledger()} (expected decision {decision})')
        other = cluster.start('--nodes=6')
        agreed = cluster.wait_agreement()
        expect(len(agreed[job]) == 2 and len(agreed[other]) == 6, f'{agreed}')
        cluster.expect_enforced(other)
    watch.expect_sound()


def suspended_job_is_marked(build, length, logs):
    """scontrol suspend and resume change the state in the ledger."""
    with Cluster(build, logs, nodes=4) as cluster, LedgerWatch(cluster, CORES) as watch:
        job = cluster.start('--nodes=2')
        cluster.wait_agreement()

        def state():
            return {r['job_id']: r['state'] for r in cluster.ledger() or []}.get(job)
        cluster.slurm('scontrol', 'suspend', job)
        wait_until(lambda: state() == 'suspended', 30, 'the ledger marks the job suspended')
        cluster.wait_agreement()
        other = cluster.submit('--exclusive', '--nodes=2', command='sleep 1')
        cluster.wait_all_done([other], 60)
        cluster.slurm('scontrol', 'resume', job)
        wait_until(lambda: state() == 'committed', 30, 'the ledger marks the job as running')
        cluster.wait_agreement()
    watch.expect_sound()


def ends_follow_time_limits(build, length, logs):
    """The ledger has the ends of changed, suspended and unlimited jobs; without --time the
    partition's limit counts."""
    partition = 'PartitionName=bounded Nodes=ALL MaxTime=90'
    extra = ['--slurm-conf', partition, '--policy', 'coolspan']
    with Cluster(build, logs, nodes=4, extra=extra) as cluster:
        job = cluster.start('--nodes=2', '--time=10')

        def end_s():
            for record in cluster.ledger() or []:
                if record['job_id'] == job:
                    return record['expected_end_ms'] and record['expected_end_ms'] / 1000
            return 0

        def slurm_end_s():
            return time.mktime(time.strptime(cluster.job(job)['EndTime'], '%Y-%m-%dT%H:%M:%S'))

        def agree():
            return end_s() is not None and abs(end_s() - slurm_end_s()) <= 1
        wait_until(agree, 30, 'the end is known')
        first_s = end_s()
        cluster.slurm('scontrol', 'update', f'JobId={job}', 'TimeLimit=300')
        wait_until(lambda: agree() and end_s() > first_s + 17000, 30, 'the end is later')
        cluster.slurm('scontrol', 'suspend', job)
        time.sleep(4)
        cluster.slurm('scontrol', 'resume', job)
        wait_until(lambda: agree() and end_s() > first_s + 17400 + 2, 30, 'the end has moved')
        cluster.slurm('scontrol', 'update', f'JobId={job}', 'TimeLimit=UNLIMITED')
        wait_until(lambda: end_s() is None, 30, 'the end is unknown')
        cluster.slurm('scontrol', 'reconfigure')
        time.sleep(2)
        expect(end_s() is None, f'{cluster.ledger()} after a reconfiguration')
        cluster.wait_agreement()
        other = cluster.submit('--exclusive', '--nodes=1', '--partition=bounded',
                               command='sleep 600')
        cluster.wait_state(other, 'RUNNING')
        decided = json.loads(cluster.coolspan('explain', str(other)).stdout)['decisions'][0]
        expect(float(decided['facts'].get('expected_run_s', 0)) == 5400, f'{decided}')


def gang_suspension_is_marked(build, length, logs):
    """A job suspended by a preempting one holds nothing, and its nodes again when it resumes."""
    gang = ('PreemptType=preempt/partition_prio', 'PreemptMode=SUSPEND,GANG',
            'PartitionName=low Nodes=ALL PriorityTier=1 OverSubscribe=FORCE:1',
            'PartitionName=high Nodes=ALL PriorityTier=9 OverSubscribe=FORCE:1 PreemptMode=OFF')
    extra = [word for line in gang for word in ('--slurm-conf', line)]
    with Cluster(build, logs, nodes=4, extra=extra) as cluster:
        low = cluster.start('--partition=low', '--nodes=4')
        cluster.wait_agreement()
        high = cluster.start('--partition=high', '--nodes=4')
        cluster.wait_state(low, 'SUSPENDED', 60)

        def states():
            return {r['job_id']: r['state'] for r in cluster.ledger() or []}
        wait_until(lambda: states() == {low: 'suspended', high: 'committed'}, 30,
                   'the preempted job is suspended in the ledger')
        cluster.wait_agreement()
        cluster.slurm('scancel', high)
        cluster.wait_state(low, 'RUNNING', 60)
        wait_until(lambda: states() == {low: 'committed'}, 30, 'it holds its nodes again')
        cluster.wait_agreement()


def array_tasks_are_placed(build, length, logs):
    """Array tasks run on the nodes of their decisions."""
    with Cluster(build, logs, nodes=8) as cluster:
        with LedgerWatch(cluster, CORES) as watch:
            cluster.submit('--exclusive', '--nodes=2', '--array=1-12', command='sleep 0.5')

            def completed():
                jobs = cluster.jobs()
                return len(jobs) == 12 and jobs if all(
                    fields['JobState'] == 'COMPLETED' for fields in jobs.values()) else None
            jobs = wait_until(completed, 180, 'twelve tasks are completed')
        watch.expect_sound()
        cluster.wait_agreement()
        return check_decisions(cluster, jobs, 0.9)


def nodelist_and_exclude_hold(build, length, logs):
    """--nodelist and --exclude restrict the decisions."""
    with Cluster(build, logs, nodes=8) as cluster:
        with_list = cluster.start('--nodes=3', '--nodelist=n[5,8]')
        with_exclude = cluster.start('--nodes=2', '--exclude=n[1-3]')
        agreed = cluster.wait_agreement()
        expect({'n5', 'n8'} <= agreed[with_list], f'{agreed}')
        expect(not {'n1', 'n2', 'n3'} & agreed[with_exclude], f'{agreed}')
        for job in (with_list, with_exclude):
            cluster.expect_enforced(job)


def cancelled_jobs_are_released(build, length, logs):
    """scancel of all jobs empties the ledger."""
    with Cluster(build, logs, nodes=4) as cluster:
        jobs = [cluster.submit('--exclusive', '--nodes=2', command='sleep 600')
                for _ in range(6)]
        wait_until(lambda: len(cluster.queue('RUNNING')) == 2, 60, 'two jobs run')
        cluster.slurm('scancel', *jobs)
        wait_until(lambda: not cluster.not_ended(), 60, 'the queue is empty')
        cluster.wait_agreement()
        expect(cluster.ledger() == [], f'{cluster.ledger()}')


TESTS = [requeued_job_starts_again, shrunk_job_releases_nodes, suspended_job_is_marked,
         ends_follow_time_limits,
         gang_suspension_is_marked, array_tasks_are_placed, nodelist_and_exclude_hold,
         cancelled_jobs_are_released]
