# SPDX-License-Identifier: GPL-3.0-or-later
"""Three hundred exclusive jobs on sixteen nodes, left alone and disturbed."""

import random
import threading
import time

from cluster import DEADLINE_MS, Cluster, Failure, LedgerWatch, expand, expect, wait_until

JOBS = {'short': 300, 'long': 1000}
CORES = 4


def submit_many(cluster, count, seconds=0.3):
    """Whole-node jobs of 1 to 8 nodes, small ones more often."""
    chance = random.Random(1)
    jobs = []
    for _ in range(count):
        nodes = min(8, 1 + int(chance.expovariate(0.5)))
        duration = chance.uniform(0, 2 * seconds)
        jobs.append(cluster.submit('--exclusive', f'--nodes={nodes}',
                                   command=f'sleep {duration:.2f}'))
    return jobs


def check_answers(cluster, jobs, least_enforced):
    """Slurm's nodes against the daemon's answers; returns a note for the log.

    Every job that the plugin's log marks enforced runs on exactly the nodes of
    the decision it names, as coolspand remembers it; every other job has a
    reason in the log."""
    known, verdicts = cluster.jobs(), cluster.verdicts()
    enforced, unexplained = 0, 0
    reasons = {}
    for job in jobs:
        expect(job in verdicts, f'the log has no line on job {job}')
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
               f'job {job}: the log says {fields["nodes"]}, scontrol {known[job]["NodeList"]}')
        answers = [d for d in cluster.decisions(job) if d['id'] == fields['decision']]
        if not answers:
            unexplained += 1
            continue
        expect(expand(answers[0]['nodes']) == ran_on,
               f'job {job}: decision {answers[0]} but it ran on {known[job]["NodeList"]}')
    share = enforced / len(jobs)
    note = f'{enforced} of {len(jobs)} enforced'
    if unexplained:
        note += f', {unexplained} decisions not remembered'
    if reasons:
        note += f', others: {reasons}'
    expect(share >= least_enforced, f'{note}; at least {least_enforced:.0%} was expected')
    return note


def check_end(cluster):
    """With nothing running, both sides say so; with jobs running, they agree."""
    cluster.wait_agreement()
    expect(not cluster.queue(), f'still running: {cluster.queue()}')
    running = [cluster.submit('--exclusive', '--nodes=3', command='sleep 300') for _ in range(4)]
    wait_until(lambda: len(cluster.queue('RUNNING')) == 4, 60, 'four jobs run')
    agreed = cluster.wait_agreement()
    expect(sorted(agreed) == sorted(running), f'{agreed} instead of {running}')
    cluster.slurm('scancel', *running)
    wait_until(lambda: not cluster.not_ended(), 60, 'cancelled jobs leave the queue')
    cluster.wait_agreement()


def deadlines_paid(cluster):
    """Jobs for which slurmctld waited for most of the deadline, in vain."""
    return sum(verdict == 'fallback' and int(fields['ask_us']) * 2 >= DEADLINE_MS * 1000
               for verdict, fields in cluster.verdicts().values())


def disturbed_run(build, length, logs, disturb, least_enforced, settle_s=0, most_deadlines=None,
                  **cluster_options):
    """All jobs complete and all answers are right while `disturb` goes on."""
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
        note = check_answers(cluster, jobs, least_enforced)
        if most_deadlines is not None:
            expect(deadlines_paid(cluster) <= most_deadlines,
                   f'{deadlines_paid(cluster)} deadlines were paid, {note}')
        check_end(cluster)
        return f'{note}; {seconds:.0f} s for {count} jobs; ledger seen {watch.polls} times'


def exclusive_jobs_run_where_coolspand_says(build, length, logs):
    """Nothing goes wrong: at least 98 % of the jobs are enforced."""
    return disturbed_run(build, length, logs, lambda cluster: None, 0.98)


def exclusive_jobs_with_the_drop_in(build, length, logs):
    """The same with the drop-in build."""
    return disturbed_run(build, length, logs, lambda cluster: None, 0.98, plugin='dropin')


def coolspand_is_killed_ten_times(build, length, logs):
    """kill -9 and restart, ten times, while jobs come and go."""
    def disturb(cluster):
        for _ in range(10):
            time.sleep(3)
            cluster.signal('coolspand', 'KILL')
            time.sleep(0.3)
            cluster.start_coolspand()
    # How many jobs start while it is away is the host's affair; that it is asked
    # again soon is not.
    return disturbed_run(build, length, logs, disturb, 0.6)


def coolspand_hangs(build, length, logs):
    """SIGSTOP for three seconds, three times; each costs one deadline at most."""
    def disturb(cluster):
        for _ in range(3):
            time.sleep(3)
            cluster.signal('coolspand', 'STOP')
            time.sleep(3)
            cluster.signal('coolspand', 'CONT')
    # One more, for a host that stalls by itself.
    return disturbed_run(build, length, logs, disturb, 0.3, most_deadlines=4)


def mend_forgotten(cluster):
    """What an operator does after kill -9 of a controller, with any plugin. A job
    whose start it had not saved is started a second time, which its node refuses:
    Slurm drains the node and holds the job. A job whose end it had not saved runs
    for ever, until its node registers again: Slurm requeues it, for later."""
    for line in cluster.slurm('sinfo', '-h', '-N', '-o', '%N|%E').stdout.splitlines():
        node, _, reason = line.partition('|')
        if 'Duplicate jobid' in reason:
            cluster.slurm('scontrol', 'update', f'NodeName={node}', 'State=RESUME', check=False)
    for line in cluster.slurm('squeue', '-h', '-t', 'PD', '-o', '%A|%r').stdout.splitlines():
        job, _, reason = line.partition('|')
        if reason == 'launch failed requeued held':
            cluster.slurm('scontrol', 'release', job, check=False)
        elif reason == 'BeginTime':
            cluster.slurm('scontrol', 'update', f'JobId={job}', 'StartTime=now', check=False)
    cluster.slurm('scontrol', 'reconfigure')  # all nodes register


def slurmctld_is_killed(build, length, logs):
    """kill -9 and restart of the controller, three times."""
    def disturb(cluster):
        for _ in range(3):
            time.sleep(4)
            cluster.signal('slurmctld', 'KILL')
            time.sleep(0.5)
            cluster.mini('restart', 'slurmctld')
        while cluster.slurm('squeue', '-h').stdout:
            mend_forgotten(cluster)
            time.sleep(5)
    # slurmctld saves new jobs within five seconds; what it had not saved when
    # it was killed is lost with any plugin.
    return disturbed_run(build, length, logs, disturb, 0.9, settle_s=6)


TESTS = [exclusive_jobs_run_where_coolspand_says, exclusive_jobs_with_the_drop_in,
         coolspand_is_killed_ten_times, coolspand_hangs, slurmctld_is_killed]
