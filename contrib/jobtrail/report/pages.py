# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the report: tables of typed columns, computed from a Model."""

import calendar
import signal

from . import days
from .division import ASSUMED, HAD_BY_PROGRAMS, IDLE, NO_RECORD, NOT_ALLOCATED, OTHERS, UNCERTAIN
from .model import EXACT, KINDS, NOT_KNOWN, PARTITIONS, PEOPLE, UNKNOWN
from .numbers import EXACT_PLACES, PARTS, places_for
from .packages import Packages
from .sums import Sums, SumsByName

# Kinds of columns: how a value is written. RANGE is the interval of the column before it: (low, high), or None where
# that is exact; high is None where there is no upper bound. BESIDE are hours that people see only where there are any.
# ROUNDED + n are hours that are already rounded to n decimals.
TEXT, COUNT, ESTIMATE, RANGE, HOURS, DATE, SHARE, LIST, BESIDE, ROUNDED = range(10)

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
    "hours": None,
    "runs": None,
    "users": lambda sums: bin(sums.users).count("1"),
    "jobs": lambda sums: sums.jobs,
    "accounts": lambda sums: bin(sums.accounts).count("1"),
}

# What the outcomes of coverage mean, and the reports' own ones.
WHY = {
    "recorded": "a record was made, of the task or of the one that it follows",
    "static": "no dynamic loader; root's facts made a record",
    "sampled": "sampling left it out; number and time are known",
    NOT_ALLOCATED: "recorded; nobody tells what was allocated",
    UNCERTAIN: "a program may have run, as nobody saw its end",
    IDLE: "CPUs that no task had, or of a batch script that waited",
    NO_RECORD: "of nodes that sent no record of the job, or of a job without a step",
    ASSUMED: "follows a task of which no run leads, as below a script: perhaps it ran the same",
    "follower": "follows another task, of which nothing is known",
    "launch": "before, between or after the programs of a recorded task",
    "script": "a shell or a wrapper, and what it ran without a record",
    "launcher": "a launcher's daemon, whose ranks are not known",
    "policy": "the site's rules leave it out",
    "excluded": "the site leaves out the partition or the account",
    "opted_out": "the user said so",
    "setuid": "set-user-id: the loader ignores the library",
    "container": "in a container without the library",
    "missing": "the program could not be found afterwards",
    "spool": "no room in the spool",
    "killed": "killed before its program had started",
    "unknown": "for example the variable was unset on the way",
}
# decimals of hours below 100
HOURS_PLACES = 1
OVERLAP = "A run counts in each row that it belongs to: the rows have no sum."


class Page:
    """`columns` are (key, title, kind); `rows` lists of their values, and so is `total`; `chart`
    names the column that is drawn as bars."""

    def __init__(self, name, title, columns, rows, chart=None, note="", left_out=0, total=None):
        self.name, self.title, self.note = name, title, note
        self.columns, self.rows, self.chart = columns, rows, chart
        self.left_out, self.total = left_out, total

    def for_people(self, numbers):
        """Without intervals where all is exact, and without hours that are all written as 0. They have as many
        decimals as the five numbers where these are small."""
        places = places_for(max(numbers[name] for name in ("allocation", "inclusive", "running")))
        is_small = places > HOURS_PLACES
        least = 0.5 / 10 ** (places if is_small else HOURS_PLACES)
        keep = [at for at, (_, _, kind) in enumerate(self.columns) if self.is_shown(at, kind, least)]
        columns = [self.columns[at] for at in keep]
        if is_small:
            columns = [(key, title, ROUNDED + places if kind in (HOURS, BESIDE) else kind) for key, title, kind in columns]
        rows = [[row[at] for at in keep] for row in self.rows]
        total = self.total and [self.total[at] for at in keep]
        return Page(self.name, self.title, columns, rows, self.chart, self.note, self.left_out, total)

    def is_shown(self, at, kind, least):
        values = [row[at] for row in self.rows + ([self.total] if self.total else [])]
        if kind == RANGE:
            return any(value is not None for value in values) and self.is_shown(at - 1, self.columns[at - 1][2], least)
        return kind != BESIDE or any((value or 0) > least for value in values)


def top(items, options):
    """The first --top of them, and the number of the others."""
    count = options.top or len(items)
    return items[:count], max(len(items) - count, 0)


def day_of(epoch):
    return None if epoch is None else days.text(days.of_time(epoch))


# ---- Who and what


# how many of the core hours that are uncertain may be its own, at the most
UNCERTAIN_HOURS = ("core_hours_uncertain", "+ up to", BESIDE)
BETWEEN = "95 % interval"
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
    if options.by != "hours":
        return options.by
    has_exclusive = model.numbers().programs > 0 or model.total().hours > 0
    return "core_hours" if has_exclusive else "inclusive_core_hours"


def usage_page(kind):
    def make(model, options):
        cells_of = usage_cells(model, kind in EXACT, kind == "compilers")
        found, left_out = top(ordered(model.by(kind), options, cells_of), options)
        columns = [(SINGULAR[kind].lower(), SINGULAR[kind], TEXT)] + USAGE_COLUMNS
        if kind == "libraries":
            columns.append(("module", "Module", LIST))
        if kind == "compilers":
            columns.append(("links", "# Links", COUNT))
        more = EXTRA.get(kind, lambda model: lambda name: [])(model)
        rows = [[name] + cells + more(name) for name, _, cells in found]
        if kind not in PARTITIONS:
            return Page(kind, TITLES[kind], columns, rows, chart_of(model, options), OVERLAP, left_out)
        total = ["Total"] + total_cells(model) + [None] * (len(columns) - len(USAGE_COLUMNS) - 1)
        if kind not in PEOPLE:
            rows += rest_of(model, kind, total)
        note = ""
        if kind == "compilers" and model.estimates().largest and not model.raw:
            note = (
                "Core hours and runs are those of the records. Between these bounds lie those of all runs: of runs that"
                " sampling left out the compiler is not known."
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


EXTRA = {"libraries": library_modules, "compilers": compiler_links}


# ---- Packages

# pairs are looked for among so many packages: at the most 4950
PAIRED = 100


def packages_of(model):
    return model.once("packages", lambda: Packages(model))


def packages_page(model, options):
    packages = packages_of(model)
    packages.count_jobs()
    found, left_out = top(ordered(packages.by_name, options, usage_cells(model, False)), options)
    columns = [("package", "Package", TEXT), ("program", "Program", TEXT)] + USAGE_COLUMNS
    columns.append(("versions", "Versions", LIST))
    rows = [list(key) + cells + [packages.versions_text(key)] for key, _, cells in found]
    return Page("packages", "Packages", columns, rows, chart_of(model, options), OVERLAP, left_out)


def together_page(model, options):
    packages = packages_of(model)
    estimates = model.estimates()
    runs_of = {}
    items = []
    for (rarer, other), sums in packages.pairs(PAIRED).items():
        if rarer not in runs_of:
            runs_of[rarer] = estimates.runs(packages.by_name[rarer], False)[0]
        items.append((rarer, other) + estimates.runs(sums, False))
    items.sort(key=lambda item: (-item[2],) + item[:2])
    items, left_out = top(items, options)
    columns = [
        ("package", "Package", TEXT),
        ("program", "Program", TEXT),
        ("with", "With", TEXT),
        ("with_program", "Program", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("share", "Of its runs", SHARE),
    ]
    rows = [
        list(rarer + other) + [runs, interval, min(runs / runs_of[rarer], 1.0) if runs_of[rarer] else 0.0]
        for rarer, other, runs, interval in items
    ]
    return Page("together", "Packages in the same run", columns, rows, left_out=left_out,
                note="The rarer one of a pair comes first. Only the %d packages of most runs are"
                " looked at. %s" % (PAIRED, OVERLAP))  # fmt: skip


# ---- When: the tables of the NAS paper


def calendar_page(name, title, slots_of):
    def make(model, options):
        kind = options.of if options.of in KINDS else "libraries"
        slots, parts = slots_of(model, kind)
        totals = {}
        for names, sums in parts:
            whole = sum(plain_runs(sums[slot]) for slot, _, _ in slots if slot in sums)
            for label in names:
                totals[label] = totals.get(label, 0) + whole
        labels = sorted(filter(totals.get, totals), key=lambda label: (-totals[label], label))
        labels, left_out = top(labels, options)
        rows = [[label] + cells for label, cells in sorted(cells_by_label(model, kind, slots, parts, labels).items())]
        columns = [(SINGULAR[kind].lower(), SINGULAR[kind], TEXT)]
        for key, text in [(key, text) for _, key, text in slots] + [("total", "Total")]:
            columns += [(key, text, ESTIMATE), (key, BETWEEN, RANGE)]
        total = None
        if kind in PARTITIONS:
            whole = [("Total", slots_sums) for _, slots_sums in parts]
            total = ["Total"] + cells_by_label(model, kind, slots, [((key,), of) for key, of in whole], ["Total"])["Total"]
        note = "" if kind in PARTITIONS else OVERLAP
        title_of = "%s by %s: runs" % (TITLES[kind], title)
        return Page(name, title_of, columns, rows, note=note, left_out=left_out, total=total)

    return make


def plain_runs(sums):
    return sums.runs + sums.left_runs + sums.inclusive_runs


def cells_by_label(model, kind, slots, parts, labels):
    """{label: [runs and their interval in each slot, and in all]}"""
    estimates, is_exact = model.estimates(), kind in EXACT
    wanted = set(labels)
    if not estimates.largest or model.raw:
        return plain_cells(slots, parts, wanted, is_exact and not model.raw)
    found = {label: [Sums() for _ in slots] + [Sums()] for label in labels}
    for names, sums in parts:
        for label in wanted.intersection(names):
            for have, (slot, _, _) in zip(found[label], slots):
                if slot in sums:
                    have.add(sums[slot])
                    found[label][-1].add(sums[slot])
    return {
        label: [cell for sums in row for cell in estimates.runs(sums, is_exact)] for label, row in found.items()
    }


def plain_cells(slots, parts, wanted, has_left_out):
    """Where nothing has to be estimated."""
    found = {label: [0.0] * len(slots) for label in wanted}
    for names, sums in parts:
        here = wanted.intersection(names)
        if not here:
            continue
        counts = [0.0] * len(slots)
        for at, (slot, _, _) in enumerate(slots):
            if slot in sums:
                of = sums[slot]
                counts[at] = of.runs + of.inclusive_runs + (of.left_runs if has_left_out else 0)
        for label in here:
            found[label] = [have + more for have, more in zip(found[label], counts)]
    return {
        label: [cell for count in counts + [sum(counts)] for cell in (count, None)] for label, counts in found.items()
    }


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
    found = SumsByName()
    for program, sums in model.by_program().items():
        found[model.path(model.executable_of(programs[program]))].add(sums)
    linked = {}
    for epoch, path, _ in model.links():
        linked[path] = max(epoch, linked.get(path, epoch))
    for program in programs.values():
        epoch = model.builds().get(program[2], (None, None, None))[2]
        path = paths.get(program[0], (UNKNOWN,))[0]
        if epoch:
            linked[path] = max(epoch, linked.get(path, epoch))
    items = [(path, sums) for path, sums in found.items() if path != OTHERS and (plain_runs(sums) or sums.last)]
    last = model.last_left_out()
    items.sort(key=lambda item: (later(item[1].last, last.get(item[0])), item[0]))
    items, left_out = top(items, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("last_run", "Last run", DATE),
        ("last_linked", "Last linked", DATE),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("users", "# Users", COUNT),
    ]
    rows = [
        [path, days.text(later(sums.last, last.get(path))), day_of(linked.get(path))]
        + list(model.estimates().runs(sums, True))
        + [bin(sums.users).count("1")]
        for path, sums in items
    ]
    return Page("last", "Last run and last linked, the oldest first", columns, rows, left_out=left_out)


def later(epoch, day):
    """The later one of a moment and a day, as a day; -1: neither is known."""
    return max(-1 if epoch is None else days.of_time(epoch), -1 if day is None else day)


# ---- Built by somebody else


def others_page(model, options):
    programs, builds, paths = model.programs(), model.builds(), model.executables()
    found = SumsByName()
    for program, who, *sums in model.usage():
        executable, _, build = programs[program][:3]
        builder = builds.get(build, (None,))[0]
        user = model.people[who][0]
        if builder and builder != user:
            found[paths.get(executable, (UNKNOWN,))[0], builder, user or UNKNOWN].add_row(model.bits_of[who], *sums)
    cells_of = usage_cells(model, False)
    rows = [list(key) + cells_of(sums) for key, sums in found.items()]
    at = 3 if options.by != "runs" else 9
    rows.sort(key=lambda row: (-row[at], row[:3]))
    rows, left_out = top(rows, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("built_by", "Built by", TEXT),
        ("user", "Run by", TEXT),
    ] + USAGE_COLUMNS
    keep = [at for at, (key, _, _) in enumerate(columns) if key not in ("users", "jobs", "accounts", "running_core_hours")]
    return Page("others", "Built by somebody else", [columns[at] for at in keep],
                [[row[at] for at in keep] for row in rows], left_out=left_out)  # fmt: skip


# ---- How runs ended


ENDING_COLUMNS = [
    ("core_hours", "CoreHrs", HOURS),
    ("core_hours", BETWEEN, RANGE),
    ("inclusive_core_hours", "Inclusive", BESIDE),
    ("inclusive_core_hours", BETWEEN, RANGE),
]


def ending_cells(estimates, sums):
    """Of ENDING_COLUMNS"""
    return list(estimates.hours(sums, False)) + list(estimates.inclusive(sums))


def endings_page(model, options):
    estimates = model.estimates()
    found, users = SumsByName(), {}
    for outcome, who, *sums in model.endings("who"):
        found[outcome].add_row(model.bits_of[who], *sums)
        users.setdefault(outcome, set()).add(model.people[who][0])
    runs = {outcome: estimates.runs(sums, False) for outcome, sums in found.items()}
    whole = sum(value for value, _ in runs.values()) or 1
    columns = [
        ("outcome", "Ended", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("share", "Share", SHARE),
    ] + ENDING_COLUMNS + [("users", "# Users", COUNT)]  # fmt: skip
    rows = [
        [outcome_text(outcome), *value, value[0] / whole, *ending_cells(estimates, found[outcome]), len(users[outcome])]
        for outcome, value in sorted(runs.items(), key=lambda item: (-item[1][0], item[0]))
    ]
    return Page("endings", "How runs ended", columns, rows, "runs",
                note="EXITED: by itself, with a code that nobody waited for. UNKNOWN: nobody saw it, well or not. Runs"
                " that have records, and by weights those that sampling left out.")  # fmt: skip


def outcome_text(outcome):
    """KILLED 9 as KILLED by SIGKILL"""
    word, _, number = outcome.partition(" ")
    if not number:
        return word
    try:
        return "%s by %s" % (word, signal.Signals(int(number)).name)
    except ValueError:
        return "%s by signal %s" % (word, number)


FAILED = ("FAILED", "KILLED")
NOT_SEEN = "UNKNOWN"


def failures_page(model, options):
    """Programs by core hours of runs that failed or were killed. An end that nobody saw is no failure."""
    programs, estimates = model.programs(), model.estimates()
    found, failed, unknown = SumsByName(), SumsByName(), SumsByName()
    for outcome, program, *sums in model.endings("program"):
        name = model.executable_name(model.executable_of(programs[program]))
        word = outcome.split(" ")[0]
        found[name].add_row((0, 0), *sums)
        if word in FAILED:
            failed[name].add_row((0, 0), *sums)
        elif word == NOT_SEEN:
            unknown[name].add_row((0, 0), *sums)
    rows = []
    for name, sums in failed.items():
        runs, whole = estimates.runs(sums, False), estimates.runs(found[name], False)[0]
        share = min(runs[0] / whole, 1.0) if whole else 0.0
        not_seen = estimates.runs(unknown[name], False) if name in unknown else (0.0, None)
        rows.append([name, *runs, share, *ending_cells(estimates, sums), *not_seen])
    rows.sort(key=lambda row: (-row[4], -row[6], row[0]))
    rows, left_out = top(rows, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("failed_runs", "# Failed", ESTIMATE),
        ("failed_runs", BETWEEN, RANGE),
        ("share", "Of its runs", SHARE),
    ]
    columns += [("failed_" + key, title, kind) for key, title, kind in ENDING_COLUMNS]
    columns += [("unknown_runs", "# Unknown", ESTIMATE), ("unknown_runs", BETWEEN, RANGE)]
    return Page("failures", "Programs that failed or were killed", columns, rows, "failed_core_hours",
                "Unknown: runs whose end nobody saw. They are not counted as failed.", left_out)  # fmt: skip


# ---- What was allocated


CALENDARS = ("weekdays", "months")
ALLOCATED_BY = ("clusters", "users", "accounts", "fields", "days")


def allocation_page(model, options):
    """The five numbers, by what --of says. Each row adds up as it is written."""
    of = options.of if options.of in ALLOCATED_BY else "clusters"
    if of == "days":
        found = [(days.text(day), numbers) for day, numbers in sorted(model.numbers_by_day().items())]
        jobs = {days.text(day): count for day, count in model.jobs_by_day().items()}
    else:
        name_of = allocated_name(model, of)
        found = sorted(model.numbers_by(name_of).items(), key=lambda item: (-item[1].allocation, item[0]))
        jobs = {}
        for who, count in model.jobs_by("who").items():
            jobs[name_of(who)] = jobs.get(name_of(who), 0) + count
    whole = model.numbers()
    places = EXACT_PLACES if options.form in ("csv", "json") else places_for(whole.allocation)
    outcomes = sorted(whole.unseen_by, key=lambda name: (-whole.unseen_by[name], name))
    kind = ROUNDED + places
    columns = [(of[:-1], of[:-1].capitalize(), TEXT), ("allocation", "Allocation", kind)]
    columns += [(name, name.capitalize(), kind) for name in PARTS]
    columns += [("coverage", "Coverage", SHARE), ("jobs", "# Jobs", COUNT)]
    columns += [("unseen_" + name, "Unseen: " + name, kind) for name in outcomes]

    def cells(name, numbers, count):
        rounded = numbers.rounded(places)
        unseen = numbers.unseen_rounded(rounded["unseen"], places)
        return (
            [name, rounded["allocation"]] + [rounded[part] for part in PARTS] + [numbers.coverage, count]
            + [unseen.get(name, 0.0) for name in outcomes]
        )  # fmt: skip

    items, left_out = top(found, options) if of != "days" else (found, 0)
    rows = [cells(name, numbers, jobs.get(name, 0)) for name, numbers in items]
    total = cells("Total", whole, model.all_jobs())
    return Page("allocation", "Allocation by " + of[:-1], columns, rows, "allocation",
                "Core hours: allocation = programs + uncertain + unseen + idle, and unseen is the sum of what is named so."
                " Each row adds up as it is written. A column may differ from its total by the rounding of its rows.",
                left_out, total)  # fmt: skip


def allocated_name(model, of):
    if of == "clusters":
        return lambda who: model.people[who][2] or UNKNOWN
    return lambda who: model.person_name(of, model.people[who])


def coverage_page(model, options):
    numbers = model.numbers()
    whole = numbers.allocation or 1
    found = {}
    for outcome, path, tasks, hours in model.coverage():
        have = found.setdefault((outcome, None if outcome in HAD_BY_PROGRAMS else path), [0, 0.0])
        have[0] += tasks
        have[1] += hours
    known = [item for item in found.items() if is_known(item[0][0])]
    unseen = [item for item in found.items() if not is_known(item[0][0])]
    of_outcome = numbers.unseen_by
    unseen.sort(key=lambda item: (-of_outcome.get(item[0][0], 0), item[0][0], -item[1][1], item[0][1] or ""))
    known.sort(key=lambda item: (-item[1][1], item[0][0]))
    unseen, left_out = top(unseen, options)
    columns = [
        ("outcome", "Outcome", TEXT),
        ("program", "Program", TEXT),
        ("tasks", "# Tasks", COUNT),
        ("core_hours", "CoreHrs", HOURS),
        ("share", "Share", SHARE),
        ("meaning", "Meaning", TEXT),
    ]
    rows = [
        [outcome, path, round(tasks), hours, hours / whole, WHY.get(outcome, "")]
        for (outcome, path), (tasks, hours) in known + unseen
    ]
    tasks = round(sum(tasks for tasks, _ in found.values()))
    total = ["Total", None, tasks, numbers.allocation, 1.0 if numbers.allocation else None, None]
    return Page("coverage", "Coverage: what became of the allocated time", columns, rows, "core_hours",
                "Programs are those of recorded, static and sampled; the rest but for uncertain and idle is unseen. A task"
                " counts once, in the row that has most of its time.", left_out, total)  # fmt: skip


def is_known(outcome):
    return outcome in HAD_BY_PROGRAMS or outcome in (UNCERTAIN, IDLE)


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
    allocation=allocation_page,
    coverage=coverage_page,
)
