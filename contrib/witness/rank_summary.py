# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ranks of parallel programs, summarised: each node sends its own (ranks records, see jobtrail-record-witness(5)), and here they are
added up. What is proven and what is not are never added to each other.
"""

import itertools

from ..ranks import step_of
from ..store import again

COLUMNS = (
    "cluster", "job_id_raw", "array_job_id", "array_task_id", "het_job_id", "het_offset", "restart_count", "user", "account",
    "partition", "step_id", "step_tasks", "step_nodes", "node_tasks", "node", "program", "ranks", "unseen", "start_time", "end_time",
    "timed", "elapsed_min", "elapsed_mean", "elapsed_max", "measured", "cpu_min", "cpu_mean", "cpu_max", "memory_min",
    "memory_mean", "memory_max", "largest_task", "faults_min", "faults_mean", "faults_max", "faults_task", "ended_zero", "ended_code", "ended_signal", "ended_unknown", "ends",
    "failed_task", "failed_time", "failed_end", "proven", "again",
)  # fmt: skip
OF_JOB = COLUMNS[:11] + ("again",)
# a table that queries of runs can be asked of
FROM = "FROM (SELECT ranks.*, ranks.partition AS queue FROM ranks) AS run"
ROWS = "SELECT " + ", ".join("run." + name for name in COLUMNS[:-1]) + ", " + again("run", "end_time") + " " + FROM + " WHERE %s AND run.job_id_raw IN (%s)"
# each with how many ranks the numbers are of
SPREADS = (("elapsed", "timed"), ("cpu", "measured"), ("memory", "measured"), ("faults", "measured"))
COUNTS = ("ranks", "timed", "measured", "ended_zero", "ended_code", "ended_signal", "ended_unknown")
DIGITS = 10  # of a number of ranks
NAME_BYTES = 15  # of a program of which the kernel knew no path
AT_ONCE = 500


def proven_step(row):
    return step_of(row) + (-row["proven"],)


def spread(rows, name, counted):
    """(least, mean, most) of all; None where no rank is known. A mean weighs as many ranks as it is of."""
    known = [row for row in rows if row[counted] and row[name + "_mean"] is not None]
    if not known:
        return None, None, None
    mean = sum(row[name + "_mean"] * row[counted] for row in known) / sum(row[counted] for row in known)
    return min(row[name + "_min"] for row in known), mean, max(row[name + "_max"] for row in known)


def ends(rows):
    """{"EXIT:SIGNAL": ranks}, the most frequent first. Nodes tell the first sixteen ways to end."""
    found = {}
    for row in rows:
        for word in (row["ends"] or "").split():
            end, _, number = word.partition("=")
            if number.isdecimal() and len(number) <= DIGITS:
                found[end] = found.get(end, 0) + int(number)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def of_program(program, rows, step):
    """A program's ranks on all nodes. `step`: what all rows of the step have in common."""
    found = dict(step, program=program or None)
    found.update((name, sum(row[name] or 0 for row in rows)) for name in COUNTS)
    for name, counted in SPREADS:
        found[name + "_min"], found[name + "_mean"], found[name + "_max"] = spread(rows, name, counted)
    largest = max((row for row in rows if row["memory_max"] is not None), key=lambda row: row["memory_max"], default=None)
    faulting = max((row for row in rows if row["faults_max"]), key=lambda row: row["faults_max"], default=None)
    failed = min((row for row in rows if row["failed_time"] is not None), key=lambda row: row["failed_time"], default=None)
    for key, row, names in (
        ("largest", largest, {"task": "largest_task", "node": "node"}),
        ("faulting", faulting, {"task": "faults_task", "node": "node"}),
        ("failed", failed, {"task": "failed_task", "node": "node", "end": "failed_end", "time": "failed_time"}),
    ):
        found.update(("%s_%s" % (key, name), row and row[column]) for name, column in names.items())
    found["ends"] = ends(rows)
    found["start_time"] = min((row["start_time"] for row in rows if row["start_time"] is not None), default=None)
    found["end_time"] = max((row["end_time"] for row in rows if row["end_time"] is not None), default=None)
    return found


def of_step(rows):
    """A dict for each program, None where it is not known, of which there are ranks, or no others. `unseen`, tasks that nodes have reported
    nothing of, is of the step; so is what nodes have not sent: `nodes` of `step_nodes` have."""
    first = rows[0]
    step = {name: first[name] for name in OF_JOB}
    step.update(
        proven=bool(first["proven"]),
        step_tasks=max(row["step_tasks"] or 0 for row in rows) or None,
        step_nodes=max(row["step_nodes"] or 0 for row in rows) or None,
        nodes=len({row["node"] for row in rows}),
        unseen=sum(row["unseen"] or 0 for row in rows),
    )
    programs = sorted({row["program"] for row in rows if row["ranks"]}) or [""]
    return [of_program(program, [row for row in rows if row["program"] == program], step) for program in programs]


def of_jobs(store, jobs, where="1 = 1", values=()):
    """Yields what of_step() has, of the steps of these jobs' numbers, for which a condition about `run` holds."""
    jobs = sorted(jobs)
    for at in range(0, len(jobs), AT_ONCE):
        some = jobs[at : at + AT_ONCE]
        sql = ROWS % (where, ", ".join("?" * len(some)))
        rows = [dict(zip(COLUMNS, row)) for row in store.lookup(sql, list(values) + some)]
        rows.sort(key=lambda row: (proven_step(row), row["program"], row["node"] or ""))
        for _, group in itertools.groupby(rows, proven_step):
            yield from of_step(list(group))


def is_of(summary, path):
    """Whether it is of the executable of this path. Without paths of mappings the kernel knows a short name alone."""
    program = summary["program"]
    if program is None or path is None:
        return False
    name = path.rsplit("/", 1)[-1].encode("utf-8", "surrogateescape")[:NAME_BYTES].decode("utf-8", "replace")
    return program == path or ("/" not in program and program == name)


def of_runs(store, runs):
    """{id of a run of several tasks: the summary of its program's ranks}. `runs`: dicts of the columns of `run`, and `exec_path`.
    A summary that is not proven is none of a run that is."""
    parallel = [run for run in runs if run["job_id_raw"] is not None and (run["num_tasks"] or 0) > 1]
    found, of = {}, {}
    for summary in of_jobs(store, {run["job_id_raw"] for run in parallel}):
        found.setdefault(step_of(summary), []).append(summary)
    for run in parallel:
        for summary in found.get(step_of(run), ()):  # the proven ones first
            if summary["proven"] >= bool(run["proven"]) and is_of(summary, run["exec_path"]):
                of.setdefault(run["id"], summary)
    return of
