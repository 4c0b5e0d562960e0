# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows for programs, as CSV and as lines of JSON: times in seconds, sizes in bytes, shares from 0 to 1, nothing where a value
is not known. A number that may be a bound has ">=", "<=" or "~" in a column of its own."""

import json

from ..pattern import Pattern
from ..text import csv_row
from . import amounts

SECONDS = Pattern(r".*(?:CPU|Elapsed(?:Max|Raw)?|CPUTime(?:RAW)?|Timelimit|Suspended|Planned)\Z")
BYTES = Pattern(r".*(?:RSS|VMSize|UsedMemory|DiskRead|DiskWrite|RunForkedRead|RunForkedWrite|ReqMem)\Z")
BOUNDED = Pattern(r"(?:Elapsed(?:Raw)?|CPUTime(?:RAW)?|CoreSeconds|NLibs|NRoutines|Calls|RanksFailed|MPIShare|MPIImbalance|UsedCPU|Run[A-Z].*)\Z")
BOUND = Pattern(r"(>=|<=|~)?(.*)\Z")


def number_of(name, text):
    """What the text of that column says; None where it is no number, as UNLIMITED."""
    if SECONDS.match(name) and not text.isdecimal():
        return amounts.seconds(text)
    if BYTES.match(name):
        return amounts.size(text)
    if text.endswith("%"):
        return float(text[:-1]) / 100
    minute = 60 if name == "TimelimitRaw" else 1
    return int(text) * minute if text.isdecimal() else None


def rounded(value):
    if isinstance(value, float):
        return int(value) if value == int(value) else round(value, 6)
    return value


def columns_of(columns, sorted_by):
    """[(name, function of a row)] for columns of fields.py; `sorted_by`: exact values of some, as fields.SORTED_BY."""
    found = []
    for name, _, value in columns:
        found.append((name, plain(name, value, sorted_by.get(name))))
        if BOUNDED.match(name):
            found.append((name + "Bound", bound(value)))
    return found


def plain(name, value, exact):
    is_number = name in ("Share", "TimelimitRaw") or any(kind.match(name) for kind in (SECONDS, BYTES, BOUNDED))

    def of_row(row):
        text = value(row)
        if text is None or text in ("", "Unknown"):
            return None
        if exact and (is_number or not isinstance(text, str)):
            return rounded(exact(row))
        if not isinstance(text, str) or not is_number:
            return rounded(text)
        return rounded(number_of(name, BOUND.match(text).group(2)))

    return of_row


def bound(value):
    return lambda row: BOUND.match(str(value(row) or "")).group(1)


def print_table(rows, columns, sorted_by, options):
    found = columns_of(columns, sorted_by)
    if options.csv and not options.noheader:
        print(csv_row(name for name, _ in found))
    for row in rows:
        values = [value(row) for _, value in found]
        print(json.dumps(dict(zip((name for name, _ in found), values))) if options.jsonl else csv_row(values))
