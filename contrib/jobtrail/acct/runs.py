# SPDX-License-Identifier: LGPL-2.1-or-later
"""The selected runs, each a dict of the store's columns and of what complete() adds."""

import itertools
import json
import time

from .. import ranks, slurm
from ..hints import tell
from ..store import again
from . import details
from .fields import KEYS, job_id
from .select import DAYS, ids, last_moment
from .state import Successors, exit_code, may_have_reason, state

JOB_NAME = "SLURM_JOB_NAME"  # what a job's user says, where Slurm does not
AT_ONCE = 2000  # runs whose jobs sacct is asked about together

RUNS = (
    "SELECT run.*, %s AS again, executable.path AS exec_path, executable.hash_id, module.name AS module,"
    " build.build_uuid, build.build_user, build.build_host, build.build_compiler,"
    " build.build_compiler_path, build.build_modules, build.build_epoch"
    " FROM run"
    " LEFT JOIN executable ON executable.id = run.executable_id"
    " LEFT JOIN module ON module.id = executable.module_id"
    " LEFT JOIN build ON build.id = run.build_id"
    " WHERE %s"
    " ORDER BY job_id_raw IS NULL, job_id_raw, run.proven DESC, run.start_time, run.uuid,"
    " run.owner"
)
# a job; its number alone is that of others, too
JOB = ("job_id_raw", "cluster", "again", "user", "proven")


BUILD_ID = "build-id:"


def content(word):
    """What is known of a file by `object.hash`."""
    if word.startswith(BUILD_ID):
        return {"hash": None, "build_id": word[len(BUILD_ID) :]}
    return {"hash": None if word == "0" else word, "build_id": None}


class Libraries:
    """The libraries of each object set, read once."""

    def __init__(self, store):
        self.store = store
        self.sets = {None: None}

    def of(self, object_set):
        if object_set not in self.sets:
            rows = self.store.lookup(
                "SELECT object.path, object.hash, module.name FROM object_set_member AS member"
                " JOIN object ON object.id = member.object_id"
                " LEFT JOIN module ON module.id = object.module_id"
                " WHERE member.object_set_id = ? ORDER BY object.path, object.hash",
                (object_set,),
            )
            self.sets[object_set] = [dict(path=path, module=module, **content(word)) for path, word, module in rows]
        return self.sets[object_set]


def add_other_nodes(run, added):
    """What tasks of other nodes add to its core seconds."""
    for name in ("core_seconds", "core_seconds_max"):
        if run[name] is not None:
            run[name] += added.get(run["id"], 0.0)


def packages_of(store, run):
    return store.lookup(
        "SELECT package.name, package.version FROM run_package"
        " JOIN package ON package.id = run_package.package_id"
        " WHERE run_package.run_uuid = ? AND run_package.owner = ? AND run_package.proven >= ?"
        " ORDER BY package.name, package.version",
        (run["uuid"], run["package_owner"], run["proven"]),
    )


def jobs_of(store, selection, of):
    """[(JOB..., the last restart, the first start)] of the selected jobs whose numbers are in `of`."""
    return store.lookup(
        "SELECT job_id_raw, cluster, %s AS again, user, proven, max(restart_count), min(start_time) FROM run WHERE %s"
        " AND job_id_raw IN (SELECT job_id_raw FROM %s) GROUP BY job_id_raw, cluster, again, user, proven"
        % (again("run"), selection.sql(), of),
        selection.values,
    )


def latest_restarts(store, selection):
    """The last restart of each selected job that was requeued, of proven and of other runs apart: others
    hide no proven one."""
    return {tuple(row[:5]): row[5] for row in jobs_of(store, selection, "job_part WHERE restart_count > 0")}


def days_of(store, jobs):
    """{job: its day, or its second where the day is not enough} of jobs with a number that others of them have, too. A job is (number in Slurm,
    cluster, again()). `jobs`: {job: its first start}"""
    found, names, others = {}, {}, {}
    for job in jobs:
        found.setdefault(job[:2], []).append(job)
    several = [of for of in found.values() if len(of) > 1]
    sql = "SELECT job_id_raw, cluster, start_time FROM job_again WHERE job_id_raw IN (%s)"
    for number, cluster, since in store.lookup(sql % ids({of[0][0] for of in several})) if several else ():
        others.setdefault((number, cluster), []).append(since)
    for of in several:
        starts = [time.localtime(jobs[job] or 0) for job in of]
        texts, seconds = ([time.strftime(form, start) for start in starts] for form in DAYS.values())
        later = others.get((of[0][0], of[0][1] or ""), ())
        if any(job[2] < since <= last_moment(day) for job, day in zip(of, texts) for since in later):
            texts = seconds
        names.update(zip(of, texts))
    return names


def days_of_runs(store, selection):
    """days_of() the jobs of the selected runs."""
    jobs = {}
    for number, cluster, since, _, _, _, start in store.lookup("SELECT 1 FROM job_again LIMIT 1") and jobs_of(store, selection, "job_again"):
        job = number, cluster, since
        jobs[job] = min((one for one in (start, jobs.get(job)) if one is not None), default=None)
    return days_of(store, jobs)


def latest(runs, key=lambda run: (run["job_id_raw"], run["user"], run["cluster"])):
    """Those of the last job, of the jobs with one number for which key() is the same: who asks with a bare number asks for it."""
    last = {}
    for run in runs:
        last[key(run)] = max(run["again"], last.get(key(run), 0))
    return [run for run in runs if run["again"] == last[key(run)]]


def read(store, selection, wanted):
    """The selected runs in sacct's order.

    `wanted`: now, duplicates, packages, names (whether those of jobs are wanted), divided (whether core seconds are), doors (of fields.DOORS), qos
    (names, None: any), fitting (functions of a run: all must be true), accounting (None: without Slurm's), facts (whether all runs need it),
    is_extra (whether that is for a column of the default, which is left empty where sacct takes long).
    """
    libraries, successors = Libraries(store), Successors(store)
    restarts = {} if wanted.duplicates else latest_restarts(store, selection)
    days = days_of_runs(store, selection)
    names, rows = store.query(RUNS % (again("run"), selection.sql()), selection.values)
    while True:
        runs = [dict(zip(names, row)) for row in itertools.islice(rows, AT_ONCE)]
        if not runs:
            return
        runs = [run for run in runs if is_latest(run, restarts)]
        if wanted.accounting and wanted.is_extra and wanted.accounting.seconds > slurm.EXTRA_SECONDS:
            wanted.facts = wanted.is_extra = False
            tell("sacct is slow: the other rows have no JobName; -o with JobName waits for it")
        if wanted.accounting:
            wanted.accounting.prefetch(run for run in runs if wanted.facts or may_have_reason(run))
        added = ranks.added(store, runs) if wanted.divided else {}
        told = {door.KEY: door.of_runs(store, runs) for door in wanted.doors if door.KEY}
        named = details.variable(store, runs, JOB_NAME) if wanted.names else {}
        for run in runs:
            add_other_nodes(run, added)
            run["job_name"] = named.get(run["environment_id"])
            run["job_day"] = days.get(tuple(run[name] for name in JOB[:3]))
            run["libs"] = libraries.of(run["object_set_id"])
            run.update(dict.fromkeys(KEYS))
            run.update((key, found.get(run["id"])) for key, found in told.items())
            run["packages"] = packages_of(store, run) if wanted.packages else []
            complete(run, wanted, successors)
            if wanted.qos is not None and (run["qos"] or "").lower() not in wanted.qos:
                continue
            if all(fits(run) for fits in wanted.fitting):
                yield run


def quality_of_service(run, wanted):
    """From Slurm's accounting where the record does not have it (Slurm before 26.05)."""
    if run["qos"] or not (wanted.accounting and wanted.facts):
        return run["qos"]
    row = wanted.accounting.of(run, step=False)
    return row["QOS"] if row else None


def is_latest(run, restarts):
    return restarts.get(tuple(run[name] for name in JOB), run["restart_count"]) == run["restart_count"]


def complete(run, wanted, successors):
    """Adds what follows from the columns."""
    run["cmdline"] = json.loads(run["cmdline"] or "null")
    run["now"] = wanted.now
    run["truncated"] = None
    run["runs"] = 1
    run["run_cpu"] = None if run["user_cpu"] is None else run["user_cpu"] + run["system_cpu"]
    run["exec_paths"] = [run["exec_path"]] if run["exec_path"] else []
    run["compiler"], run["built_by"] = run["build_compiler"], run["build_user"]
    run["qos"] = quality_of_service(run, wanted)
    run["job"] = job_id(run)
    run["state"] = state(run, successors, wanted.accounting)
    run["exit"] = exit_code(run)
    if wanted.accounting and wanted.facts:
        run["job_name"] = wanted.accounting.job_name(run) or run["job_name"]
    run["slurm"] = wanted.accounting.facts(run) if wanted.accounting and wanted.facts else None
