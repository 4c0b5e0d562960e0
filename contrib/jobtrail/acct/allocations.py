# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct -X: one row for each job, put together from its runs."""

import itertools

from .. import library
from . import ending
from .fields import end_bound, job_id
from .used import add_used, steps_of

# what a job of several runs has not
OF_ONE_RUN = (
    "uuid", "cmdline", "cwd", "hash_id", "signal", "end_source", "end_time_error", "exec_path", "environment_id",
    "ancestors_id", "ancestor_pids", "build_uuid", "build_user", "build_host", "build_compiler", "build_compiler_path",
    "build_modules", "build_epoch", "missing_library", "captured_by",
)  # fmt: skip


def of_job(run):
    return run["cluster"], run["job_id"], run["restart_count"], run["again"], run["user"]


def allocations(runs, wanted):
    """One dict like a run's for the runs of each job; those of a number come together in `runs`."""

    def number(run):
        return of_job(run) if run["job_id_raw"] is None else (run["job_id_raw"], run["proven"])

    for _, group in itertools.groupby(runs, number):
        jobs = {}
        for run in group:
            jobs.setdefault(of_job(run), []).append(run)
        yield from (allocation(job, wanted) for job in jobs.values())


def core_time(run):
    """For the order of programs."""
    if run["core_seconds"] is not None:
        return run["core_seconds"]
    return (run["run_time"] or 0) * (run["cpus_alloc"] or run["num_cores"] or 1)


def add_core_seconds(job, runs):
    """Those of the runs that have any; more is possible if others have not."""
    known = [run for run in runs if run["core_seconds"] is not None]
    is_whole = len(known) == len(runs) and all(run["core_seconds_max"] is not None for run in known)
    job["core_seconds"] = sum(run["core_seconds"] for run in known) if known else None
    job["core_seconds_max"] = sum(run["core_seconds_max"] for run in runs) if is_whole else None
    job["is_start_only"] = any(run["is_start_only"] for run in runs)


def allocation(runs, wanted):
    job = dict(runs[0], step_id=None, task_id=None, runs=len(runs))
    times = {}
    for run in runs:
        for path in run["exec_paths"]:
            times[path] = times.get(path, 0) + core_time(run)
    job["exec_paths"] = sorted(times, key=lambda path: (-times[path], path))
    job["job"] = job_id(job)
    job["outlived"] = any(run["outlived"] for run in runs)
    starts = [run["start_time"] for run in runs if run["start_time"] is not None]
    job["start_time"] = min(starts, default=None)
    for name in ("end_time", "end_time_min", "end_time_max"):
        # a run without bounds (XALT's) ended when it says
        ends = [run["end_time"] if run[name] is None else run[name] for run in runs]
        job[name] = max((end for end in ends if end is not None), default=None)
    if end_bound(job) == ">=":  # that of another run may be the latest possible
        job["end_time"] = job["end_time_min"]
    if starts and job["end_time"] is not None:
        job["truncated"] = max(job["end_time"] - job["start_time"], 0.0)
    for name in ("num_tasks", "num_nodes", "cpus_alloc", "num_cores", "num_gpus", "gpus_alloc"):
        job[name] = max((run[name] for run in runs if run[name] is not None), default=None)
    add_used(job, runs)
    add_core_seconds(job, runs)
    slurm = wanted.accounting.of(job, step=False) if wanted.accounting else None
    end = ending.of(runs, slurm)
    job["state"], job["exit"], job["slurm"] = end["state"], end["exit"], slurm
    job["parts"], job["steps"] = runs, steps_of(wanted.accounting, runs[0], slurm) if slurm else {}
    job["job_name"] = slurm["JobName"] if slurm else job["job_name"]
    job["libs"] = merged(run["libs"] for run in runs)
    if len(runs) > 1:
        job["unlisted"] = None if any(map(library.lacking, runs)) else 0
    for door in filter(lambda door: door.KEY, wanted.doors):
        job[door.KEY] = door.merged([run[door.KEY] for run in runs])
    job["packages"] = sorted({package for run in runs for package in run["packages"]})
    for name in OF_ONE_RUN:
        job[name] = job[name] if len(runs) == 1 else None
    for name in ("module", "compiler", "built_by"):
        job[name] = ",".join(sorted({run[name] for run in runs if run[name]})) or None
    return job


def merged(lists):
    """Libraries of all runs, each once."""
    found = {lib["path"]: lib for libs in lists for lib in libs or []}
    return [found[path] for path in sorted(found)]
