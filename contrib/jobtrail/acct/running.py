# SPDX-License-Identifier: LGPL-2.1-or-later
"""For jobs of -j that are not over: says why the store lacks runs of them, and which command shows these."""

import sys

from .. import slurm
from ..pattern import Pattern
from ..text import escape

JOBS_MOST = 100
JOB = Pattern(r"(\d+(?:[_+]\d+)?)(?:\.\w+)?\Z")


def asked_for(text):
    """The jobs of -j, without steps, as squeue takes them."""
    found = (JOB.match(word.strip()) for word in text.split(","))
    return list(dict.fromkeys(match.group(1) for match in found if match))[:JOBS_MOST]


def remedy(job, asker):
    """The command that shows what the job runs now."""
    if job["user"] != asker:
        return "as root on each of %s: jobtrail-ps -j %s" % (job["nodes"], job["raw"])
    many = "" if job["node_count"] == "1" else " -N%s -n%s" % (job["node_count"], job["node_count"])
    return "srun --overlap --jobid=%s%s jobtrail-ps" % (job["raw"], many)


def sentence(job, asker):
    if job["state"] in ("PENDING", "CONFIGURING"):
        return "waits in the queue"
    if job["state"] == "COMPLETING":
        return "ends now: its records come after its epilog"
    if job["state"] == "SUSPENDED":
        return "is suspended: most of its records come after its end"
    return "runs on %s: the store has only the starts of large MPI programs; for the rest: %s" % (
        job["nodes"],
        remedy(job, asker),
    )


def tell(options, own):
    """After the answer, on stderr, and nothing of jobs that the asker may not see."""
    if not options.jobs or options.no_sacct:
        return
    for job in slurm.queue(asked_for(options.jobs), options.cluster):
        if own is None or own.is_seen is None or own.is_seen(job["user"], job["account"]):
            text = "jobtrail-acct: job %s %s" % (job["name"], sentence(job, options.asker))
            print(escape(text), file=sys.stderr)
