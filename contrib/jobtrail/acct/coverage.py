# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --coverage: how many tasks have records, and why the others have none."""

from ..store import LEADER_OUTCOME

SQL = (
    """
    SELECT coalesce(leader_outcome, outcome) AS outcome, sum(tasks) AS tasks,
           sum(CASE WHEN outcome = 'uncertain' THEN 0 ELSE core_seconds END) AS core_seconds,
           sum(CASE WHEN outcome = 'uncertain' THEN core_seconds ELSE 0 END) AS uncertain_core_seconds
    FROM (SELECT run.outcome, run.tasks, run.core_seconds,"""
    + LEADER_OUTCOME.format("run")
    + """
          FROM (SELECT coverage.*, 0 AS is_start_only, NULL AS end_time_max,
                       coverage.partition AS queue, NULL AS qos
                FROM coverage) AS run
          WHERE %s) AS fact
    GROUP BY 1
    ORDER BY core_seconds DESC, outcome
"""
)

DEFAULT = "Outcome,Tasks,CoreSeconds,Uncertain,Share"
FIELDS = [
    ("CoreSeconds", 14, lambda row: "%.0f" % row["core_seconds"]),
    ("Outcome", -10, lambda row: row["outcome"]),
    ("Share", 7, lambda row: "%.1f%%" % (100 * row["share"])),
    ("Tasks", 10, lambda row: row["tasks"]),
    ("Uncertain", 10, lambda row: "%.0f" % row["uncertain_core_seconds"]),
]


def read(store, selection):
    """Of each outcome the number of tasks, their core seconds, and the share of these in all."""
    names, rows = store.query(SQL % selection.sql(), selection.values)
    rows = [dict(zip(names, row)) for row in rows]
    for row in rows:
        row["tasks"] = int(row["tasks"])
        for name in ("core_seconds", "uncertain_core_seconds"):
            row[name] = float(row[name] or 0)
    whole = sum(row["core_seconds"] for row in rows)
    for row in rows:
        row["share"] = row["core_seconds"] / whole if whole else 0
    return rows
