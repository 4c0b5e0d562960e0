# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report page of who would be affected if a library or a module were removed."""

import collections
import functools

from ..acct.select import ids, module_ids
from ..program import Failure
from ..report import days, link_page
from ..report.chosen import objects_of, sets_with
from ..report.columns import BETWEEN, COUNT, DATE, ESTIMATE, RANGE, TEXT, Page, day_of, top
from ..report.gather import LEFT_OUT
from ..report.model import UNKNOWN, known
from ..report.numbers import unseen_line
from ..report.sums import Estimates, Sums
from ..report.use_counts import first_link
from .unused_page import LINKS, is_shared, sets_of_paths
from .use_door import NO_COPY, WHEN, Sources, is_wanted, of_opens

NO_TARGET = "removal needs --lib or --module: it lists who would be affected by its removal"
UNFIT = ("account", "partition", "exec", "pkg")
LOADED, MAY_HAVE, OF_IT, LINKED, STATIC, INSIDE = "loaded", "may have loaded", "belongs to it", "linked", "linked, static", "contains it"
NOBODY = (UNKNOWN, "?" + UNKNOWN)  # in the place of a user
OPENED = {"open": "opened", "exec": "executed", "link": "opened by a linker", "compile": "opened by a compiler", "edit": "opened by an editor"}
OPENS = (
    "SELECT library, path, what, source, node, proven, uses, {when}, program, uid, user, cluster, syshost FROM library_event"
    " WHERE {no_copy} AND {when} >= ? AND {when} < ?"
).format(when=WHEN, no_copy=NO_COPY)
LEFT_OUT_RUNS = (
    "SELECT program, who, sum(n), max(day) FROM all_usage WHERE day BETWEEN ? AND ? AND %s GROUP BY program, who HAVING sum(n) > 0"
)
COLUMNS = [
    ("user", "Who", TEXT),
    ("program", "Program", TEXT),
    ("how", "How", TEXT),
    ("runs", "# Runs", ESTIMATE),
    ("runs", BETWEEN, RANGE),
    ("jobs", "# Jobs", COUNT),
    ("links", "# Links", COUNT),
    ("opens", "# Opens", COUNT),
    ("last", "Last", DATE),
    ("certainty", "How sure", TEXT),
]


class Target:
    """What would go: `objects` and `modules` are numbers in the store, `is_named(name, path)` is of a record of jobtrail-libmon."""

    def __init__(self, objects, modules, is_named):
        self.objects, self.modules, self.is_named = objects, modules, is_named


def asked_target(model, options):
    if not options.lib and not options.module:
        raise Failure(NO_TARGET)
    numbers = {number for text in options.lib or () for number in objects_of(model, text)}
    modules = {number for text in options.module or () for number in module_ids(model.store, text)}
    return target_of(model, numbers, modules, model.site.chosen(options.lib) if options.lib else None)


def target_of(model, objects, modules, is_named=None):
    """`is_named`: a function of a record's library and path."""
    of_modules = {number for number, (_, module) in model.libraries().items() if module in modules}
    return Target(objects | of_modules, modules, either(is_named, named_by_modules(model, modules)))


def either(one, other):
    return lambda name, path: bool(one and one(name, path)) or other(name, path)


def named_by_modules(model, modules):
    """What is of a module as objects are: by the longest prefix of the site's map, which may have other users' directories in it and is
    not read for who may not see all; or, where none holds, by the last directories that are called as one, as /sw/hdf5/1.14.3."""
    if not modules:
        return lambda _, path: False
    places = model.store.lookup("SELECT prefix, module_id FROM module_path") if model.store.is_all else ()
    prefixes = {prefix.rstrip("/"): number for prefix, number in places}
    names = [("/%s/" % name, number in modules) for number, name in model.modules().items()]

    @functools.lru_cache(maxsize=None)
    def is_of_them(path):
        for length in (at for at in range(len(path) - 1, 0, -1) if path[at] == "/"):
            if path[:length] in prefixes:
                return prefixes[path[:length]] in modules
        ends = [(path.rfind(part) + len(part), is_meant) for part, is_meant in names if part in path]
        return max(ends, default=(0, False))[1]

    return lambda _, path: is_of_them(path)


class Row:
    def __init__(self):
        self.sums, self.left_out, self.jobs, self.links, self.last = None, 0, 0, 0, None
        self.opens, self.is_proven = None, True  # {day: Sources}

    def seen(self, epoch):
        self.last = epoch if self.last is None else max(self.last, epoch)


class Rows(dict):
    """{(user, program, how): Row}"""

    def __missing__(self, key):
        self[key] = Row()
        return self[key]


# ---- Runs


def add_runs(model, found, programs):
    """`programs`: {number: how}. Returns what estimates their runs."""
    total, strata = Sums(), {}
    for number, who, basis, p, *sums in model.usage_of(programs):
        row = found[key_of(model, number, who, programs)]
        row.sums = row.sums or Sums()
        for one in (row.sums, total):
            one.add_row((0, 0), basis, p, *sums)
        if p < 1:
            strata[basis, p] = 1.0
    for members, who, jobs in model.jobs_of(programs):
        for key in {key_of(model, number, who, programs) for number in members}:
            found[key].jobs += jobs
    return Estimates(total, strata, 0, model.raw, False)


def key_of(model, number, who, programs):
    user, how = model.people[who][0], programs[number]
    return user or UNKNOWN, model.executable_name(model.executable_of(model.programs()[number])), how


def loading(model, target):
    """{number: how} of the programs that have loaded it, or are files of it."""
    sets, found = sets_with(model, target.objects), {}
    for number, (executable, objects, _, _, _) in model.programs().items():
        if executable is not None and model.executables().get(executable, (None, None))[1] in target.modules and target.modules:
            found[number] = OF_IT
        elif objects in sets:
            found[number] = LOADED
    return found


def add_left_out(model, found, target):
    """Of runs that sampling left out the path alone is known: they may have loaded all that other runs of it have loaded. Estimates of
    who has such runs tell of them already."""
    sets, by_path, programs = sets_with(model, target.objects), sets_of_paths(model), model.programs()
    paths = {number: program[4] for number, program in programs.items() if not sets.isdisjoint(by_path.get(program[4], ()))}
    of = "basis = %d AND %s AND program IN (%s)" % (LEFT_OUT, model.who_condition, ids(paths))
    for number, who, runs, day in model.database.execute(LEFT_OUT_RUNS % of, (model.first, model.last)):
        key = model.people[who][0] or UNKNOWN, model.executable_name(paths[number])
        if (*key, LOADED) not in found:
            row = found[(*key, MAY_HAVE)]
            row.left_out += runs
            row.seen(days.begin(day))


# ---- Links


def archives_of(model, target):
    """{object}: what a program has inside after a link."""
    paths = model.store.lookup("SELECT id, path FROM object")
    return {number for number, path in paths if number in target.objects and not is_shared(path)}


def add_links(model, options, found, target):
    """Of the period."""
    taking, inside = sets_with(model, target.objects), sets_with(model, archives_of(model, target))
    for link in link_page.read_all(model, options):
        if link.objects in taking:
            user = model.builder(link.user) or UNKNOWN
            row = found[user, model.executable_name(link.executable), STATIC if link.objects in inside else LINKED]
            row.links += 1
            row.seen(link.epoch)


def having_inside(model, target):
    """{number: how} of programs that a link of any time, by anybody, has made with it inside: these run without it, but cannot be built
    again."""
    sets, builds = sets_with(model, archives_of(model, target)), model.builds()
    uuids = {known(uuid) for uuid, objects, _ in model.store.lookup(LINKS) if objects in sets} - {None}
    return {number: INSIDE for number, program in model.programs().items() if builds.get(program[2], (None,) * 4)[3] in uuids}


# ---- Opens


def add_opens(model, options, found, target):
    period = days.begin(model.first), days.begin(model.last + 1)
    for name, path, what, source, node, proven, uses, time, program, uid, *of in model.store.lookup(OPENS, period):
        if not is_wanted(options, *of, node) or not target.is_named(name, path):
            continue
        user = of[0] or (None if uid is None else str(uid))
        shown = UNKNOWN if user is None else model.builder(user)
        # anybody who can write where records lie may have written what is not proven: no user's name begins with '?'
        key = shown if proven else "?" + shown, program_name(model, program), "read" if source == "atime" else OPENED.get(what, what)
        row = found[key]
        row.opens = row.opens or collections.defaultdict(Sources)
        row.opens[days.of_time(time)].add(node, source, uses or 0)
        row.is_proven = bool(proven)
        row.seen(time)


def program_name(model, path):
    if not path:
        return UNKNOWN
    name = path.rsplit("/", 1)[-1]
    return name if model.names is None else model.names.program(path)


# ---- The page


def last_of(row):
    return max(filter(None, (row.last, row.sums and row.sums.last)), default=None)


def opens_of(rows):
    """Of all of them at least; None: they are none of opens."""
    found = collections.defaultdict(Sources)
    for row in rows:
        for day, sources in (row.opens or {}).items():
            found[day].merge(sources)
    return sum(sources.least() for sources in found.values()) if found else None


def cells(key, row, estimates):
    runs, interval = (None, None) if row.sums is None else estimates.runs(row.sums, False)
    opens = opens_of([row])
    if row.left_out:
        runs, interval, certainty = row.left_out, (0, row.left_out), "at most"
    elif opens is not None:
        certainty = "at least" if row.is_proven else "at least, not proven"
    else:
        certainty = "recorded" if interval is None else "estimate of a sample"
    return [*key, runs, interval, row.jobs or None, row.links or None, opens, day_of(last_of(row)), certainty]


def gather(model, options, target):
    """[(Rows, what estimates their runs)]: of what is loaded or opened, and of what is taken by links."""
    found, inside = Rows(), Rows()
    estimates = add_runs(model, found, loading(model, target))
    add_left_out(model, found, target)
    add_links(model, options, inside, target)
    estimates_inside = add_runs(model, inside, having_inside(model, target))
    add_opens(model, options, found, target)
    return [(found, estimates), (inside, estimates_inside)]


def removal_page(model, options, target=None):
    gathered = gather(model, options, target or asked_target(model, options))
    rows = [cells(key, row, estimates) for found, estimates in gathered for key, row in found.items()]
    rows.sort(key=lambda row: (-(row[3] or 0), -(row[6] or 0), -(row[7] or 0), row[:3]))
    rows, left_out = top(rows, options)
    note = " ".join(unknown(model, options))
    return Page("removal", "Who would be affected by its removal", COLUMNS, rows, note=note, left_out=left_out)


def unknown(model, options):
    """What nobody can know."""
    if not model.store.is_all:
        yield "Only what you may see is listed."
    yield "Users without a run in this period are not listed."
    yield unseen_line(model)
    static = sum(tasks for outcome, _, tasks, _ in model.coverage() if outcome == "static")
    if static:
        yield "%d tasks ran static programs: what these contain is known only if their link was recorded." % round(static)
    first = first_link(model)
    yield "No links are recorded." if first is None else "Links are recorded from %s on." % days.text(first)
    yield from of_opens(model, options)
