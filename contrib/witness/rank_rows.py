# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --ranks: all ranks of parallel programs, as the kernel reported them; rank 0 alone has a run. See
rank_summary.py."""

import os

from ..acct.amounts import size_text
from ..acct.fields import job_id
from ..acct.runs import days_of
from ..acct.select import Selection, select_place, window
from ..hostlist import split
from ..store import again
from ..times import format_elapsed, format_time
from . import rank_summary

DEFAULT = "JobID,Exec,Ranks,NTasks,Unseen,Nodes,MinElapsed,MaxElapsed,MinCPU,MaxCPU,MinRSS,MaxRSS,MaxRSSTask,Ends,FirstFailed,FirstFailedTask"
# options that can be used with it
GOES_WITH = {
    "account", "allusers", "cluster", "csv", "delimiter", "endtime", "format", "helpformat", "jobs", "json", "no_sacct", "noheader",
    "parsable", "partition", "ranks", "sort", "starttime", "store", "top", "user", "uuid",
}  # fmt: skip
JOBS = "SELECT DISTINCT run.job_id_raw " + rank_summary.FROM + " WHERE "
RUNS = (
    "SELECT run.id, run.cluster, run.job_id_raw, run.restart_count, run.user, run.step_id, run.proven, run.num_tasks,"
    " " + again("run") + " AS again, executable.path AS exec_path FROM run LEFT JOIN executable ON executable.id = run.executable_id"
    " WHERE run.uuid IN (%s)"
)


def column(name):
    return lambda row: row[name]


def elapsed(name):
    return lambda row: format_elapsed(row[name])


def size(name):
    return lambda row: size_text(row[name])


def nodes(row):
    """Where not all have sent, others' ranks are in no number."""
    return "%s of %s" % (row["nodes"], row["step_nodes"] or "?")


# exact values
SORTED_BY = {
    each + what: column("%s_%s" % (name, of))
    for each, of in (("Ave", "mean"), ("Max", "max"), ("Min", "min"))
    for what, name in (("CPU", "cpu"), ("Elapsed", "elapsed"), ("RSS", "memory"))
}
FIELDS = [
    ("Account", 10, column("account")),
    ("AveCPU", 10, elapsed("cpu_mean")),
    ("AveElapsed", 10, elapsed("elapsed_mean")),
    ("AveFaults", 10, lambda row: row["faults_mean"] and round(row["faults_mean"], 1)),
    ("AveRSS", 10, size("memory_mean")),
    ("Cluster", 10, column("cluster")),
    ("End", 19, lambda row: format_time(row["end_time"])),
    ("Ends", 20, lambda row: ",".join("%s=%d" % end for end in row["ends"].items())),
    ("EndsUnknown", 11, column("ended_unknown")),
    ("Exec", 20, lambda row: row["program"] and os.path.basename(row["program"])),
    ("ExecPath", 40, column("program")),
    ("FirstFailed", 11, column("failed_end")),
    ("FirstFailedNode", 15, lambda row: row["failed_node"]),
    ("FirstFailedTask", 15, column("failed_task")),
    ("FirstFailedTime", 19, lambda row: format_time(row["failed_time"])),
    ("JobID", 16, job_id),
    ("MaxCPU", 10, elapsed("cpu_max")),
    ("MaxElapsed", 10, elapsed("elapsed_max")),
    ("MaxFaults", 10, column("faults_max")),
    ("MaxFaultsNode", 13, lambda row: row["faulting_node"]),
    ("MaxFaultsTask", 13, lambda row: row["faulting_task"]),
    ("MaxRSS", 10, size("memory_max")),
    ("MaxRSSNode", 10, lambda row: row["largest_node"]),
    ("MaxRSSTask", 10, column("largest_task")),
    ("Measured", 8, column("measured")),
    ("MinCPU", 10, elapsed("cpu_min")),
    ("MinElapsed", 10, elapsed("elapsed_min")),
    ("MinFaults", 10, column("faults_min")),
    ("MinRSS", 10, size("memory_min")),
    ("NTasks", 8, column("step_tasks")),
    ("Nodes", 8, nodes),
    ("Partition", 10, column("partition")),
    ("Proven", 6, lambda row: "yes" if row["proven"] else "no"),
    ("Ranks", 8, column("ranks")),
    ("Start", 19, lambda row: format_time(row["start_time"])),
    ("Timed", 8, column("timed")),
    ("Unseen", 8, column("unseen")),
    ("User", 9, column("user")),
]


OF_RUN = {name for name, _, _ in FIELDS} - {"Account", "Cluster", "Exec", "ExecPath", "JobID", "Partition", "User"}


def is_within(row, period):
    start, end = period
    first = row["end_time"] if row["start_time"] is None else row["start_time"]
    return (start is None or row["end_time"] >= start) and (end is None or first <= end)


def of_uuids(store, uuids):
    """The numbers of the jobs of these runs, and a function of a row: whether it is of one of them."""
    marks = ", ".join("?" * len(uuids))
    names, rows = store.query(RUNS % marks, uuids)
    runs = [dict(zip(names, row)) for row in rows] if uuids else []

    def fits(row):
        return any(
            rank_summary.step_of(run) == rank_summary.step_of(row) and rank_summary.is_of(row, run["exec_path"]) for run in runs
        )

    return {run["job_id_raw"] for run in runs} - {None}, fits


def read(store, options, now):
    """What rank_summary.of_step() has, by job and step."""
    selection = Selection()
    select_place(selection, options, of_runs=False)
    period = window(options, now, bool(options.jobs or options.uuid))
    terms, values = [selection.sql()], list(selection.values)
    for term, value in zip(("run.end_time >= ?", "coalesce(run.start_time, run.end_time) <= ?"), period):
        if value is not None:
            terms.append(term)
            values.append(value)
    jobs = {job for job, in store.lookup(JOBS + " AND ".join(terms), values)}
    if options.uuid:
        of_runs, fits = of_uuids(store, split(options.uuid.lower()))
        jobs &= of_runs
    rows = list(rank_summary.of_jobs(store, jobs, selection.sql(), selection.values))
    starts = {(row["job_id_raw"], row["cluster"], row["again"]): row["start_time"] or row["end_time"] for row in reversed(rows)}
    days = days_of(store, starts)
    for row in rows:
        row["job_day"] = days.get((row["job_id_raw"], row["cluster"], row["again"]))
        if is_within(row, period) and (not options.uuid or fits(row)):
            yield row
