# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slurm's own accounting of jobs and steps, by sacct(1), and the jobs that are not over, by squeue(1).

sacct is run for many jobs at once and for a bounded time. After a failure it is not run again. Users
choose the names of jobs, so the delimiter is random: a name cannot look like a row. For jobtrail-load: slurm_jobs.py.
"""

import os
import sys
import time

from .child_output import parts
from .program import Failure
from .text import escape

JOBS_AT_ONCE = 500
ALL_JOBS = (("--allusers",),)
SECONDS = 30
# in all, for what nobody has asked for
EXTRA_SECONDS = 30
QUEUE_SECONDS = 10
NAMED = ("JobIDRaw", "Cluster", "Start", "End")
FACTS = (
    "State", "ExitCode", "DerivedExitCode", "QOS", "JobName", "Submit", "Eligible", "Timelimit", "TimelimitRaw",
    "TotalCPU", "UserCPU", "SystemCPU", "MaxRSS", "AveRSS", "MaxVMSize", "ReqMem", "ReqTRES", "AllocTRES", "NodeList",
    "Reason", "UID", "GID", "Group", "AssocID", "WCKey", "Constraints", "Flags", "Comment", "Reservation", "WorkDir",
    "SubmitLine", "Elapsed", "NTasks",
)  # fmt: skip
# of sacct's fields, those that stand on the job's row alone in some releases of Slurm (22.05)
OF_JOB = {
    "AdminComment", "Comment", "Constraints", "DerivedExitCode", "Extra", "FailedNode", "Flags", "GID", "Group",
    "Licenses", "McsLabel", "Planned", "PlannedCPU", "PlannedCPURAW", "Priority", "QOS", "QOSRAW", "QOSREQ", "Reason",
    "ReqMem", "ReqTRES", "Reservation", "ReservationId", "Restarts", "StdErr", "StdIn", "StdOut", "SystemComment",
    "Timelimit", "TimelimitRaw", "UID", "WCKey", "WCKeyID", "WorkDir",
}  # fmt: skip
# their names before Slurm 23.02
FORMER = {"Planned": "Reserved", "PlannedCPU": "ResvCPU", "PlannedCPURAW": "ResvCPURAW"}
NO_FIELD = "Invalid field requested"

# states of squeue
NOT_OVER = ("PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING")

# messages of sacct where there is no accounting
NO_ACCOUNTING = ("Could not establish a configuration source", "accounting storage is disabled",
                 "there is no sacct here")  # fmt: skip


# variables by which sacct would answer something else
OF_SACCT = ("SACCT_FEDERATION", "SACCT_FORMAT", "SACCT_LOCAL")
ROW_MAX = 1 << 20  # bytes


class Unavailable(Exception):
    """The reason why there is nothing from sacct."""

    def is_normal(self):
        """Whether the site has no accounting."""
        return any(text in str(self) for text in NO_ACCOUNTING)


def number(text):
    """Seconds since the Epoch, or None for Unknown and the like."""
    return float(text) if text.isdecimal() else None


def command(fields, cluster, options):
    """(sacct's words, its environment, and the delimiter, which stands behind each cell)"""
    end = "\x1f" + os.urandom(16).hex()
    words = ["sacct", "--parsable", "--duplicates", "--delimiter=" + end, "--format=" + ",".join(fields)]
    words += (["--clusters=" + cluster] if cluster else []) + options
    environment = {name: value for name, value in os.environ.items() if name not in OF_SACCT}
    return words, dict(environment, SLURM_TIME_FORMAT="%s", LC_ALL="C"), end


def answer(words, environment, seconds):
    """What sacct writes, in parts, as it comes. Unavailable at the end, unless it ended well, and within these seconds."""
    import subprocess  # slow to load, and not asked where sacct is not

    pipe, end = subprocess.PIPE, time.monotonic() + seconds
    try:
        process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    except FileNotFoundError:
        raise Unavailable("there is no sacct here") from None
    except OSError as error:
        raise Unavailable("sacct: %s" % error.strerror) from None
    with process:
        try:
            yield from parts(process, seconds)
            process.wait(max(end - time.monotonic(), 0))
        except (TimeoutError, subprocess.TimeoutExpired):
            raise Unavailable("sacct took more than %d s" % seconds) from None
        finally:
            process.kill()
    if process.returncode != 0:
        messages = process.said.decode(errors="replace").strip().splitlines()
        raise Unavailable(messages[-1] if messages else "sacct ended with %d" % process.returncode)


def cut(output, end, count):
    """The rows of sacct's output, which comes in parts: each a list of `count` cells, as bytes, which `end` stands behind. ValueError
    where it is something else."""
    rest = b""
    for part in output:
        cells, at = (rest + part).split(end), 0
        while at + count < len(cells) and cells[at + count]:
            if not cells[at + count].startswith(b"\n"):
                raise ValueError("has a row with more cells than its heading")
            yield cells[at : at + count]
            at += count
            cells[at] = cells[at][1:]
        rest = end.join(cells[at:])
        if len(rest) > ROW_MAX:
            raise ValueError("has a row without an end")
    if rest:
        raise ValueError("is cut short")


def ask(jobs, cluster, units, scope, fields):
    """sacct's rows about the jobs (numbers), each a dict of these fields. `scope`: one of Accounting's."""
    words, environment, end = command(fields, cluster, ["--noheader", *scope, "--jobs=" + ",".join(map(str, jobs)), *units])
    try:
        for cells in cut(answer(words, environment, SECONDS), end.encode(), len(fields)):
            yield dict(zip(fields, (cell.decode(errors="replace") for cell in cells)))
    except ValueError as error:
        raise Unavailable("what sacct writes %s" % error) from None


def queue(jobs, cluster):
    """What Slurm's controller has of these jobs (texts as squeue takes them) that are not over, each a dict: `name` as
    it is shown, `raw`, state, user, account, node_count, nodes. Nothing where it cannot be asked."""
    if not jobs:
        return
    import subprocess

    names = ("raw", "name", "state", "user", "account", "node_count", "nodes")
    words = ["squeue", "--noheader", "--states=all", "--format=%A|%i|%T|%u|%a|%D|%N", "--jobs=" + ",".join(jobs)]
    if cluster and cluster != "all":
        words.append("--clusters=" + cluster)
    try:
        result = subprocess.run(
            words,
            env=dict(os.environ, LC_ALL="C"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=QUEUE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in result.stdout.decode(errors="replace").splitlines():
        cells = line.split("|")
        if len(cells) == len(names) and cells[2] in NOT_OVER:
            yield dict(zip(names, cells))


class Accounting:
    """The rows of sacct about the jobs of the last prefetch().

    With `asked_for` a site without accounting is reported to the user, else failures alone. `scopes`: sacct is
    asked once with each of these lists of options, and the rows are put together. `more`: fields of sacct beside FACTS.
    `needed_by`: an option that cannot be answered without accounting.
    """

    failure = None  # why it does not answer: nobody asks again then

    def __init__(self, units, asked_for, scopes, more=(), needed_by=None):
        self.units, self.scopes = units, scopes
        self.asked_for, self.needed_by = asked_for, needed_by
        self.facts_wanted = FACTS + tuple(name for name in more if name not in FACTS)
        self.former = False  # whether sacct has the FORMER names
        self.rows = {}
        self.asked = set()
        self.seconds = 0.0  # that sacct took

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
        if Accounting.failure is not None:
            self.check_needed(Accounting.failure)
            return
        begun = time.monotonic()
        try:
            for scope in self.scopes:
                for row in self.rows_of(jobs, cluster, scope):
                    self.add_row(cluster, row)
        except Unavailable as reason:
            Accounting.failure = reason
            self.check_needed(reason)
            if self.asked_for or not reason.is_normal():
                print("jobtrail-acct: without Slurm's accounting: %s" % escape(str(reason)), file=sys.stderr)
        self.seconds += time.monotonic() - begun
        self.asked.update((cluster, job) for job in jobs)

    def check_needed(self, reason):
        if self.needed_by:
            raise Failure("%s needs Slurm's accounting: %s" % (self.needed_by, escape(str(reason)))) from None

    def rows_of(self, jobs, cluster, scope):
        """The rows as ask() makes them, in a list, under the names that fields have now."""
        names = NAMED + self.facts_wanted
        fields = [FORMER.get(name, name) if self.former else name for name in names]
        try:
            rows = ask(jobs, cluster, self.units, scope, fields)
            return [dict(zip(names, map(row.get, fields)), start=None, end=None) for row in rows]
        except Unavailable as reason:
            if self.former or NO_FIELD not in str(reason) or not set(FORMER) & set(names):
                raise
        self.former = True
        return self.rows_of(jobs, cluster, scope)

    def add_row(self, cluster, row):
        job, _, step = row["JobIDRaw"].partition(".")
        if job.isdecimal():
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

    def facts(self, run):
        """The row of the run's step, with what Slurm has of the job alone; None: nothing is known."""
        job, step = self.of(run, step=False), self.of(run)
        if job is None:
            return step
        facts = dict(step or dict.fromkeys(self.facts_wanted, ""))
        for name in OF_JOB & set(self.facts_wanted):
            facts[name] = facts[name] or job[name]
        return facts

    def job_name(self, run):
        """Of the job: the row of a step has the step's name."""
        job = self.of(run, step=False)
        return job["JobName"] if job else None


def distance(row, moment):
    """Seconds between a moment and the time of the row; 0 inside. Slurm has lost the start of some that were requeued."""
    if moment is None or row["start"] is row["end"] is None:
        return 0 if moment is None else float("inf")
    start = row["start"] if row["start"] is not None else moment
    end = row["end"] if row["end"] is not None else float("inf")
    return max(start - moment, moment - end, 0)
