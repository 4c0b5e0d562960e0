# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the report: tables of typed columns, computed from a Model."""

import calendar
import math
import signal

from . import days
from .model import KINDS, UNKNOWN, Sums
from .packages import Packages

# kinds of columns: how a value is written
TEXT, COUNT, ESTIMATE, ERROR, HOURS, DATE, SHARE, LIST, UNCERTAIN = range(9)

TITLES = {
    "executables": "Executables",
    "families": "Program families",
    "libraries": "Libraries and versions",
    "modules": "Modules",
    "compilers": "Compilers",
    "users": "Users",
    "accounts": "Accounts",
    "fields": "Fields of science",
}
SINGULAR = {
    "executables": "Executable",
    "families": "Family",
    "libraries": "Library",
    "modules": "Module",
    "compilers": "Compiler",
    "users": "User",
    "accounts": "Account",
    "fields": "Field",
}
ORDERS = {
    "hours": lambda sums: sums.hours,
    "runs": lambda sums: sums.runs,
    "users": lambda sums: bin(sums.users).count("1"),
    "jobs": lambda sums: sums.jobs,
    "accounts": lambda sums: bin(sums.accounts).count("1"),
}

# outcomes of coverage whose tasks are in the numbers of the other pages
SPOKEN_FOR = ("recorded", "launcher", "static")
WHY = {
    "recorded": "a record was made",
    "follower": "another task of the program records, and nothing is known of that one",
    "script": "a batch script of which nothing but the shell is known",
    "launcher": "a launcher's daemon: the record of rank 0 speaks for it",
    "policy": "the site's rules leave it out",
    "sampled": "sampling left it out; the weights of the others stand for it",
    "excluded": "the site leaves out the partition or the account",
    "opted_out": "the user said so",
    "static": "no dynamic loader; root's facts made a record",
    "setuid": "set-user-id: the loader ignores the library",
    "container": "in a container without the library",
    "missing": "the program could not be found afterwards",
    "spool": "no room in the spool",
    "killed": "killed before its program had started",
    "unknown": "for example the variable was unset on the way",
}


class Page:
    """`columns` are (key, title, kind); `rows` lists of their values, and so is `total`; `chart`
    names the column that is drawn as bars."""

    def __init__(self, name, title, columns, rows, chart=None, note="", left_out=0, total=None):
        self.name, self.title, self.note = name, title, note
        self.columns, self.rows, self.chart = columns, rows, chart
        self.left_out, self.total = left_out, total

    def without_empty_errors(self):
        """For people: error columns only where something was sampled, and those of what is not certain only
        where it is not all written as 0.0."""
        least = {ERROR: 0, UNCERTAIN: SHOWN_HOURS}
        keep = [
            at
            for at, (_, _, kind) in enumerate(self.columns)
            if kind not in least or any(row[at] > least[kind] for row in self.rows)
        ]
        columns = [self.columns[at] for at in keep]
        rows = [[row[at] for at in keep] for row in self.rows]
        return Page(
            self.name, self.title, columns, rows, self.chart, self.note, self.left_out, self.total
        )


def top(items, options):
    """The first --top of them, and the number of the others."""
    count = options.top or len(items)
    return items[:count], max(len(items) - count, 0)


def day_of(epoch):
    return None if epoch is None else days.text(days.of_time(epoch))


# ---- Who and what


# fewer hours are written as 0.0
SHOWN_HOURS = 0.05
# how many core hours more it may have been, at the most
UNCERTAIN_HOURS = ("core_hours_uncertain", "+ up to", UNCERTAIN)
USAGE_COLUMNS = [
    ("core_hours", "CoreHrs", HOURS),
    ("core_hours_error", "±", ERROR),
    UNCERTAIN_HOURS,
    ("runs", "# Runs", ESTIMATE),
    ("runs_error", "±", ERROR),
    ("users", "# Users", COUNT),
    ("jobs", "# Jobs", COUNT),
    ("accounts", "# Accts", COUNT),
    ("last", "Last run", DATE),
]


def ordered(found, options):
    """[(name, Sums)] in the order of --by."""
    order = ORDERS[options.by]
    return sorted(found.items(), key=lambda item: (-order(item[1]), item[0]))


def chart_of(options):
    return {"hours": "core_hours"}.get(options.by, options.by)


def usage_page(kind):
    def make(model, options):
        found, left_out = top(ordered(model.by(kind), options), options)
        columns = [(SINGULAR[kind].lower(), SINGULAR[kind], TEXT)] + USAGE_COLUMNS
        if kind == "libraries":
            columns.append(("module", "Module", LIST))
        if kind == "compilers":
            columns.append(("links", "# Links", COUNT))
        more = EXTRA.get(kind, lambda model: lambda name: [])(model)
        rows = [[name] + usage_cells(sums) + more(name) for name, sums in found]
        return Page(kind, TITLES[kind], columns, rows, chart_of(options), left_out=left_out)

    return make


def usage_cells(sums):
    return [
        sums.hours,
        math.sqrt(sums.hours_var),
        sums.uncertain,
        sums.runs,
        math.sqrt(sums.runs_var),
        bin(sums.users).count("1"),
        sums.jobs,
        bin(sums.accounts).count("1"),
        day_of(sums.last),
    ]


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


EXTRA = {"libraries": library_modules, "compilers": compiler_links}


# ---- Packages

# pairs are looked for among so many packages: at the most 4950
PAIRED = 100


def packages_of(model):
    return model.once("packages", lambda: Packages(model))


def packages_page(model, options):
    packages = packages_of(model)
    packages.count_jobs()
    found, left_out = top(ordered(packages.by_name, options), options)
    columns = [("package", "Package", TEXT), ("program", "Program", TEXT)] + USAGE_COLUMNS
    columns.append(("versions", "Versions", LIST))
    rows = [list(key) + usage_cells(sums) + [packages.versions_text(key)] for key, sums in found]
    return Page("packages", "Packages", columns, rows, chart_of(options), left_out=left_out)


def together_page(model, options):
    packages = packages_of(model)
    items = sorted(packages.pairs(PAIRED).items(), key=lambda item: (-item[1][0], item[0]))
    items, left_out = top(items, options)
    columns = [
        ("package", "Package", TEXT),
        ("program", "Program", TEXT),
        ("with", "With", TEXT),
        ("with_program", "Program", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("runs_error", "±", ERROR),
        ("share", "Of its runs", SHARE),
    ]
    rows = [
        list(rarer + other)
        + [runs, math.sqrt(runs_var), runs / packages.by_name[rarer].runs]
        for (rarer, other), (runs, runs_var) in items
    ]
    return Page("together", "Packages in the same run", columns, rows, left_out=left_out,
                note="The rarer one of a pair comes first. Only the %d packages of most runs are"
                " looked at." % PAIRED)  # fmt: skip


# ---- When: the tables of the NAS paper


def calendar_page(name, title, slots_of):
    def make(model, options):
        slots, parts = slots_of(model, options.of)
        parts = [(names, [counts.get(slot, 0) for slot, _, _ in slots]) for names, counts in parts]
        totals = {}
        for names, counts in parts:
            whole = sum(counts)
            for label in names:
                totals[label] = totals.get(label, 0) + whole
        labels = sorted(filter(totals.get, totals), key=lambda label: (-totals[label], label))
        labels, left_out = top(labels, options)
        found = {label: [0] * len(slots) for label in sorted(labels)}
        for names, counts in parts:
            for label in found.keys() & names:
                found[label] = [have + more for have, more in zip(found[label], counts)]
        rows = [[label] + counts + [sum(counts)] for label, counts in found.items()]
        columns = [(SINGULAR[options.of].lower(), SINGULAR[options.of], TEXT)]
        columns += [(key, text, ESTIMATE) for _, key, text in slots] + [("total", "Total", ESTIMATE)]
        total = ["Total"] + [sum(row[at] for row in rows) for at in range(1, len(columns))]
        title_of = "%s by %s: runs" % (TITLES[options.of], title)
        return Page(name, title_of, columns, rows, left_out=left_out, total=total)

    return make


def weekdays(model, kind):
    """[(slot, key, title)], model.over()"""
    names = [calendar.day_abbr[(at + 6) % 7] for at in range(7)]
    return [(at, name, name) for at, name in enumerate(names)], model.by_weekday(kind)


def months(model, kind):
    """At the most the last 12 months of the period."""
    first, last = days.date(model.first), days.date(model.last)
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    slots = []
    for back in reversed(range(min(count, 12))):
        year, month = divmod(last.year * 12 + last.month - 1 - back, 12)
        slots.append(
            (year * 100 + month + 1, "%d-%02d" % (year, month + 1), calendar.month_abbr[month + 1])
        )
    return slots, model.by_month(kind)


# ---- Last run, last linked


def last_page(model, options):
    """Programs and modules in the order of their last run: the first ones may be candidates for removal."""
    programs = model.programs()
    paths = model.executables()
    found = {}
    for program, sums in model.by_program().items():
        path = paths.get(programs[program][0], (UNKNOWN,))[0]
        found.setdefault(path, Sums()).add(sums)
    linked = {}
    for epoch, path, _ in model.links():
        linked[path] = max(epoch, linked.get(path, epoch))
    for program in programs.values():
        epoch = model.builds().get(program[2], (None, None, None))[2]
        path = paths.get(program[0], (UNKNOWN,))[0]
        if epoch:
            linked[path] = max(epoch, linked.get(path, epoch))
    items = sorted(found.items(), key=lambda item: (item[1].last or 0, item[0]))
    items, left_out = top(items, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("last_run", "Last run", DATE),
        ("last_linked", "Last linked", DATE),
        ("runs", "# Runs", ESTIMATE),
        ("users", "# Users", COUNT),
    ]
    rows = [
        [path, day_of(sums.last), day_of(linked.get(path)), sums.runs, bin(sums.users).count("1")]
        for path, sums in items
    ]
    return Page("last", "Last run and last linked, the oldest first", columns, rows, left_out=left_out)


# ---- Built by somebody else


def others_page(model, options):
    programs, builds, paths = model.programs(), model.builds(), model.executables()
    found = {}
    for program, who, *sums in model.usage():
        executable, _, build, _ = programs[program]
        builder = builds.get(build, (None,))[0]
        user = model.people[who][0]
        if builder and builder != user:
            key = (paths.get(executable, (UNKNOWN,))[0], builder, user)
            found.setdefault(key, Sums()).add_row(model.bits_of[who], *sums)
    order = ORDERS[options.by if options.by in ("hours", "runs") else "hours"]
    items = sorted(found.items(), key=lambda item: (-order(item[1]), item[0]))
    items, left_out = top(items, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("built_by", "Built by", TEXT),
        ("user", "Run by", TEXT),
        ("core_hours", "CoreHrs", HOURS),
        UNCERTAIN_HOURS,
        ("runs", "# Runs", ESTIMATE),
        ("last", "Last run", DATE),
    ]
    rows = [
        list(key) + [sums.hours, sums.uncertain, sums.runs, day_of(sums.last)] for key, sums in items
    ]
    return Page("others", "Built by somebody else", columns, rows, left_out=left_out)


# ---- How runs ended


def endings_page(model, options):
    found = {}
    for outcome, who, runs, hours, uncertain in model.endings("who"):
        sums = found.setdefault(outcome, [0.0, 0.0, 0.0, set()])
        sums[0] += runs
        sums[1] += hours
        sums[2] += uncertain
        sums[3].add(model.people[who][0])
    whole = sum(sums[0] for sums in found.values()) or 1
    columns = [
        ("outcome", "Ended", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("share", "Share", SHARE),
        ("core_hours", "CoreHrs", HOURS),
        UNCERTAIN_HOURS,
        ("users", "# Users", COUNT),
    ]
    rows = [
        [outcome_text(outcome), runs, runs / whole, hours, uncertain, len(users)]
        for outcome, (runs, hours, uncertain, users) in sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
    ]
    return Page("endings", "How runs ended", columns, rows, "runs",
                note="EXITED: by itself, with a code that nobody waited for.")  # fmt: skip


def outcome_text(outcome):
    """KILLED 9 as KILLED by SIGKILL"""
    word, _, number = outcome.partition(" ")
    if not number:
        return word
    try:
        return "%s by %s" % (word, signal.Signals(int(number)).name)
    except ValueError:
        return "%s by signal %s" % (word, number)


FAILED = ("FAILED", "KILLED", "UNKNOWN")


def failures_page(model, options):
    """Programs by core hours of runs that did not end well."""
    programs = model.programs()
    found = {}
    for outcome, program, runs, hours, uncertain in model.endings("program"):
        name = model.executable_name(programs[program][0])
        sums = found.setdefault(name, [0.0, 0.0, 0.0, 0.0])
        sums[0] += runs
        if outcome.split(" ")[0] in FAILED:
            sums[1] += runs
            sums[2] += hours
            sums[3] += uncertain
    items = [item for item in found.items() if item[1][1]]
    items.sort(key=lambda item: (-item[1][2], item[0]))
    items, left_out = top(items, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("failed_runs", "# Failed", ESTIMATE),
        ("share", "Of its runs", SHARE),
        ("failed_core_hours", "CoreHrs", HOURS),
        ("failed_core_hours_uncertain", "+ up to", UNCERTAIN),
    ]
    rows = [
        [name, failed, failed / runs if runs else 0, lost, uncertain]
        for name, (runs, failed, lost, uncertain) in items
    ]
    return Page("failures", "Programs that failed or were killed", columns, rows, "failed_core_hours",
                left_out=left_out)  # fmt: skip


# ---- Coverage


def coverage_page(model, options):
    rows = model.coverage()
    whole = sum(row[2] for row in rows) or 1
    columns = [
        ("outcome", "Outcome", TEXT),
        ("tasks", "# Tasks", COUNT),
        ("core_hours", "CoreHrs", HOURS),
        UNCERTAIN_HOURS,
        ("share", "Share", SHARE),
        ("meaning", "Meaning", TEXT),
    ]
    cells = [
        [outcome, int(tasks), hours, uncertain, hours / whole, WHY.get(outcome, "")]
        for outcome, tasks, hours, uncertain in rows
    ]
    return Page("coverage", "Coverage: the tasks that Slurm launched", columns, cells, "core_hours")


def coverage_share(model):
    """{"core_hours": of all tasks, "share": for which the numbers speak}; share None: not known."""
    rows = model.coverage()
    whole = sum(row[2] for row in rows)
    spoken = SPOKEN_FOR + (() if model.raw else ("sampled",))
    known = sum(row[2] for row in rows if row[0] in spoken)
    return {"core_hours": whole, "share": known / whole if whole else None}


PAGES = {kind: usage_page(kind) for kind in KINDS}
PAGES.update(
    weekdays=calendar_page("weekdays", "weekday", weekdays),
    months=calendar_page("months", "month", months),
    last=last_page,
    others=others_page,
    endings=endings_page,
    failures=failures_page,
    packages=packages_page,
    together=together_page,
    coverage=coverage_page,
)
