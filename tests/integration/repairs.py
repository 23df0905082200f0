# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator does after slurmctld was killed, with and without Coolspan."""

# No job of the tests with a killed slurmctld takes that long, and it is more than 20 s:
# slurmctld regards a batch job as missing if its node registers without it, at least
# BatchStartTimeout + MessageTimeout after the start of the job and of slurmctld
# (_purge_missing_jobs in job_mgr.c).
OVERDUE_S = 25


def seconds_of(elapsed):
    """Of squeue's %M, [days-][hours:]minutes:seconds."""
    days, _, time = elapsed.rpartition('-')
    total = 0
    for part in time.split(':'):
        total = total * 60 + int(part)
    return int(days or 0) * 86400 + total


def repair(cluster):
    """Mends what slurmctld had not saved when it was killed; returns the number of nodes
    and jobs. To be repeated until no job is left.

    A job whose start was not saved is started again, and its node refuses that: Slurm
    drains the node and holds the job. A job whose end was not saved stays RUNNING until
    its node registers: Slurm then requeues it with a start time."""
    def lines(*command):
        return [line.split('|') for line in
                cluster.slurm(*command, check=False).stdout.splitlines()]

    drained = {node for node, reason in lines('sinfo', '-h', '-N', '-o', '%N|%E')
               if 'Duplicate jobid' in reason}
    if drained:
        cluster.slurm('scontrol', 'update', f'NodeName={",".join(sorted(drained))}',
                      'State=RESUME', check=False)
    waiting = lines('squeue', '-h', '-t', 'PENDING', '-o', '%A|%r')
    held = [job for job, reason in waiting if 'held' in reason.lower()]
    if held:
        cluster.slurm('scontrol', 'release', ','.join(held), check=False)
    requeued = [job for job, reason in waiting if reason == 'BeginTime']
    for job in requeued:
        cluster.slurm('scontrol', 'update', f'JobId={job}', 'StartTime=now', check=False)
    # scontrol reconfigure also makes nodes register, but restarts slurmctld from 23.11 on.
    overdue = {node for node, elapsed in lines('squeue', '-h', '-t', 'RUNNING', '-o', '%B|%M')
               if seconds_of(elapsed) > OVERDUE_S}
    for node in sorted(overdue):
        cluster.reload_slurmd(node)
    return len(drained) + len(held) + len(requeued) + len(overdue)
