# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --coverage: what became of the time that Slurm allocated, and how many tasks have records."""

from .. import coverage_told
from ..ranks import part_of
from ..report import days
from ..report.division import NOT_ALLOCATED, divisions
from ..report.numbers import EXACT_PLACES, PARTS, Numbers, add_up
from ..store import again
from .select import WITH_RECORDS, WITH_SLURM

DEFAULT = "Part,Outcome,Tasks,CoreSeconds,Share"
FIELDS = [
    ("CoreSeconds", 14, lambda row: "%.0f" % row.whole_seconds),
    ("Outcome", -10, lambda row: row["outcome"]),
    ("Part", -9, lambda row: row["part"]),
    ("Share", 7, lambda row: "%.1f%%" % (100 * row["share"])),
    ("Tasks", 10, lambda row: row["tasks"]),
]
SORTED_BY = {"CoreSeconds": lambda row: row["core_seconds"], "Share": lambda row: row["share"]}
JOB = "coalesce(cluster, ''), job_id_raw, coalesce(restart_count, 0), %s, user"


def days_of(period):
    """The first and the last day of (start, end): a row is of a whole day."""
    start, end = period
    first = None if start is None else days.of_time(start)
    last = None if end is None else days.of_time(end - 1 if first is None or end > start else end)
    return first, last


class Row(dict):
    """What JSON has of it; `whole_seconds` is what people are shown of the core seconds."""


def condition(selection, first, last, names):
    """SQL and values: the selection, and the columns of these names from the first to the last value."""
    terms, values = [selection.sql()], list(selection.values)
    for name, sign, value in zip(names, (">=", "<="), (first, last)):
        if value is not None:
            terms.append("run.%s %s ?" % (name, sign))
            values.append(value)
    return " AND ".join(terms), values


def find_jobs(store, selection, first, last, is_part):
    """({(job, user)} of the facts that are selected, and these facts as divisions() takes them of a part of a job;
    else None, and the jobs are also those of Slurm's accounting)."""
    sql, values = condition(selection, days.text(first), days.text(last), ("day", "day"))
    facts = store.lookup("SELECT DISTINCT " + JOB % again("run", "job_start") + ", node, step_id " + WITH_RECORDS + sql, values)
    found = {(tuple(row[:4]), row[4]) for row in facts}
    if is_part:
        return found, {(tuple(row[:4]), row[5], row[6]) for row in facts}
    begin = None if first is None else days.begin(first)
    end = None if last is None else days.begin(last + 1)
    sql, values = condition(selection, begin, end, ("end_time", "start_time"))
    rows = store.lookup("SELECT " + JOB % again("run") + " " + WITH_SLURM + sql, values)
    found.update((tuple(row[:4]), row[4]) for row in rows)
    return found, None


def read(store, selection, period, is_part):
    """Of each outcome the number of tasks, their core seconds, and the share of these in all. `selection`: SQL
    about `run`, of nodes or steps if `is_part`."""
    first, last = days_of(period)
    wanted, chosen = find_jobs(store, selection, first, last, is_part)
    sums, numbers = {}, {at[1] for at, _ in wanted}
    for at, division in divisions(store, numbers, 0, chosen):
        # what others claim of a job is not added to its own
        if division.is_apart or not any((at, user) in wanted for user in division.users):
            continue
        for key, (tasks, _, seconds) in division.parts.items():
            if key.outcome == NOT_ALLOCATED:
                continue
            if (first is None or key.day >= first) and (last is None or key.day <= last):
                have = sums.setdefault(key.outcome, [0, 0.0])
                have[0] += tasks
                have[1] += seconds
    whole = sum(seconds for _, seconds in sums.values())
    rows = [
        Row(
            part=part_of(outcome),
            outcome=outcome,
            tasks=round(tasks),
            core_seconds=seconds,
            share=seconds / whole if whole else 0.0,
        )
        for outcome, (tasks, seconds) in sums.items()
        if tasks or seconds
    ]
    rows.sort(key=lambda row: (PARTS.index(row["part"]), -row["core_seconds"], row["outcome"]))
    round_rows(rows)
    return rows


def read_told(store, selection, period):
    """What coverage_told.read() has of the jobs that are selected."""
    return coverage_told.read(store, *condition(selection, *map(days.text, days_of(period)), ("day", "day")))


def round_rows(rows):
    """The rows of a part add up to what the first line says of it."""
    sums = totals(rows, 0)
    for part in PARTS:
        of_part = [row for row in rows if row["part"] == part]
        _, rounded = add_up([row["core_seconds"] for row in of_part], 0, sums[part])
        for row, seconds in zip(of_part, rounded):
            row.whole_seconds = seconds


def totals(rows, places):
    """{"allocation": core seconds, and each of PARTS}: rounded so that they add up."""
    numbers = Numbers()
    for row in rows:
        numbers.add(row["outcome"], row["core_seconds"])
    return numbers.rounded(places)


def headline(rows):
    """The five numbers. The shares are those of the rows, and not made of rounded numbers."""
    sums = totals(rows, 0)
    shares = {part: 100 * sum(row["share"] for row in rows if row["part"] == part) for part in PARTS}
    parts = " + ".join("%s %.0f (%.1f%%)" % (part, sums[part], shares[part]) for part in PARTS)
    return "Core seconds: allocation %.0f = %s" % (sums["allocation"], parts)
