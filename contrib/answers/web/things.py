# SPDX-License-Identifier: LGPL-2.1-or-later
"""The things that reports name, each with the tables of its page."""

from ... import coverage_told, extensions
from ...report import days
from ...report.allocation_pages import WHY
from ...report.columns import COUNT, DATE, ESTIMATE, HOURS, RANGE, TEXT, Page, day_of
from ...report.model import EXACT, NOT_KNOWN, UNKNOWN
from ...report.numbers import lists_line
from ...report.sums import SumsByName
from ...report.usage import USAGE_COLUMNS, usage_cells
from . import site

# of which extension tables are
OF_EXTENSION = {"profile": "profile", "mpi": "profile", "ranks": "witness", "routines": "routines", "changes": "libraries",
                "uses": "libraries", "removal": "libraries", "documentation": "libraries"}  # fmt: skip


def here(*names):
    return tuple(name for name in names if extensions.is_here(OF_EXTENSION.get(name)))


# Things of which the report has a table, and the tables on their pages. `runs` and `jobs` are the store's; `monthly`,
# `builds`, `files` and `coverage` of an executable are below; the others are those of the report.
SOFTWARE = {
    "executable": ("executables", ("monthly", "users", "accounts", "endings", "builds", "libraries", "modules", "packages",
                                   "coverage", "runs")),
    "library": ("libraries", here("monthly", "executables", "users", "accounts", "files", "modules", "changes", "uses", "removal",
                                  "documentation", "runs")),
    "module": ("modules", here("monthly", "executables", "users", "accounts", "libraries", "changes", "uses", "removal", "documentation",
                               "runs")),
    "package": ("packages", ("monthly", "executables", "users", "accounts", "packages", "runs")),
}
PEOPLE = {
    "user": ("users", ("monthly", "executables", "accounts", "endings", "failures", "libraries", "modules", "packages",
                       "coverage", "jobs", "runs")),
    "account": ("accounts", ("monthly", "users", "executables", "endings", "failures", "libraries", "modules", "packages",
                             "coverage", "jobs", "runs")),
}  # fmt: skip
NO_THING = (NOT_KNOWN, UNKNOWN, "Total", "", None)
MONTH_LEFT_OUT = ("jobs", "last")


def names_of(model, kind):
    """All names that the report has of the kind, for hints; of executables the paths too."""
    if kind == "packages":
        return {name for name, in model.store.lookup("SELECT DISTINCT name FROM package") if name}
    if kind in ("users", "accounts"):
        return {model.person_name(kind, person) for person in model.people.values()}
    decides, names = names_by(model, kind)
    return {name for part in {decides(program) for program in model.programs().values()} for name in names(part)}


def users_of(model):
    """Who has runs, and so a page."""
    return model.once("user names", lambda: names_of(model, "users"))


def libraries_of(model):
    """What runs have loaded, and so has a page."""
    return model.once("libraries' names", lambda: names_of(model, "libraries"))


def names_by(model, kind):
    """As model.names_of(); of libraries those of the operating system too, which have a table of their own."""
    decides, names = model.names_of(kind)
    if kind != "libraries":
        return decides, names
    _, of_system = model.names_of("system")
    return decides, lambda part: set(names(part)) | set(of_system(part))


def chooser(kind, name):
    """As options.programs of Model: what has this name in the report's table of the kind. A library's name without a
    version means all versions; a package is (name, program)."""

    def choose(model, _):
        if kind == "packages":
            sets = sets_with(model, *name)
            return {number for number, program in model.programs().items() if program[3] in sets}, False
        decides, names = names_by(model, kind)
        objects = site.objects_named(model, name) if kind == "libraries" else frozenset()
        known, found = {}, set()
        for number, program in model.programs().items():
            part = decides(program)
            if part not in known:
                known[part] = fits(kind, name, names(part)) or not objects.isdisjoint(model.members().get(part, ()))
            if known[part]:
                found.add(number)
        return found, kind in EXACT

    return choose


def sets_with(model, name, program):
    """{number of a set of packages that has one of this name, of this language}"""
    wanted = {str(number) for number, in model.store.lookup(
        "SELECT id FROM package WHERE coalesce(name, ?) = ? AND coalesce(program, ?) = ?", (UNKNOWN, name, UNKNOWN, program)
    )}
    sets = model.database.execute("SELECT id, packages FROM all_package_set")
    return {number for number, members in sets if not wanted.isdisjoint(members.split(","))}


def fits(kind, name, names):
    if name in names:
        return True
    return kind == "libraries" and " " not in name and any(have.partition(" ")[0] in (name, without_lib(name)) for have in names)


def without_lib(name):
    """Sites and packages call fft libfft."""
    return name[3:] if name.startswith("lib") else name


# ---- Tables that the report has not


def monthly(model, kind):
    """By month, with those in which nothing ran. What is blank has no data, of any user."""
    cells_of = usage_cells(model, kind in EXACT)
    keep = [at for at, (key, _, _) in enumerate(USAGE_COLUMNS) if key not in MONTH_LEFT_OUT]
    sums, known = by_month(model), model.known_months()
    rows = []
    for month in months_between(model.first, model.last):
        cells = cells_of(sums[month]) if month in known else [None] * len(USAGE_COLUMNS)
        rows.append(["%d-%02d" % divmod(month, 100)] + [cells[at] for at in keep])
    columns = [("month", "Month", TEXT)] + [USAGE_COLUMNS[at] for at in keep]
    hours = [key for key, _, _ in columns].index(model.hours_column())

    def drawn(charts, _):
        return charts.over_time([(row[0], row[hours], True) for row in rows], "Core hours a month", "core hours")

    return Page("monthly", "By month", columns, rows, drawn=drawn, order=("month", "ascending"), note="Blank: no data.")


def months_between(first, last):
    """YYYYMM"""
    first, last = days.date(first), days.date(last)
    for at in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        yield at // 12 * 100 + at % 12 + 1


def by_month(model):
    """{YYYYMM: Sums}, without jobs"""
    found = SumsByName()
    for month, who, *sums in model.ask_usage("month, who"):
        found[month].add_row(model.bits_of[who], *sums)
    return found


def builds(model, context):
    """The files that an executable's name stands for, as they were built."""
    of_store = {number: (path, sha1) for number, path, sha1 in context.store.lookup("SELECT id, path, hash_id FROM executable")}
    programs, known_builds, modules, paths = model.programs(), model.builds(), model.modules(), model.executables()
    found = SumsByName()
    for number, sums in model.by_program().items():
        program = programs[number]
        path, sha1 = of_store.get(program[0], (program[4] or UNKNOWN, None))
        build = known_builds.get(program[2], (None, None, None, None))
        module = modules.get(paths.get(program[0], (None, None))[1])
        found[path, None if sha1 == "0" else sha1, module, build[1], build[0], day_of(build[2])].add(sums)
    columns = [
        ("executable", "File", TEXT),
        ("hash", "SHA-1", TEXT),
        ("module", "Module", TEXT),
        ("compiler", "Compiler", TEXT),
        ("built_by", "Built by", TEXT),
        ("linked", "Linked", DATE),
        ("runs", "# Runs", ESTIMATE),
        ("runs", "95 % interval", RANGE),
        ("last", "Last run", DATE),
    ]
    rows = [list(key) + list(model.estimates().runs(sums, False)) + [day_of(sums.last)] for key, sums in found.items()]
    rows.sort(key=lambda row: -row[6])
    return Page("builds", "Files and builds", columns, rows)


def files(model, context, name):
    """The files that a library's name stands for, of which the store knows, and in how many sets of libraries they are."""
    wanted = {number for number, (have, _) in model.libraries().items() if fits("libraries", name, (have,))}
    wanted |= site.objects_named(model, name)
    sets = {model.programs()[number][1] for number in model.programs_wanted}
    used = {member for number in sets for member in model.members().get(number, ())}
    modules = model.modules()
    rows = [
        [path, model.libraries()[number][0], None if sha1 == "0" else sha1, modules.get(module), syshost or None]
        for number, path, sha1, module, syshost in context.store.lookup("SELECT id, path, hash, module_id, syshost FROM object")
        if number in wanted and number in used
    ]
    columns = [
        ("file", "File", TEXT),
        ("library", "Library", TEXT),
        ("hash", "SHA-1", TEXT),
        ("module", "Module", TEXT),
        ("syshost", "Cluster", TEXT),
    ]
    return Page("files", "Files", columns, sorted(rows, key=lambda row: row[:1]), note=lists_line(model, True))


def unrecorded(model, name):
    """What an executable had of allocations without a record, or sampled out."""
    found = {}
    for outcome, path, tasks, hours in model.coverage():
        if path is not None and name in (path, path.rsplit("/", 1)[-1]):
            have = found.setdefault(outcome, [0, 0.0])
            have[0] += tasks
            have[1] += hours
    columns = [("outcome", "Outcome", TEXT), ("tasks", "# Tasks", COUNT), ("core_hours", "CoreHrs", HOURS),
               ("meaning", "Meaning", TEXT)]  # fmt: skip
    rows = [[outcome, round(tasks), hours, WHY.get(outcome, "")] for outcome, (tasks, hours) in found.items()]
    return Page("coverage", "Without a record", columns, sorted(rows, key=lambda row: -row[2]), order=("core_hours", "descending"))


def of_coverage(rows, told):
    """jobtrail-acct --coverage as a table; `told`: as coverage_told.read() has it."""
    columns = [("part", "Part", TEXT), ("outcome", "Outcome", TEXT), ("tasks", "# Tasks", COUNT), ("core_seconds", "Core seconds", COUNT)]
    return Page("coverage", "Coverage: what became of the allocated time", columns,
                [[row["part"], row["outcome"], row["tasks"], row["core_seconds"]] for row in rows],
                note=" ".join(line + "." for line in coverage_told.lines(told)))  # fmt: skip
