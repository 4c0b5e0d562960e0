# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct -X: one row for each job, put together from its runs."""

import itertools

from .. import library
from .fields import end_bound, job_id

# states of runs; the first one that a run of the job has is the job's
ORDER = ["RUNNING", "KILLED", "FAILED", "NOT_STARTED", "UNKNOWN", "OUTLIVED", "EXITED", "EXECED", "COMPLETED"]

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


USED = ("user_cpu", "system_cpu", "disk_read", "disk_write")
FORKED = ("forked", "forked_signaled", "forked_cpu", "forked_read", "forked_write")


def add_used(job, runs):
    """What the processes used, as the kernel reported. The last run of a process has it."""
    known = [run for run in runs if run["user_cpu"] is not None]
    for name in USED:
        job[name] = sum(run[name] for run in known) if known else None
    counted = [run for run in known if run["forked"] is not None]
    for name in FORKED:
        job[name] = sum(run[name] for run in counted) if counted else None
    for name in ("max_rss", "forked_max_rss"):
        job[name] = max((run[name] for run in known if run[name] is not None), default=None)
    job["forked_least"] = any(run["forked_least"] for run in counted)
    is_whole = all(run["user_cpu"] is not None or run["end_source"] == "exec" for run in runs)
    is_of_ranks = any((run["num_tasks"] or 0) > 1 for run in runs)
    job["used_bound"] = "" if is_whole and not is_of_ranks else ">="
    add_ranks(job, runs)


def add_ranks(job, runs):
    """Processor time and largest memory of all ranks: a run of several tasks has those of its own, and the summary of the
    program's ranks, one in a step, those of all that were measured."""
    job["ranks_bound"], cpu, largest, summed = "", [], [job["max_rss"]], {}
    for run in runs:
        of, found, is_last = (run["step_id"], run["exec_path"]), run["ranks"], run["end_source"] != "exec"
        own, is_whole = run["run_cpu"], run["run_cpu"] is not None or not is_last
        if is_last and found and found["measured"] and of not in summed:
            own, summed[of] = found["cpu_mean"] * found["measured"], run["node"]
            largest.append(found["memory_max"])
            is_whole = found["measured"] >= run["num_tasks"] and not found["unseen"] and found["nodes"] >= (found["step_nodes"] or 1)
        elif summed.get(of, run["node"]) != run["node"]:
            continue  # the summary is of this node, too
        elif is_last and (run["num_tasks"] or 0) > 1:
            is_whole = False
        cpu += [] if own is None else [own]
        job["ranks_bound"] = job["ranks_bound"] if is_whole else ">="
    job["run_cpu"] = sum(cpu) if cpu else None
    job["max_rss"] = max((size for size in largest if size is not None), default=None)


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
    worst = min(runs, key=lambda run: ORDER.index(run["state"]) if run["state"] in ORDER else -1)
    job["state"] = slurm["State"].split(" ")[0] if slurm else worst["state"]
    job["exit"] = slurm["ExitCode"] if slurm else worst["exit"]
    job["slurm"] = slurm
    job["job_name"] = slurm["JobName"] if slurm else None
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
