# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of routines of designated libraries: which runs have called them, whose, and since when."""

from ..report.columns import BESIDE, COUNT, DATE, ESTIMATE, HOURS, OVERLAP, RANGE, TEXT, Page, day_of, top
from ..report.model import UNKNOWN
from ..report.numbers import unseen_line
from ..report.usage import UNCERTAIN_HOURS
from . import calls

BOUND = "Bound"
ROUTINES_OF = ("routines", "libraries", "users")
HEADS = {
    "routines": [("library", "Library", TEXT), ("routine", "Routine", TEXT)],
    "libraries": [("library", "Library", TEXT), ("routines", "# Routines", COUNT)],
    "users": [("user", "User", TEXT), ("routines", "# Routines", COUNT)],
}
TITLES = {"routines": "Routines that were called", "libraries": "Libraries by calls of their routines", "users": "Users by calls of routines"}
COLUMNS = [
    ("core_hours", "CoreHrs", HOURS),
    ("core_hours", BOUND, RANGE),
    UNCERTAIN_HOURS,
    ("inclusive_core_hours", "Inclusive", BESIDE),
    ("inclusive_core_hours", BOUND, RANGE),
    ("runs", "# Runs", ESTIMATE),
    ("runs", BOUND, RANGE),
    ("calls", "# Calls", ESTIMATE),
    ("calls", BOUND, RANGE),
    ("users", "# Users", ESTIMATE),
    ("users", BOUND, RANGE),
    ("jobs", "# Jobs", ESTIMATE),
    ("jobs", BOUND, RANGE),
    ("first", "First call", DATE),
    ("last", "Last call", DATE),
]
SEEN = "A call is one run's, on the day of its first call. Calls inside of a library, and by addresses from dlsym(3), are not seen."


def least(value):
    """A number, and that it is a lower bound."""
    return value, None if value is None else (value, None)


class Row:
    def __init__(self):
        self.run = self.first = self.last = self.calls = None
        self.hours = self.inclusive = self.uncertain = 0.0
        self.runs, self.users, self.jobs, self.routines, self.libraries = 0, set(), set(), set(), set()

    def add(self, run, routine, of, time, count):
        if run.number != self.run:
            self.add_run(run)
        self.routines.add(routine)
        self.libraries.add(of.number)
        self.first = time if self.first is None else min(time, self.first)
        self.last = time if self.last is None else max(time, self.last)
        if count is not None:
            self.calls = (self.calls or 0) + count

    def add_run(self, run):
        self.run, self.runs = run.number, self.runs + 1
        self.hours, self.inclusive, self.uncertain = self.hours + run.hours, self.inclusive + run.inclusive, self.uncertain + run.uncertain
        self.users.add(run.user)
        self.jobs.add(run.job)

    def cells(self):
        """Others may always have called it, too: see SEEN."""
        users, jobs = len(self.users - {None}), len(self.jobs - {None})
        return [
            *least(self.hours), self.uncertain, *least(self.inclusive), *least(self.runs), *least(self.calls), *least(users), *least(jobs),
            day_of(self.first), day_of(self.last),
        ]  # fmt: skip


ORDERS = {
    "hours": lambda row: (row.hours, row.inclusive),
    "runs": lambda row: row.runs,
    "users": lambda row: len(row.users),
    "jobs": lambda row: len(row.jobs),
}


def keys(model, of):
    """A function of what calls.read() yields: the row that it belongs to."""
    if of == "libraries":
        return lambda run, routine, one: (one.name,)
    if of == "users":
        return lambda run, routine, one: (model.builder(run.user) or UNKNOWN,)
    return lambda run, routine, one: (one.name, calls.routine_name(model, routine))


def gather(model, options, of):
    found, key_of = {}, keys(model, of)
    for run, routine, one, time, count, _ in calls.read(model, options):
        found.setdefault(key_of(run, routine, one), Row()).add(run, routine, one, time, count)
    return found


def routines_page(model, options):
    of = options.of if options.of in ROUTINES_OF else "routines"
    found = gather(model, options, of)
    order = ORDERS[options.by if options.by in ORDERS else "hours"]
    items, left_out = top(sorted(sorted(found.items()), key=lambda item: order(item[1]), reverse=True), options)
    rows = [[*head_cells(key, row, of), *row.cells()] for key, row in items]
    chart = "runs" if options.by == "runs" else None
    return Page("routines", TITLES[of], HEADS[of] + COLUMNS, rows, chart, note_of(model, options), left_out)


def head_cells(key, row, of):
    return key if of == "routines" else (*key, len(row.routines))


def note_of(model, options):
    parts = [OVERLAP, SEEN, calls.since_line(model)]
    wanted = calls.libraries(model, options.lib)
    by_library, facts = calls.unsure(model, options)
    runs = {run for number, some in by_library.items() if number in wanted for run in some}
    if runs:
        missed, unnamed = (sum(facts[run][at] > 0 for run in runs) for at in (1, 2))
        of_names = ", the store lacks names of %d" % unnamed if unnamed else ""
        parts.append("%d runs with these libraries may have called more: imports of %d were missed%s, the end of the others is not"
                     " known." % (len(runs), missed, of_names))  # fmt: skip
    return " ".join([*parts, unseen_line(model)])
