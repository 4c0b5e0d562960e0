# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs that called routines, by day: see use_parts.py."""

import itertools

from ..report import days
from ..report.model import UNKNOWN
from ..report.use_counts import Counts
from . import calls

WORDS = {"called": "runs that called routines"}
OF_USE = {"called": ("libraries", "routines", "users", "executables")}
UNFIT = {"called": calls.UNFIT}
CALLED = "Lower bounds: calls by addresses from dlsym(3) are not seen."


def called(model, options, kind):
    """A run counts once under each name, on the day of its first call."""
    found = Counts(calls.first_day(model), True)
    for run, rows in itertools.groupby(calls.read(model, options), lambda row: row[0]):
        rows = list(rows)
        names = {called_name(model, kind, run, routine, one) for _, routine, one, *_ in rows}
        found.add(names, days.of_time(rows[0][3]), 1)
    return found


def called_name(model, kind, run, routine, one):
    if kind == "users":
        return model.builder(run.user) or UNKNOWN
    if kind == "executables":
        return model.executable_name(run.executable)
    return one.name if kind == "libraries" else "%s: %s" % (one.name, calls.routine_name(model, routine))


PARTS = {"called": called}
NOTES = {"called": lambda model, _, __, overlap: (overlap, CALLED, calls.since_line(model))}
