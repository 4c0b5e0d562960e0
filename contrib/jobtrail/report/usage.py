# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of who and what: core hours, runs, users, jobs, accounts and the last run by name."""

from . import days, findings
from .columns import BESIDE, BETWEEN, COUNT, DATE, ESTIMATE, HOURS, LIST, OVERLAP, RANGE, TEXT, Page, day_of, top
from .model import EXACT, NOT_KNOWN, PARTITIONS, PEOPLE, UNKNOWN
from .numbers import lists_line

TITLES = {
    "executables": "Executables", "families": "Program families", "libraries": "Libraries and versions",
    "system": "System libraries and versions", "modules": "Modules", "compilers": "Compilers", "users": "Users",
    "accounts": "Accounts", "fields": "Fields of science", "routines": "Routines",
}  # fmt: skip
SINGULAR = {
    "executables": "Executable", "families": "Family", "libraries": "Library", "system": "Library", "modules": "Module",
    "compilers": "Compiler", "users": "User", "accounts": "Account", "fields": "Field", "routines": "Routine",
}  # fmt: skip


NOTES = {
    "libraries": "Without those of the operating system. " + OVERLAP,
    "modules": "By the programs and libraries of runs. " + OVERLAP,
    "system": "Below /lib or /usr/lib, without a module: nearly every run loads some of them. " + OVERLAP,
}
ORDERS = {
    "hours": None,
    "runs": None,
    "users": lambda sums: bin(sums.users).count("1"),
    "jobs": lambda sums: sums.jobs,
    "accounts": lambda sums: bin(sums.accounts).count("1"),
}


# how many of the core hours that are uncertain may be its own, at the most
UNCERTAIN_HOURS = ("core_hours_uncertain", "+ up to", BESIDE)


USAGE_COLUMNS = [
    ("core_hours", "CoreHrs", HOURS),
    ("core_hours", BETWEEN, RANGE),
    UNCERTAIN_HOURS,
    ("inclusive_core_hours", "Inclusive", BESIDE),
    ("inclusive_core_hours", BETWEEN, RANGE),
    ("running_core_hours", "Running", BESIDE),
    ("runs", "# Runs", ESTIMATE),
    ("runs", BETWEEN, RANGE),
    ("users", "# Users", COUNT),
    ("jobs", "# Jobs", COUNT),
    ("accounts", "# Accts", COUNT),
    ("last", "Last run", DATE),
]


def ordered(found, options, values):
    """[(name, Sums, their cells)] in the order of --by. `values` makes the cells."""
    rows = [(name, sums, values(sums)) for name, sums in found.items()]
    rows.sort(key=lambda row: row[0])
    at = {"hours": 0, "runs": 6}.get(options.by)
    if options.by == "hours":
        rows.sort(key=lambda row: (-row[2][0], -row[2][3]))
    elif at is not None:
        rows.sort(key=lambda row: -row[2][at])
    else:
        order = ORDERS[options.by]
        rows.sort(key=lambda row: -order(row[1]))
    return rows


def chart_of(model, options):
    return model.hours_column() if options.by == "hours" else options.by


def usage_page(kind):
    def make(model, options):
        cells_of = usage_cells(model, kind in EXACT, kind == "compilers")
        found, left_out = top(ordered(model.by(kind), options, cells_of), options)
        columns = [(SINGULAR[kind].lower(), SINGULAR[kind], TEXT)] + USAGE_COLUMNS
        make_more = EXTRA.get(kind)
        if kind == "libraries" and "modules" in options.without:
            make_more = None
        elif kind == "libraries":
            columns.append(("module", "Module", LIST))
        elif kind == "compilers":
            columns.append(("links", "# Links", COUNT))
        elif kind == "families":
            columns += findings.share_columns(model)
        more = make_more(model) if make_more else lambda name: []
        rows = [[name] + cells + more(name) for name, _, cells in found]
        if kind not in PARTITIONS:
            note = (NOTES[kind] + " " + lists_line(model)).rstrip() if kind in NOTES else OVERLAP
            return Page(kind, TITLES[kind], columns, rows, chart_of(model, options), note, left_out)
        total = ["Total"] + total_cells(model) + [None] * (len(columns) - len(USAGE_COLUMNS) - 1)
        if kind not in PEOPLE:
            rows += rest_of(model, kind, total)
        note = ""
        if kind == "compilers" and model.estimates().largest and not model.raw:
            note = (
                "Core hours and runs are those with records; intervals are of all runs. The compiler of runs that sampling left"
                " out is not known."
            )
        return Page(kind, TITLES[kind], columns, rows, chart_of(model, options), note, left_out, total)

    return make


def usage_cells(model, is_exact, is_as_recorded=False):
    """A function that makes USAGE_COLUMNS of Sums. `is_as_recorded`: values of the records, intervals of all runs"""
    estimates = model.estimates()

    def cells(sums):
        hours, hours_range = estimates.hours(sums, is_exact)
        runs, runs_range = estimates.runs(sums, is_exact)
        if is_as_recorded:
            hours, runs = sums.hours, estimates.runs(sums, True)[0]
        inclusive, inclusive_range = estimates.inclusive(sums)
        return [
            hours,
            hours_range,
            sums.uncertain,
            inclusive,
            inclusive_range,
            sums.running,
            runs,
            runs_range,
            bin(sums.users).count("1"),
            sums.jobs,
            bin(sums.accounts).count("1"),
            day_of(sums.last),
        ]

    return cells


def total_cells(model):
    """Of all rows: the core hours are those of programs among the five numbers."""
    total = model.total()
    cells = usage_cells(model, True)(total)
    if not model.raw and model.estimates().knows_left_out:
        cells[0] = model.numbers().programs
        cells[2] = model.numbers().uncertain
    return cells


def rest_of(model, kind, total):
    """The row of what is in the total, and under no name: of runs whose record is not here or does not say."""
    if model.raw or not model.estimates().knows_left_out:
        return []
    every = model.by(kind).values()
    values = [usage_cells(model, kind in EXACT, kind == "compilers")(sums) for sums in every]
    hours = total[1] - sum(cells[0] for cells in values)
    runs = total[7] - sum(cells[6] for cells in values)
    if hours < 1e-6 and runs < 1e-6:
        return []
    return [[NOT_KNOWN, max(hours, 0.0), None, 0.0, 0.0, None, 0.0, max(runs, 0.0), None, None, None, None, None]
            + [None] * (len(total) - 1 - len(USAGE_COLUMNS))]  # fmt: skip


def library_modules(model):
    modules = model.modules()
    of = {}
    for name, module in model.libraries().values():
        if module in modules:
            of.setdefault(name, set()).add(modules[module])
    return lambda name: [", ".join(sorted(of.get(name, ()))) or None]


def compiler_links(model):
    counts = {}
    for epoch, _, program in model.links():
        if model.first <= days.of_time(epoch) <= model.last:
            counts[program or UNKNOWN] = counts.get(program or UNKNOWN, 0) + 1
    return lambda name: [counts.get(name, 0)]


EXTRA = {"libraries": library_modules, "compilers": compiler_links, "families": lambda model: findings.shares(model).cells}
