# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has no record in a job, and why."""

from ..store import again
from ..text import escape
from .select import WITH_RECORDS, Selection, select_place

# outcomes of coverage with which a program ran, or was to run, without a record
UNSEEN = {
    "sampled": "left out by sampling",
    "policy": "left out by the site",
    "excluded": "left out by the site",
    "opted_out": "left out by the user (--jobtrail=no)",
    "static": "static: nothing can be loaded into them",
    "setuid": "set-user-id: nothing can be loaded into them",
    "container": "in a container",
    "spool": "lost with the spool",
    "killed": "killed before the program had started",
    "missing": "not found",
    "unknown": "without a record, for an unknown reason",
}


def unseen(store, options, runs):
    """What has no record in the job, or in the step, of which these are the runs."""
    selection = Selection()
    select_place(selection, options)
    if runs:  # for the sake of the index: -j is about arrays, too
        selection.add_list("run.job_id_raw", {run["job_id_raw"] for run in runs})
        selection.add_list(again("run", "job_start"), {run["again"] for run in runs})
    marks = ", ".join("?" * len(UNSEEN))
    rows = store.lookup(
        "SELECT step_id, outcome, sum(tasks), sum(runs) %s%s AND outcome IN (%s) GROUP BY step_id, outcome"
        " ORDER BY step_id, outcome" % (WITH_RECORDS, selection.sql(), marks),
        selection.values + list(UNSEEN),
    )
    return [
        {"step": step, "outcome": outcome, "tasks": int(tasks or 0), "runs": int(runs or 0)}
        for step, outcome, tasks, runs in rows
        if tasks or runs
    ]


def unseen_text(row):
    number, word = (row["tasks"], "tasks") if row["tasks"] else (row["runs"], "programs")
    if number == 1:
        word = word[:-1]
    step = "" if row["step"] is None else "step %s: " % escape(row["step"])
    return "%s%d %s %s" % (step, number, word, UNSEEN[row["outcome"]])
