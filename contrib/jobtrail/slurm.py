# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slurm's own accounting of jobs and steps, by sacct(1).

sacct is run for many jobs at once and for a bounded time. After a failure it is not run again. Users
choose the names of jobs, so the delimiter is random: a name cannot look like a row.
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


# messages of sacct where there is no accounting
NO_ACCOUNTING = ("Could not establish a configuration source", "accounting storage is disabled",
                 "there is no sacct here")  # fmt: skip


class Unavailable(Exception):
    """The reason why there is nothing from sacct."""

    def is_normal(self):
        """Whether the site has no accounting."""
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
        messages = result.stderr.decode(errors="replace").strip().splitlines()
        raise Unavailable(messages[-1] if messages else "sacct ended with %d" % result.returncode)
    cells = result.stdout.decode(errors="replace").split(end)
    for at in range(0, len(cells) - len(fields), len(fields)):
        row = dict(zip(fields, cells[at : at + len(fields)]))
        row["JobIDRaw"] = row["JobIDRaw"].lstrip("\n")
        yield row


class Accounting:
    """The rows of sacct about the jobs of the last prefetch().

    With `asked_for` a site without accounting is reported to the user, else failures alone.
    """

    def __init__(self, units, asked_for):
        self.units = units
        self.asked_for = asked_for
        self.rows = {}
        self.asked = set()
        self.failed = False

    def prefetch(self, runs):
        """Runs sacct for the jobs of these runs that have no rows yet, and drops the rows of others."""
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
                self.add_row(cluster, row)
        except Unavailable as reason:
            self.failed = True
            if self.asked_for or not reason.is_normal():
                print("jobtrail-acct: without Slurm's accounting: %s" % escape(str(reason)), file=sys.stderr)
        self.asked.update((cluster, job) for job in jobs)

    def add_row(self, cluster, row):
        job, _, step = row["JobIDRaw"].partition(".")
        if job.isdigit():
            row["start"], row["end"] = number(row["Start"]), number(row["End"])
            self.rows.setdefault((cluster, int(job), step), []).append(row)

    def of(self, run, step=True):
        """The row of the run's step (or job); of a job that was requeued, the one at the time of the run.
        None: unknown."""
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
