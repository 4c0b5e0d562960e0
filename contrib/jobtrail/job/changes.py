# SPDX-License-Identifier: LGPL-2.1-or-later
"""What changed since the last good run of the same script: the user's last completed job of the 90 days before this one that ran
its main program in the same directory, under the same name."""

import argparse
import os
import time

from ..acct import details, fields
from ..acct.select import DAYS
from ..acct.selected import selected_runs
from ..pattern import Pattern
from ..store import SINCE
from .diff import differences

MODULE_COMMAND = Pattern(r".*/modulecmd(?:\.tcl)?\Z|.*/lmod(?:/[^/]*)*/libexec/[A-Za-z_]+\Z")
HELPERS = {"jspawnhelper", "utempter", "fc-list", "fc-match", "conmon", "valgrind.bin"}
JOBS_LOOKED_AT, DAYS_LOOKED_AT = 20, 90
SECTIONS = ("executable", "libraries", "modules", "packages", "arguments", "place", "limits")
NAME = "SLURM_JOB_NAME"
BEFORE = (
    "SELECT run.job_id_raw, " + SINCE + " AS since, min(run.start_time) AS began, min(run.environment_id) AS environment_id FROM run"
    " JOIN executable ON executable.id = run.executable_id WHERE run.user = ? AND executable.path = ?"
    " AND coalesce(run.cwd, '') = ? AND coalesce(run.cluster, '') = ? AND run.start_time < ? AND run.start_time >= ? AND run.proven = ? AND run.job_id_raw <> ?"
    " GROUP BY run.job_id_raw, since ORDER BY began DESC LIMIT %d" % JOBS_LOOKED_AT
)


def kind_of(run):
    """Of programs that do not do the job's work: "module commands", "helpers"; None: another one."""
    words = [run["exec_path"] or "", *(run["cmdline"] or [])[:3]]
    if any(MODULE_COMMAND.match(str(word)) for word in words):
        return "module commands"
    return "helpers" if os.path.basename(words[0]) in HELPERS else None


def main_run(runs):
    """The one of the program that had most core time."""
    found = [run for run in runs if kind_of(run) is None and run["exec_path"] and run["start_time"]]
    return max(found, key=lambda run: (run["core_seconds"] or 0, fields.elapsed(run) or 0), default=None)


def good_before(store, wanted, run, now):
    """The runs of that job; None: there is none."""
    start = run["start_time"]
    values = (run["user"], run["exec_path"], run["cwd"] or "", run["cluster"] or "", start, start - DAYS_LOOKED_AT * 86400,
              run["proven"], run["job_id_raw"])  # fmt: skip
    found = [dict(zip(("job", "since", "began", "environment_id"), row)) for row in store.lookup(BEFORE, values)]
    variables = details.environments(store, [run, *found])
    name = variables.get(run["environment_id"], {}).get(NAME)
    for job in found:
        if variables.get(job["environment_id"], {}).get(NAME) != name:
            continue
        options = argparse.Namespace(**vars(wanted))
        options.no_sacct = True  # that it completed is the record's own word
        options.jobs = at(job["job"], job["began"])
        runs = [one for one in selected_runs(store, options, [], now) if (one["proven"], one["job_id_raw"]) == (run["proven"], job["job"])]
        if runs and all(one["state"] == "COMPLETED" for one in runs):
            return runs
    return None


def at(number, start):
    """The job that had the number then."""
    return "%s@%s" % (number, time.strftime(DAYS[19], time.localtime(start)))


def named(run):
    """The run's job, an array's task among others, at its time."""
    return at(run["job"].split(".")[0].partition("@")[0], run["start_time"])


def took(runs):
    """(seconds from the first start to the last end, core seconds, bytes of the largest process); None: not known."""
    ends = [run["end_time"] for run in runs]
    core = [run["core_seconds"] for run in runs]
    sizes = [run["max_rss"] for run in runs if run["max_rss"]]
    elapsed = None if None in ends else max(ends) - min(run["start_time"] for run in runs if run["start_time"] is not None)
    return elapsed, None if None in core else sum(core), max(sizes, default=None)


def since_good(store, wanted, runs, now):
    """{"job", "diff": the two names for jobtrail-job diff, "time": epoch, "changes": [{"section", "what", "a", "b"}], "elapsed", "core_seconds", "memory": (then, now)}.
    None: there is no good run before, or this one is no run of a job."""
    run = main_run(runs)
    if run is None or run["job_id_raw"] is None:
        return None
    before = good_before(store, wanted, run, now)
    if before is None:
        return None
    first = min(before, key=lambda one: one["start_time"] or run["start_time"])
    options = argparse.Namespace(**vars(wanted))
    options.diff, options.json, options.proven = [named(one) for one in (first, run)], False, run["proven"]
    data = differences(store, options, now)
    changes = []
    for pair in data["pairs"]:
        for section in pair["sections"]:
            if section["name"] in SECTIONS:
                found = [dict(fact, section=section["name"]) for fact in section["different"]]
                changes += [fact for fact in found if fact not in changes]
    sums = dict(zip(("elapsed", "core_seconds", "memory"), zip(took(before), took(runs))))
    return dict(sums, job=first["job"].split(".")[0], diff=options.diff, time=first["start_time"], changes=changes)
