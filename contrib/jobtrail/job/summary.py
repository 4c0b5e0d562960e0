# SPDX-License-Identifier: LGPL-2.1-or-later
"""Of a job: what it ran, on what, how it ended, and what it used of what it had asked for. Facts are the store's and Slurm's
accounting's; what neither tells is None. Terminal, mail and JSON are made of what summary() returns."""

import argparse
import collections
import itertools
import os

from .. import library, program, slurm
from ..acct import amounts, coverage, ending, fields
from ..acct.left_out import unseen, unseen_text
from ..acct.runs import latest
from ..acct.select import JOB, Selection, select_place
from ..acct.selected import selected_runs
from ..acct.state import JOB_SECONDS
from ..acct.used import cpus_of, memory_of, steps_of
from ..report.numbers import PARTS
from ..store import SINCE
from ..text import escape
from . import advice, changes, wording
from .changes import kind_of
from .diff import starts_first
from .wording import MOST_RUNS

IN_VAIN = 3  # exit status: to ask again later does not help
GPU_LIBRARIES = ("libcuda.so", "libcudart.so", "libamdhip64.so", "libhsa-runtime64.so", "libze_loader.so", "libOpenCL.so")


def of_job(options):
    """The options that select its runs."""
    match = JOB.match(options.job)
    if match is None or match["step"]:
        text = "jobtrail-job: %s is no job" % escape(options.job)
        raise program.Failure(text, status=IN_VAIN)
    wanted = argparse.Namespace(**vars(options))
    wanted.jobs, wanted.json = options.job, True
    return wanted


def runs_of(store, wanted, now):
    """(its runs, whether there are more)"""
    runs = list(itertools.islice(selected_runs(store, wanted, [], now), MOST_RUNS + 1))
    proven = [run for run in runs if run["proven"]]
    runs = proven if is_certain(wanted, runs) else proven or runs
    # the controller mails about the last one of all
    runs = latest(runs, lambda run: run["job_id_raw"]) if wanted.mail else latest(runs)
    jobs = sorted({(run["job"].split(".")[0], run["user"], run["cluster"] or "") for run in runs if run["job"]})
    if len(jobs) > 1:
        shown = ", ".join(map(one_of_several, jobs[:5])) + (", ..." if len(jobs) > 5 else "")
        raise program.Failure("jobtrail-job: %s is several jobs: %s" % (escape(wanted.jobs), shown), status=IN_VAIN)
    return runs[:MOST_RUNS], len(runs) > MOST_RUNS


def is_certain(wanted, runs):
    """Whether nothing is said without Slurm's word: the controller sends mails about others' jobs."""
    return bool(wanted.mail) and any(run["user"] != wanted.asker for run in runs)


def one_of_several(job):
    name, user, cluster = map(escape, job)
    return "%s of %s" % (name, user) + (" on %s" % cluster if cluster else "")


def slurm_rows(wanted, runs):
    """(Slurm's row of the job, {step: row}, the runs of that row), without the rows where Slurm is not asked or
    knows nothing. A job that was requeued has several rows, as have two jobs with one number: the last one with runs
    counts. Where is_certain(), it must be the last of all and must have ended: Failure where it has not."""
    first, certain = runs[0], is_certain(wanted, runs)
    if wanted.no_sacct or first["job_id_raw"] is None:
        if certain:
            raise program.Failure("jobtrail-job: --mail about another user's job needs Slurm's accounting")
        return None, {}, runs
    needed_by = "--mail" if certain else None
    accounting = slurm.Accounting(["--units=K"], False, wanted.scopes, needed_by=needed_by)
    accounting.prefetch([first])
    rows = accounting.rows.get((first["cluster"], first["job_id_raw"], ""), [])
    rows = sorted(rows, key=lambda row: float("inf") if row["start"] is None else row["start"], reverse=True)
    for row in rows[:1] if certain else rows:
        mine = [run for run in runs if slurm.distance(row, run["start_time"]) <= JOB_SECONDS]
        if mine and (has_ended(row) or not certain):
            return row, steps_of(accounting, first, row), mine
    if certain:
        raise program.Failure("jobtrail-job: --mail: the job runs, or its last start has no runs in the store")
    row = accounting.of(first, step=False)
    return row, steps_of(accounting, first, row), runs


def has_ended(row):
    return row["end"] is not None and row["State"].partition(" ")[0] not in wording.LIVE


def job_facts(run, runs, row, end):
    """`end`: of ending.of()."""
    last = [of["end_time"] for of in runs if of["end_time"] is not None]
    return {
        "job": run["job"].partition("@")[0].split(".")[0],
        "job_id_raw": run["job_id_raw"],
        "restart": run["restart_count"] or 0,
        "cluster": run["cluster"],
        "user": run["user"],
        "account": fields.known(run["account"] or ""),
        "partition": fields.known(run["partition"] or run["queue"] or ""),
        "qos": fields.known((row or {}).get("QOS") or run["qos"] or ""),
        "name": fields.known(row["JobName"]) if row else None,
        "nodes": fields.known(row["NodeList"]) if row else None,
        "first_node": fields.known(run["node"] or ""),
        "state": end["state"],
        "cancelled_by": end["cancelled_by"],
        "exit": end["exit"],
        "reason": fields.known(row["Reason"], "None") if row else None,
        "start": row["start"] if row else run["start_time"],
        "end": row["end"] if row else max(last, default=None),
        "of_slurm": row is not None,
    }


def programs_of(runs):
    """What ran, with most core time first."""
    groups = {}
    for run in runs:
        groups.setdefault((run["step_id"], run["exec_path"], kind_of(run)), []).append(run)
    found = []
    for (step, path, kind), of in groups.items():
        known = [run["core_seconds"] for run in of if run["core_seconds"] is not None]
        longest = max(of, key=lambda run: fields.elapsed(run) or 0)
        found.append({
            "step": step,
            "exec_path": path,
            "kind": kind,
            "module": of[0]["module"],
            "runs": len(of),
            "tasks": max((run["num_tasks"] for run in of if run["num_tasks"] is not None), default=None),
            "states": dict(collections.Counter(run["state"] for run in of)),
            "core_seconds": sum(known) if len(known) == len(of) else None,
            "elapsed": fields.elapsed(longest),
            "elapsed_bound": fields.end_bound(longest),
        })  # fmt: skip
    return sorted(found, key=lambda of: (-(of["core_seconds"] or 0), -(of["elapsed"] or 0), of["exec_path"] or ""))


def of_field(run, name):
    """What jobtrail-acct has in the field of that name, which may be of an extension that is not built."""
    return next((value(run) for field, _, value in fields.OURS if field == name), None)


def mpi_of(runs):
    """[{"exec_path", "share", "imbalance", "ranks": TEXT}] of programs whose time in MPI is known."""
    found = []
    for run in runs:
        share = of_field(run, "MPIShare")
        if share is not None:
            imbalance, ranks = of_field(run, "MPIImbalance"), of_field(run, "MPIRanks")
            found.append({"exec_path": run["exec_path"], "share": share, "imbalance": imbalance, "ranks": ranks})
    return found


def gpus_of(job, runs):
    """{"allocated": NUMBER, "programs": paths of what loaded a GPU's library, "is_whole": whether each list is complete}"""
    allocated = amounts.whole(amounts.resources(job["AllocTRES"]).get("gres/gpu")) if job else None
    told = [run["gpus_alloc"] for run in runs if run["gpus_alloc"] is not None]
    users = {run["exec_path"] for run in runs for lib in run["libs"] or [] if os.path.basename(lib["path"]).startswith(GPU_LIBRARIES)}
    is_whole = all(run["libs"] is not None and not library.lacking(run) for run in runs)
    return {"allocated": max(told, default=0) if allocated is None else allocated, "programs": sorted(filter(None, users)), "is_whole": is_whole}


def coverage_of(store, wanted, runs):
    """{"allocation": core seconds, "programs", "uncertain", "unseen", "idle": shares of it}; None: no node has told."""
    selection = Selection()
    select_place(selection, wanted, of_runs=False)
    selection.add_list("run.job_id_raw", {run["job_id_raw"] for run in runs} - {None})  # for the sake of the index
    selection.add_list(SINCE, {run["again"] for run in runs})
    rows = coverage.read(store, selection, (None, None), False)
    whole = sum(row["core_seconds"] for row in rows)
    if not whole:
        return None
    shares = {part: sum(row["share"] for row in rows if row["part"] == part) for part in PARTS}
    return dict(shares, allocation=whole)


def elapsed_of(row, runs):
    if row is not None:
        return amounts.seconds(row["Elapsed"])
    starts = [run["start_time"] for run in runs if run["start_time"] is not None]
    ends = [run["end_time"] for run in runs if run["end_time"] is not None]
    return max(ends) - min(starts) if starts and ends else None


def summary(store, options, now):
    """What there is to say of options.job:

        {"job": see job_facts(), "why": [TEXT],
         "time": {"elapsed", "limit"}: seconds,
         "memory": {"asked", "used", "largest_task", "sampled_at_most", "largest_process": bytes, "source", "step",
                    "steps": see used.step_memory()},
         "cpus": see used.cpus_of(), "gpus": see gpus_of(), "mpi": see mpi_of(),
         "coverage": see coverage_of(),
         "programs": see programs_of(), "failures": see ending.of(), "failed_ranks": likewise,
         "unseen": [{"step", "outcome", "tasks", "runs"}], "cut": whether there are more runs, "unknown": [TEXT],
         "since": see changes.since_good(), "advice": see advice.of()}

    A number is None where it is not known. `options`: as main.of_acct() makes them. Failure where there is no run."""
    wanted = of_job(options)
    runs, is_cut = runs_of(store, wanted, now)
    if runs:  # others have jobs of this number, too
        wanted.user, wanted.cluster = runs[0]["user"], runs[0]["cluster"] or wanted.cluster
    not_seen = unseen(store, wanted, runs)
    if not runs:
        whose = "" if options.allusers or options.user else "of your own "
        text = "the store has no run %sof job %s" % (whose, escape(options.job))
        text += "".join("; " + unseen_text(row) for row in not_seen)
        raise program.Failure("jobtrail-job: " + text)
    row, steps, runs = slurm_rows(wanted, sorted(runs, key=starts_first))
    first = runs[0]
    end = ending.of(runs, row)
    found = {"job": job_facts(first, runs, row, end), "why": end["why"]}
    found["time"] = {
        "elapsed": elapsed_of(row, runs), "limit": amounts.seconds(row["Timelimit"]) if row else None}  # fmt: skip
    found["memory"] = memory_of(row, steps, runs)
    found["cpus"] = cpus_of(row, runs, found["time"]["elapsed"])
    found["gpus"], found["mpi"] = gpus_of(row, runs), mpi_of(runs)
    found["programs"], found["failures"], found["failed_ranks"] = programs_of(runs), end["failures"], end["failed_ranks"]
    found.update(unseen=not_seen, cut=is_cut)
    found["coverage"] = coverage_of(store, wanted, runs)
    found["unknown"] = list(wording.unknown(found))
    found["since"] = None if options.mail else changes.since_good(store, wanted, runs, now)
    found["advice"] = advice.of(found, runs)
    return found
