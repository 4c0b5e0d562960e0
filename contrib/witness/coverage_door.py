# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the kernel witness reported about jobs, and whether the ledger agrees: the witness_... of coverage records,
jobtrail-record-witness(5). See coverage_told.py. And which steps were of one program, see ranks.py."""

import functools

from .. import ranks, text
from ..store import again

COUNTS = ("processes", "older", "partial", "left", "lost", "overruns", "unheard", "agreed", "explained", "unexplained")
LEVELS = ("objects", "ends", "none", "off")
# The parts of one record, and facts of it, have the same of these.
SQL = (
    "SELECT DISTINCT coalesce(run.cluster, ''), run.job_id_raw, coalesce(run.restart_count, 0), run.node, "
    + again("run", "job_start") + ", run.user, run.proven, run.witness, run.witness_causes, "
    + ", ".join("run.witness_" + name for name in COUNTS) + " FROM"
    " (SELECT coverage.*, coverage.partition AS queue FROM coverage) AS run"
    " WHERE run.job_id_raw IS NOT NULL AND run.witness IS NOT NULL AND %s"
)


def causes_of(column):
    """{cause: processes} of `static=3 unloaded=1`."""
    words = (word.partition("=") for word in (column or "").split())
    return {name: int(number) for name, _, number in words if number.isdigit()}


def read(store, condition, values):
    """The sums over jobs on nodes that fit the condition about `run`, or None where no record has any. What root has not
    proven does not count where something proven is there of the same job on the same node."""
    found = {}
    for row in store.lookup(SQL % condition, values):
        at = row[:5]
        if at not in found or row[6] > found[at][6]:
            found[at] = row
    if not found:
        return None
    sums = {name: 0 for name in COUNTS}
    sums.update(levels={level: 0 for level in LEVELS}, causes={}, jobs_unheard=0, jobs_lost=0)
    for row in found.values():
        add(sums, row[7], row[8], dict(zip(COUNTS, row[9:])))
    return sums


def add(sums, level, causes, counts):
    """Adds a job on a node."""
    for name in COUNTS:
        sums[name] += counts[name] or 0
    if level in sums["levels"]:
        sums["levels"][level] += 1
    for name, number in causes_of(causes).items():
        sums["causes"][name] = sums["causes"].get(name, 0) + number
    sums["jobs_unheard"] += (counts["unheard"] or 0) > 0
    # the same loss of the node is in the record of each job that ran there
    sums["jobs_lost"] += any((counts[name] or 0) > 0 for name in ("left", "lost", "overruns"))


def programs_of_all(store, jobs):
    """{(ranks.job_of(), step, proven): whether a path is of the program that all tasks of the step ran}"""
    from . import rank_summary  # pylint: disable=import-outside-toplevel

    return {
        (*ranks.job_of(of), of["step_id"], of["proven"]): functools.partial(rank_summary.is_of, of)
        for of in rank_summary.of_jobs(store, jobs)
        if of["program"] and of["ranks"] == of["step_tasks"] and not of["unseen"]
    }  # fmt: skip


def share(sums):
    """Of the processes that are compared, those of which both say the same or a cause is known; None: there are none."""
    compared = sums["agreed"] + sums["explained"] + sums["unexplained"]
    return (sums["agreed"] + sums["explained"]) / compared if compared else None


def lines(sums):
    """Sentences; none where no site has asked for the witness."""
    if sums is None or not any(sums["levels"][level] for level in LEVELS if level != "off"):
        return []
    causes = sorted(sums["causes"].items(), key=lambda item: (-item[1], item[0]))
    known = " (%s)" % ", ".join("%s %d" % (text.escape(name), number) for name, number in causes) if causes else ""
    found = [
        "The kernel reported %d processes: %d match the records, %d differ for a known reason%s, %d are unexplained"
        % (sums["processes"], sums["agreed"], sums["explained"], known, sums["unexplained"])
    ]
    if sums["older"] or sums["partial"]:
        found.append("%d processes began before the kernel witness, %d are known in part" % (sums["older"], sums["partial"]))
    if sums["jobs_lost"]:
        found.append(
            "Lost on the nodes of %d jobs: %d processes (no room), %d events, and ends of threads %d times; each loss counts"
            " for every job that ran then" % (sums["jobs_lost"], sums["left"], sums["lost"], sums["overruns"])
        )
    if sums["jobs_unheard"]:
        found.append("The kernel witness was down for %.1f seconds of %d jobs" % (sums["unheard"], sums["jobs_unheard"]))
    if sums["levels"]["off"]:
        found.append("It was off for %d jobs" % sums["levels"]["off"])
    return found
