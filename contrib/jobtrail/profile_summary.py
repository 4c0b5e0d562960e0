# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiles of steps: each node tells of its own file (profile records, see jobtrail-record(5)), and here they are added up. Where the
files are is root's word; what is in them, and so the time in MPI, is what the job's processes claim of themselves.
"""

import itertools
import re

from .rank_summary import AT_ONCE, proven_step, step_of

COLUMNS = (
    "cluster", "job_id_raw", "restart_count", "user", "step_id", "step_tasks", "step_nodes", "node", "path", "bytes", "end_time",
    "ranks", "mpi_ranks", "mpi_calls", "mpi_time", "mpi_elapsed", "mpi_outside_max", "mpi_missed", "mpi_untimed", "mpi_open",
    "mpi_routines", "proven",
)  # fmt: skip
OF_JOBS = "SELECT " + ", ".join(COLUMNS) + " FROM profile WHERE job_id_raw IN (%s)"
PARALLEL = (
    "SELECT cluster, job_id_raw, restart_count, user, step_id, proven, count(*) FROM run WHERE num_tasks > 1 AND job_id_raw IN (%s)"
    " GROUP BY cluster, job_id_raw, restart_count, user, step_id, proven"
)
# as jobtrail-load takes it; rows of before may have another text
ROUTINE = re.compile(r"([A-Za-z0-9_]+)=([0-9]{1,18}):([0-9]{1,18}(?:\.[0-9]{0,17})?):([0-9]{1,18})", re.ASCII)
OF_STEP = ("cluster", "job_id_raw", "restart_count", "user", "step_id")


def routine_name(text):
    """As C calls it, also where Fortran does: mpi_allreduce_ is MPI_Allreduce."""
    bare = text.lower().strip("_")
    return "MPI_" + bare[4:].capitalize() if bare.startswith("mpi_") and bare[4:] else text


def routines(rows):
    """[{routine, calls, seconds, open}] of what nodes have told, the most time first."""
    found = {}
    for row in rows:
        for word in (row["mpi_routines"] or "").split():
            told = ROUTINE.fullmatch(word)
            if told is None:
                continue
            name, calls, seconds, open_ranks = told.groups()
            name = routine_name(name)
            one = found.setdefault(name, {"routine": name, "calls": 0, "seconds": 0.0, "open": 0})
            one["calls"], one["seconds"], one["open"] = one["calls"] + int(calls), one["seconds"] + float(seconds), one["open"] + int(open_ranks)
    return sorted(found.values(), key=lambda one: (-one["seconds"], one["routine"]))


def time_in_mpi(rows):
    """Of ranks whose calls were counted; None: there is none. `share` and `imbalance`: None where no time is known. The imbalance is by
    how much the rank with most time outside of MPI is above the mean, in per cent."""
    rows = [row for row in rows if row["mpi_ranks"]]
    if not rows:
        return None
    ranks = sum(row["mpi_ranks"] for row in rows)
    seconds, elapsed = sum(row["mpi_time"] for row in rows), sum(row["mpi_elapsed"] for row in rows)
    mean = (elapsed - seconds) / ranks
    most = max(row["mpi_outside_max"] for row in rows)
    untimed = any(row["mpi_untimed"] for row in rows)
    return {
        "ranks": ranks,
        "calls": sum(row["mpi_calls"] for row in rows),
        "seconds": seconds,
        "elapsed": elapsed,
        "share": seconds / elapsed if elapsed > 0 and not untimed else None,
        "imbalance": max(100 * (most / mean - 1), 0.0) if mean > 0 and not untimed else None,
        "missed": sum(row["mpi_missed"] for row in rows),
        "untimed": untimed,
        "open": any(row["mpi_open"] for row in rows),
        "routines": routines(rows),
    }


def of_step(rows):
    """One dict of what all nodes have sent of a step: `nodes` of `step_nodes` have."""
    first = rows[0]
    found = {name: first[name] for name in OF_STEP}
    found.update(
        proven=bool(first["proven"]),
        step_tasks=max(row["step_tasks"] or 0 for row in rows) or None,
        step_nodes=max(row["step_nodes"] or 0 for row in rows) or None,
        nodes=len({row["node"] for row in rows}),
        ranks=sum(row["ranks"] for row in rows),
        files=[{name: row[name] for name in ("node", "path", "bytes", "ranks")} for row in rows],
        mpi=time_in_mpi(rows),
    )
    return found


def of_jobs(store, jobs):
    """Yields what of_step() has, of the steps of jobs of these numbers. What is proven and what is not are never added up."""
    jobs = sorted(jobs)
    for at in range(0, len(jobs), AT_ONCE):
        some = jobs[at : at + AT_ONCE]
        rows = [dict(zip(COLUMNS, row)) for row in store.lookup(OF_JOBS % ", ".join("?" * len(some)), some)]
        rows.sort(key=lambda row: (proven_step(row), row["node"]))
        for _, group in itertools.groupby(rows, proven_step):
            yield of_step(list(group))


def parallel_runs(store, jobs):
    """{(step, whether they are proven): how many runs of several tasks it has}"""
    found = {}
    for at in range(0, len(jobs), AT_ONCE):
        some = jobs[at : at + AT_ONCE]
        for *values, proven, number in store.lookup(PARALLEL % ", ".join("?" * len(some)), some):
            key = step_of(dict(zip(OF_STEP, values))), bool(proven)
            found[key] = found.get(key, 0) + number
    return found


def of_runs(store, runs):
    """{id of a run: what is known of its step's profiles, and `runs`, how many runs of several tasks the step has}. What is not proven
    is of no run that is."""
    jobs = {run["job_id_raw"] for run in runs} - {None}
    steps = {}
    for summary in of_jobs(store, jobs):
        steps.setdefault(step_of(summary), summary)  # the proven one first
    numbers = parallel_runs(store, sorted({summary["job_id_raw"] for summary in steps.values()}))
    found = {}
    for run in runs:
        summary = steps.get(step_of(run)) if run["job_id_raw"] is not None else None
        if summary is not None and summary["proven"] >= bool(run["proven"]):
            number = sum(numbers.get((step_of(run), proven), 0) for proven in {True, summary["proven"]})
            found[run["id"]] = dict(summary, runs=number)
    return found


def own_mpi(run):
    """The time in MPI of a run of several tasks, where no other one was in its step; else None."""
    profile = run["profile"]
    return profile["mpi"] if profile and profile["runs"] == 1 and (run["num_tasks"] or 0) > 1 else None
