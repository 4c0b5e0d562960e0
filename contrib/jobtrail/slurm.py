# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Slurm's own accounting knows about jobs and steps, asked of sacct(1).

sacct is asked about many jobs at once and for a bounded time; when it fails once, it is not asked
again. Job names are text of users: the delimiter is random, so that they cannot look like rows.
"""

import os
import subprocess
import sys
import uuid

from .text import escape

JOBS_AT_ONCE = 500
SECONDS = 30
NAMED = "JobIDRaw,Cluster,Start,End"
FACTS = (
    "State,ExitCode,QOS,JobName,Submit,Timelimit,TotalCPU,UserCPU,SystemCPU,MaxRSS,AveRSS,MaxVMSize,"
    "ReqMem,AllocTRES,NodeList,Reason"
)


# what sacct says where there is no accounting to ask
NO_ACCOUNTING = ("Could not establish a configuration source", "accounting storage is disabled",
                 "there is no sacct here")  # fmt: skip


class Unavailable(Exception):
    """sacct cannot be had, with the reason."""

    def is_normal(self):
        """Whether there is no accounting here."""
        return any(text in str(self) for text in NO_ACCOUNTING)


def number(text):
    """Seconds since the Epoch, or None for Unknown and the like."""
    return float(text) if text.isdigit() else None


def ask(jobs, cluster, units):
    """sacct's rows about the jobs (numbers), each a dict of NAMED and FACTS."""
    fields = (NAMED + "," + FACTS).split(",")
    end = "\x1f" + uuid.uuid4().hex
    command = ["sacct", "--noheader", "--parsable", "--duplicates", "--allusers"]
    command += ["--delimiter=" + end, "--format=" + ",".join(fields)]
    command += ["--jobs=" + ",".join(map(str, jobs))] + units
    if cluster:
        command.append("--clusters=" + cluster)
    try:
        result = subprocess.run(
            command,
            env=dict(os.environ, SLURM_TIME_FORMAT="%s", LC_ALL="C"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
        )
    except FileNotFoundError:
        raise Unavailable("there is no sacct here") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(str(error)) from None
    if result.returncode != 0:
        said = result.stderr.decode(errors="replace").strip().splitlines()
        raise Unavailable(said[-1] if said else "sacct ended with %d" % result.returncode)
    cells = result.stdout.decode(errors="replace").split(end)
    for at in range(0, len(cells) - len(fields), len(fields)):
        row = dict(zip(fields, cells[at : at + len(fields)]))
        row["JobIDRaw"] = row["JobIDRaw"].lstrip("\n")
        yield row


class Accounting:
    """Facts of jobs and steps by number; about jobs that were announced with prefetch().

    When `asked_for`, the user is told that there is no accounting here, else only of real trouble.
    """

    def __init__(self, units, asked_for):
        self.units = units
        self.asked_for = asked_for
        self.rows = {}
        self.asked = set()
        self.failed = False

    def prefetch(self, runs):
        """Asks about the jobs of these runs that are not known yet, and forgets all others."""
        wanted = {}
        for run in runs:
            if run["job_id_raw"] is not None:
                wanted.setdefault(run["cluster"], set()).add(run["job_id_raw"])
        keep = {(cluster, job) for cluster, jobs in wanted.items() for job in jobs}
        self.asked &= keep
        self.rows = {key: rows for key, rows in self.rows.items() if key[:2] in keep}
        for cluster, jobs in wanted.items():
            new = sorted(job for job in jobs if (cluster, job) not in self.asked)
            for at in range(0, len(new), JOBS_AT_ONCE):
                self.fetch(cluster, new[at : at + JOBS_AT_ONCE])

    def fetch(self, cluster, jobs):
        if self.failed:
            return
        try:
            for row in ask(jobs, cluster, self.units):
                self.take(cluster, row)
        except Unavailable as reason:
            self.failed = True
            if self.asked_for or not reason.is_normal():
                print("jobtrail-acct: without Slurm's accounting: %s" % escape(str(reason)), file=sys.stderr)
        self.asked.update((cluster, job) for job in jobs)

    def take(self, cluster, row):
        job, _, step = row["JobIDRaw"].partition(".")
        if job.isdigit():
            row["start"], row["end"] = number(row["Start"]), number(row["End"])
            self.rows.setdefault((cluster, int(job), step), []).append(row)

    def of(self, run, step=True):
        """The facts of the run's step (or job); of a job that was requeued, of that time. None: not
        known."""
        name = run["step_id"] if step else ""
        if name is None:
            return None
        rows = self.rows.get((run["cluster"], run["job_id_raw"], name), [])
        return min(rows, key=lambda row: distance(row, run["start_time"]), default=None)


def distance(row, moment):
    """Seconds between a moment and the time of the row; 0 inside."""
    if moment is None or row["start"] is None:
        return 0 if moment is None else float("inf")
    end = row["end"] if row["end"] is not None else float("inf")
    return max(row["start"] - moment, moment - end, 0)
