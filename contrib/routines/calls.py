# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls of routines of designated libraries, from the records of runs. A call is one run's of one routine, at the time of the first.

A run that has called one is never sampled out. What is known are lower bounds: calls by addresses that dlsym(3) has given are not
seen, and those by imports that were missed.
"""

from .. import library
from ..report import days
from ..report.chosen import program_test, runs_of
from ..report.gather import BASIS, HOURS, INCLUSIVE, UNCERTAIN, job_name
from ..store import again

# of a run: what loaded it says nothing of packages
UNFIT = ("pkg",)
SOFTWARE = ("exec", "module")  # by which runs are chosen: --lib chooses libraries
WHEN = "coalesce(run_routine.first_call, run.start_time)"
CALLS = (
    "SELECT run_routine.run_id, run_routine.routine_id, {when}, run_routine.calls, run_routine.is_at_least, run.user, run.account,"
    " run.syshost, run.job_id_raw, run.job_id, run.executable_id, run.object_set_id, run.build_id, {basis}, {hours}, {uncertain},"
    " run.core_day, routine.routine_library_id, routine.name, {again} FROM run_routine JOIN run ON run.id = run_routine.run_id"
    " JOIN routine ON routine.id = run_routine.routine_id WHERE {{libraries}} AND {when} >= ? AND {when} < ? AND {{where}}"
    " ORDER BY run_routine.run_id, {when}"
).format(when=WHEN, basis=BASIS, hours=HOURS, uncertain=UNCERTAIN, again=again("run"))
RUN_DAYS = (
    "SELECT run_id, sum(core_seconds) / 3600.0 FROM run_day WHERE day BETWEEN ? AND ? AND run_id IN"
    " (SELECT run_id FROM run_routine) GROUP BY run_id"
)
FIRST = "SELECT min(run.start_time) FROM run_routine_watch JOIN run ON run.id = run_routine_watch.run_id"
# runs whose routines are not all known
UNSURE = (
    "SELECT run_routine_library.routine_library_id, run.id, run.user, run_routine_watch.missed, run_routine_watch.unnamed FROM run_routine_library"
    " JOIN run_routine_watch ON run_routine_watch.run_id = run_routine_library.run_id JOIN run ON run.id = run_routine_library.run_id"
    " WHERE (run_routine_watch.missed > 0 OR run_routine_watch.unnamed > 0 OR run.is_start_only = 1) AND run.start_time >= ? AND run.start_time < ? AND {where}"
)


class Library:
    """A designated one. `name`: with its version, as it is shown."""

    def __init__(self, number, path, build_id, module, name):
        self.number, self.path, self.build_id, self.module, self.name = number, path, build_id, module, name


def libraries(model, texts):
    """{number: Library} that one of the --lib means; None: all."""

    def make():
        rows = model.store.lookup(
            "SELECT routine_library.id, routine_library.path, routine_library.build_id, module.name FROM routine_library"
            " LEFT JOIN module ON module.id = routine_library.module_id"
        )
        return [Library(*row, shown(model, row[1], row[3])) for row in rows]

    fits = model.site.chosen(texts)
    every = model.once("routine libraries", make)
    return {one.number: one for one in every if fits(library.name(one.path), one.path, one.module)}


def shown(model, path, module):
    name = library.shown(path, module)
    return name if model.names is None else model.names.site_library(name, path)


def names(model):
    """{number: name} of the routines that have been read. Names are claims, and may be millions: others are not asked for."""
    return model.once("routine names", dict)


def routine_name(model, number):
    return model.text(names(model)[number])


def of_libraries(options, wanted):
    """SQL: the routine is of one of them."""
    return "routine.routine_library_id IN (%s)" % (", ".join(map(str, wanted)) or "NULL") if options.lib else "1 = 1"


def period(model):
    return days.begin(model.first), days.begin(model.last + 1)


class Run:
    """What is known of a run that has called something. `hours`, `inclusive`: core hours in the period."""

    def __init__(self, row, model, of_days):
        self.number, (self.user, self.account, syshost, raw, job) = row[0], row[5:10]
        self.executable, basis, hours, core_day = row[10], row[13], float(row[14] or 0), row[16]
        self.job, self.uncertain = job_name(syshost, raw, job, row[19]), float(row[15] or 0)
        if basis == INCLUSIVE:
            self.hours, self.inclusive = 0.0, hours
        else:
            is_here = core_day is not None and model.first <= core_day <= model.last
            self.hours, self.inclusive = (hours if is_here else 0.0) + float(of_days.get(self.number, 0)), 0.0


def read(model, options):
    """Yields (Run, number of the routine, Library, time, calls, whether there may have been more) of the period, run by run, and in each by
    time."""
    selection, wanted = runs_of(options), libraries(model, options.lib)
    is_chosen = program_test(model, options, SOFTWARE)
    of_days = dict(model.store.lookup(RUN_DAYS, (model.first, model.last)))
    known, run = names(model), None
    sql = CALLS.format(libraries=of_libraries(options, wanted), where=selection.sql())
    _, rows = model.store.query(sql, [*period(model), *selection.values])
    for row in rows:
        number, known[row[1]] = row[17:19]
        if number not in wanted or not is_chosen((*row[10:13], None, None)):
            continue
        if run is None or run.number != row[0]:
            run = Run(row, model, of_days)
        yield run, row[1], wanted[number], row[2], row[3], bool(row[4])


def first_day(model):
    """From which on calls are recorded; None: none are."""
    [[time]] = model.store.lookup(FIRST)
    return None if time is None else days.of_time(time)


def unsure(model, options):
    """{number of a library: {run}} of the period of which it is known that they may have called others: {run: (user, missed,
    unnamed)}"""

    def make():
        selection = runs_of(options)
        found, facts = {}, {}
        for number, run, *of in model.store.lookup(UNSURE.format(where=selection.sql()), [*period(model), *selection.values]):
            found.setdefault(number, set()).add(run)
            facts[run] = tuple(of)
        return found, facts

    return model.once("unsure runs", make)


def since_line(model):
    first = first_day(model)
    if first is None:
        return "No calls are recorded: [routines] of jobtrail.conf(5) switches this on."
    return "Calls are recorded from %s on." % days.text(first)
