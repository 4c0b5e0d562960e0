# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of routines of designated libraries that nobody has called."""

from ..acct.select import ids
from ..program import Failure
from ..report import days
from ..report.chosen import sets_with
from ..report.columns import COUNT, DATE, TEXT, Page, day_of, top
from ..report.numbers import unseen_line
from . import calls, entries

NOT_ALL = "uncalled is only for users who may see all runs"
NO_LIBRARY = "--entries needs --lib: it says which routines that library has"
# what it cannot be of: nobody is everybody
UNFIT = ("user", "account", "cluster", "partition", "node", "exec", "module", "pkg")
COLUMNS = [
    ("library", "Library", TEXT),
    ("routine", "Routine", TEXT),
    ("last", "Last call", DATE),
    ("runs", "Runs that had it", COUNT),
    ("verdict", "Verdict", TEXT),
    ("why", "Why", TEXT),
]
LAST = (
    "SELECT routine.routine_library_id, routine.name, max({when}) FROM run_routine JOIN run ON run.id = run_routine.run_id"
    " JOIN routine ON routine.id = run_routine.routine_id WHERE {{libraries}}"
    " GROUP BY run_routine.routine_id, routine.routine_library_id, routine.name"
).format(when=calls.WHEN)
# of all times, and how many in the period
HAD = (
    "SELECT run_routine_library.routine_library_id, min(run.start_time),"
    " sum(CASE WHEN run.start_time >= ? AND run.start_time < ? THEN 1 ELSE 0 END) FROM run_routine_library"
    " JOIN run ON run.id = run_routine_library.run_id GROUP BY run_routine_library.routine_library_id"
)
NOT_WATCHED = (
    "SELECT count(*) FROM run WHERE object_set_id IN (%s) AND start_time >= ? AND start_time < ? AND id NOT IN"
    " (SELECT run_id FROM run_routine_library WHERE routine_library_id IN (%s))"
)
# linked with an archive of such a name
UNNOTED = (
    "SELECT count(*) FROM run JOIN build ON build.id = run.build_id JOIN link ON link.uuid = build.build_uuid"
    " AND link.build_user = coalesce(build.build_user, '') AND link.proven >= run.proven WHERE link.object_set_id IN (%s)"
    " AND run.start_time >= ? AND run.start_time < ? AND run.id NOT IN"
    " (SELECT run_id FROM run_routine_library WHERE routine_library_id IN (%s))"
)
NO_ENTRIES = (
    "Only routines that were called before are listed; with --lib and --entries FILE, all routines of the library."
)
UNSEEN = "Calls by an address, as through a table of pointers (scipy), and of ranks other than the first are not seen."
SKIPPED = "Routines that [routines] of jobtrail.conf(5) skips are not watched: remove them from that list."


def check(model):
    if not model.store.is_all:
        raise Failure(NOT_ALL)


class Version:
    """`files`: those of a library that have one version; `last`: {routine: time of the last call, or None}"""

    def __init__(self):
        self.files, self.last, self.first, self.runs, self.unsure = [], {}, None, 0, set()

    def add(self, one, had, unsure):
        first, runs = had
        self.files.append(one)
        self.runs += int(runs or 0)
        self.unsure |= unsure
        if first is not None:
            self.first = first if self.first is None else min(first, self.first)

    def called(self, routine, time):
        have = self.last.get(routine)
        self.last[routine] = time if have is None else max(time, have)


def versions(model, options):
    """{name with version: Version} of the libraries that are meant."""
    by_number, found = calls.libraries(model, options.lib), {}
    had = {row[0]: row[1:] for row in model.store.lookup(HAD, calls.period(model))}
    unsure, _ = calls.unsure(model, options)
    for number, one in by_number.items():
        found.setdefault(one.name, Version()).add(one, had.get(number, (None, 0)), unsure.get(number, set()))
    for number, name, time in model.store.lookup(LAST.format(libraries=calls.of_libraries(options, by_number))):
        if number in by_number:
            found[by_number[number].name].called(model.text(name), time)
    return found


def add_entries(model, options, found):
    """Routines that the library has and nobody has ever called."""
    if not options.entries:
        return
    names = {model.text(name) for name in entries.read(options.entries)}
    for version in found.values():
        for name in names:
            version.last.setdefault(name, None)


def not_watched(model, name, version):
    """How many runs of the period have loaded this version, and did not watch it."""
    builds = {"build-id:" + one.build_id for one in version.files if one.build_id != "0"}
    objects = {number for number, hashed in model.store.lookup("SELECT id, hash FROM object") if hashed in builds}
    objects.update(number for number, (have, _) in model.libraries().items() if have == name)
    sets = sets_with(model, objects)
    if not sets:
        return 0
    return model.store.lookup(NOT_WATCHED % (ids(sets), ids(one.number for one in version.files)), calls.period(model))[0][0]


def not_noted(model, version):
    """How many runs of the period were linked with an archive of this name that jobtrail-robj had not prepared."""
    archives = {one.path for one in version.files if not one.path.startswith("/")}
    if not archives:
        return 0
    paths = model.store.lookup("SELECT id, path FROM object WHERE path LIKE '%.a'")
    sets = sets_with(model, [number for number, path in paths if path.rsplit("/", 1)[-1] in archives])
    return model.store.lookup(UNNOTED % (ids(sets), ids(one.number for one in version.files)), calls.period(model))[0][0]


def doubts(model, name, version):
    """Why it is not known that nobody has called what has no call; None: nothing."""
    first = None if version.first is None else days.of_time(version.first)
    found = ["watched from %s on" % days.text(first)] if first is not None and first > model.first else []
    found += ["never watched"] if first is None else []
    count = not_watched(model, name, version)
    if count:
        found.append("%d runs loaded it unwatched" % count)
    count = not_noted(model, version)
    if count:
        found.append("%d runs of programs linked with an archive that was not prepared" % count)
    return "; ".join(found) or None


def verdict_of(version, why):
    """The verdict, and why it is not *not called*."""
    could = "%d run%s could have" % (len(version.unsure), "" if len(version.unsure) == 1 else "s")
    if why:
        return "not known", "; ".join([why] + [could] * bool(version.unsure))
    return ("no call seen", could) if version.unsure else ("not called", None)


def rows_of(model, found):
    begin, rows = days.begin(model.first), []
    for name, version in found.items():
        verdict, why = verdict_of(version, doubts(model, name, version))
        for routine, time in version.last.items():
            if time is None or time < begin:
                rows.append([name, routine, day_of(time), version.runs, verdict, why])
    return sorted(rows, key=lambda row: (row[4] != "not called", row[:2]))


def note_of(model, options, rows):
    count, first = sum(row[4] == "not called" for row in rows), days.text(model.first)
    what = "not called" if options.entries else "called before, but not"
    parts = ["%d %s since %s, %d not known." % (count, what, first, len(rows) - count)]
    parts += [SKIPPED if options.entries else NO_ENTRIES, UNSEEN, calls.since_line(model), unseen_line(model)]
    return " ".join(parts)


def uncalled_page(model, options):
    check(model)
    if options.entries and not options.lib:
        raise Failure(NO_LIBRARY)
    found = versions(model, options)
    if options.entries and not found:
        raise Failure("no run has loaded a library that matches --lib: its routines are not known")
    add_entries(model, options, found)
    rows = rows_of(model, found)
    note = note_of(model, options, rows)
    rows, left_out = top(rows, options)
    return Page("uncalled", "Routines not called", COLUMNS, rows, note=note, left_out=left_out)
