# SPDX-License-Identifier: GPL-3.0-or-later
"""300 exclusive jobs on 16 nodes, with and without failures."""

import random
import threading
import time

from cluster import DEADLINE_MS, Cluster, Failure, LedgerWatch, expand, expect, wait_until
from repairs import repair

JOBS = {'short': 300, 'long': 1000}
CORES = 4


def submit_many(cluster, count, seconds=0.3):
    """Submits whole-node jobs of 1 to 8 nodes, mostly small ones."""
    chance = random.Random(1)
    jobs = []
    for _ in range(count):
        nodes = min(8, 1 + int(chance.expovariate(0.5)))
        duration = chance.uniform(0, 2 * seconds)
        jobs.append(cluster.submit('--exclusive', f'--nodes={nodes}',
                                   command=f'sleep {duration:.2f}'))
    return jobs


def check_decisions(cluster, jobs, min_enforced, may_lose_decisions=False):
    """Compares the nodes of the jobs with the decisions; returns a note.

    A job that is enforced according to the log must have run on the nodes of its
    decision in coolspand. All other jobs must have a reason in the log.
    may_lose_decisions: coolspand was killed, perhaps before it stored one."""
    known, verdicts = cluster.jobs(), cluster.verdicts()
    enforced, unknown = 0, 0
    reasons = {}
    for job in jobs:
        expect(job in verdicts, f'no log line for job {job}')
        verdict, fields = verdicts[job]
        expect(verdict in ('enforced', 'fallback', 'left'), f'job {job} is {verdict}')
        if verdict != 'enforced':
            reason = fields.get('reason', '').strip('"')
            expect(reason, f'job {job} is {verdict} without a reason')
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        enforced += 1
        ran_on = expand(known[job]['NodeList'])
        expect(expand(fields['nodes']) == ran_on,
               f'job {job}: {fields["nodes"]} in the log, {known[job]["NodeList"]} in scontrol')
        decisions = [d for d in cluster.decisions(job) if d['id'] == fields['decision']]
        if not decisions:
            unknown += 1
            continue
        expect(expand(decisions[0]['nodes']) == ran_on,
               f'job {job}: decision {decisions[0]} but it ran on {known[job]["NodeList"]}')
    share = enforced / len(jobs)
    note = f'{enforced} of {len(jobs)} enforced'
    if unknown:
        note += f', {unknown} decisions unknown to coolspand'
    expect(may_lose_decisions or not unknown, f'{note} (expected none)')
    if reasons:
        note += f', others: {reasons}'
    expect(share >= min_enforced, f'{note} (expected at least {min_enforced:.0%})')
    return note


def check_end(cluster):
    """Ledger and squeue must be equal, with and without running jobs."""
    cluster.wait_agreement()
    expect(not cluster.queue(), f'still running: {cluster.queue()}')
    running = [cluster.submit('--exclusive', '--nodes=3', command='sleep 300') for _ in range(4)]
    wait_until(lambda: len(cluster.queue('RUNNING')) == 4, 60, 'four jobs are running')
    agreed = cluster.wait_agreement()
    expect(sorted(agreed) == sorted(running), f'{agreed} (expected jobs {running})')
    cluster.slurm('scancel', *running)
    wait_until(lambda: not cluster.not_ended(), 60, 'cancelled jobs have left the queue')
    cluster.wait_agreement()


def missed_deadlines(cluster):
    """Number of jobs without a decision after at least half of the deadline."""
    return sum(verdict == 'fallback' and int(fields['ask_us']) * 2 >= DEADLINE_MS * 1000
               for verdict, fields in cluster.verdicts().values())


def disturbed_run(build, length, logs, disturb, min_enforced, settle_s=0, max_deadlines=None,
                  may_lose_decisions=False, **cluster_options):
    """Runs jobs during disturb(cluster): all must complete, on the nodes of their
    decisions."""
    count = JOBS[length]
    errors = []

    def disturb_and_report(cluster):
        try:
            disturb(cluster)
        except Failure as failure:
            errors.append(failure)
    with Cluster(build, logs, **cluster_options) as cluster:
        with LedgerWatch(cluster, CORES) as watch:
            first = time.monotonic()
            jobs = submit_many(cluster, count)
            time.sleep(settle_s)
            disturbance = threading.Thread(target=disturb_and_report, args=(cluster,))
            disturbance.start()
            try:
                cluster.wait_all_done(jobs, 600)
            finally:
                disturbance.join()
            seconds = time.monotonic() - first
        expect(not errors, f'{errors}')
        watch.expect_sound()
        note = check_decisions(cluster, jobs, min_enforced, may_lose_decisions)
        if max_deadlines is not None:
            expect(missed_deadlines(cluster) <= max_deadlines,
                   f'{missed_deadlines(cluster)} deadlines missed, {note}')
        check_end(cluster)
        return f'{note}; {seconds:.0f} s for {count} jobs; ledger read {watch.polls} times'


def repeat_failure(times, up_s, fail, down_s, recover):
    for _ in range(times):
        time.sleep(up_s)
        fail()
        time.sleep(down_s)
        recover()


def exclusive_jobs(build, length, logs):
    """Without failures: at least 98 % of the jobs are enforced."""
    return disturbed_run(build, length, logs, lambda cluster: None, 0.98)


def exclusive_jobs_with_the_drop_in(build, length, logs):
    """As exclusive_jobs, with the drop-in build."""
    return disturbed_run(build, length, logs, lambda cluster: None, 0.98, plugin='dropin')


def coolspand_is_killed_ten_times(build, length, logs):
    """kill -9 and restart of coolspand, ten times, while jobs start and end."""
    def disturb(cluster):
        repeat_failure(10, 3, lambda: cluster.signal('coolspand', 'KILL'),
                       0.3, cluster.start_coolspand)
    # How many jobs start while coolspand is down depends on the host. The minimum
    # fails if decisions are not requested again soon after a restart.
    return disturbed_run(build, length, logs, disturb, 0.6, may_lose_decisions=True)


def coolspand_hangs(build, length, logs):
    """SIGSTOP of coolspand, three times: each delays at most three jobs."""
    def disturb(cluster):
        repeat_failure(3, 3, lambda: cluster.signal('coolspand', 'STOP'),
                       3, lambda: cluster.signal('coolspand', 'CONT'))
    # One more, since the host may stall.
    return disturbed_run(build, length, logs, disturb, 0.3, max_deadlines=10)


def a_stall_in_a_burst_costs_the_jobs_meanwhile(build, length, logs):
    """coolspand stalls while an array of 200 tasks starts in one scheduling cycle."""
    tasks = 200
    with Cluster(build, logs, nodes=256, extra=['--cloud']) as cluster:
        cluster.signal('coolspand', 'STOP')
        try:
            cluster.submit('--exclusive', '--nodes=1', f'--array=1-{tasks}')
            wait_until(cluster.verdicts, 60, 'a task has started without coolspand')
        finally:
            cluster.signal('coolspand', 'CONT')
        wait_until(lambda: len(cluster.verdicts()) == tasks, 60, 'all tasks have started')
        verdicts = cluster.verdicts()
        enforced = cluster.enforced(verdicts)
        expect(tasks - 3 <= len(enforced) < tasks,
               f'{len(enforced)} of {tasks} enforced, expected all but 1 to 3: '
               f'{ {fields.get("reason") for _, fields in verdicts.values()} }')
        cluster.slurm('scancel', *verdicts)
        return f'{len(enforced)} of {tasks} enforced'


def slurmctld_is_killed(build, length, logs):
    """kill -9 and restart of slurmctld, three times."""
    def disturb(cluster):
        repeat_failure(3, 4, lambda: cluster.signal('slurmctld', 'KILL'),
                       0.5, lambda: cluster.mini('restart', 'slurmctld'))
        while cluster.slurm('squeue', '-h').stdout:
            repair(cluster)
            time.sleep(5)
    # slurmctld saves new jobs within five seconds; jobs not yet saved would be lost
    # with any plugin.
    return disturbed_run(build, length, logs, disturb, 0.9, settle_s=6)


TESTS = [exclusive_jobs, exclusive_jobs_with_the_drop_in,
         coolspand_is_killed_ten_times, coolspand_hangs,
         a_stall_in_a_burst_costs_the_jobs_meanwhile, slurmctld_is_killed]
