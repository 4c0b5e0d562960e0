# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of libraries of the site that nobody has used: no run has loaded them, no link taken them, nobody opened them."""

from .. import extensions, library
from ..program import Failure
from ..report import days
from ..report.columns import COUNT, DATE, TEXT, Page, day_of, top
from ..report.division import OTHERS
from ..report.gather import LEFT_OUT
from ..report.numbers import unseen_line
from .use_door import NO_COPY, WHEN, of_opens

NO_LIST = (
    "unused needs the list of the site's libraries, a file that jobtrail-libmon list --json has written: on the collector"
    " JOBTRAIL_LIBRARIES in collector.env names it, or --libraries where the store itself is read"
)
NOT_ALL = "unused is only for users who may see all runs"
# what it cannot be of: nobody is everybody
UNFIT = ("user", "account", "cluster", "partition", "node", "exec", "module", "pkg")
KINDS = ("loaded", "linked", "opened", "called")
# of which there have to be data: who calls a library has loaded it, or has it inside
NEEDED = KINDS[:3]
WORDS = {"loaded": "runs", "linked": "links", "opened": "opens"}
LAST_DAYS = "SELECT program, max(day) FROM all_usage WHERE n > 0 GROUP BY program"
MEMBERS = "SELECT member.object_set_id, object.path FROM object_set_member AS member JOIN object ON object.id = member.object_id"
LINKS = "SELECT link.uuid, link.object_set_id, link.build_epoch FROM link WHERE link.object_set_id IS NOT NULL"
OPENS = "SELECT library, path, files, max(%s) FROM library_event WHERE %s GROUP BY library, path, files" % (WHEN, NO_COPY)
LINK_TIMES = "SELECT min(link.build_epoch), max(link.build_epoch) FROM link WHERE link.proven = 1"
OPEN_TIMES = "SELECT min({0}), max({0}) FROM library_event WHERE kind = 'use' AND proven = 1".format(WHEN)
# of watches, the longest first
GAPS = (
    "SELECT node, after_time, before_time FROM library_event WHERE kind = 'use' AND proven = 1 AND library = '(unseen)'"
    " AND before_time - after_time > 86400 AND before_time > ? AND after_time < ? ORDER BY before_time - after_time DESC, after_time"
)
QUIET = 7  # days without a record, at the end, in which all may be as it was
COLUMNS = [
    ("library", "Library", TEXT),
    ("group", "Group", TEXT),
    ("version", "Version", TEXT),
    ("files", "# Files", COUNT),
    ("bytes", "Bytes", COUNT),
    ("since", "Since", DATE),
    ("last_loaded", "Last loaded", DATE),
    ("last_linked", "Last linked", DATE),
    ("last_opened", "Last opened", DATE),
    ("last_called", "Last called", DATE),
    ("verdict", "Verdict", TEXT),
    ("why", "Why", TEXT),
]


def why_not(model):
    """Why it cannot be made, else None."""
    return NOT_ALL if not model.store.is_all else NO_LIST if model.libraries_file is None else None


def latest(found, key, day):
    if day is not None and (found.get(key) is None or day > found[key]):
        found[key] = day


# ---- The last day of each kind of use, by path


def last_of_programs(model):
    """{program: day} of all times, of runs that sampling left out too: of those the path alone is known."""
    return model.once("last of programs", lambda: dict(model.database.execute(LAST_DAYS)))


def paths_of_sets(model):
    """{set: paths of the site's libraries that are in it}"""
    found = {}
    for number, path in model.store.lookup(MEMBERS):
        if path in model.site.files:
            found.setdefault(number, []).append(path)
    return found


def sets_of_paths(model):
    """{path of an executable: sets that its runs had}"""
    found = {}
    for executable, objects, _, _, path in model.programs().values():
        if path is None:
            found.setdefault(model.real_path(executable), set()).add(objects)
    return found


def last_loaded(model, members):
    """{path: day}. What sampling left out may have loaded all that other runs of its path have loaded."""
    found, by_path, programs = {}, sets_of_paths(model), model.programs()
    for number, day in last_of_programs(model).items():
        _, objects, _, _, path = programs[number]
        for one in {objects} if path is None else by_path.get(path, ()):
            for member in members.get(one, ()):
                latest(found, member, day)
    add_inside(model, members, found)
    return found


def is_shared(path):
    return library.FILE.match(path.rsplit("/", 1)[-1]) is not None


def add_inside(model, members, found):
    """What is in programs themselves, as archives are, is used when these run: their link's record tells it."""
    inside = {uuid: [path for path in members.get(objects, ()) if not is_shared(path)] for uuid, objects, _ in model.store.lookup(LINKS)}
    builds, last = model.builds(), last_of_programs(model)
    for number, (_, _, build, _, _) in model.programs().items():
        uuid = builds.get(build, (None,) * 4)[3]
        for path in inside.get(uuid, ()):
            latest(found, path, last.get(number))


def last_linked(model, members):
    found = {}
    for _, objects, epoch in model.store.lookup(LINKS):
        for path in members.get(objects, ()):
            latest(found, path, None if epoch is None else days.of_time(epoch))
    return found


def last_opened(model):
    """({path: day}, {library: day}): a record of several files names the first one alone."""
    paths, libraries = {}, {}
    for name, path, files, time in model.store.lookup(OPENS):
        day = days.of_time(time)
        latest(paths, path, day)
        if path not in model.site.files or (files or 1) > 1:
            latest(libraries, name, day)
    return paths, libraries


def last_called(model):
    """{path: day}, by path and by build-id: a program may load a file by a link. An archive is known by the name that its trampolines
    have, and counts as those files of the list that are called so."""
    found, names = {}, {}
    for path, file in model.site.files.items():
        for name in (path, path.rsplit("/", 1)[-1], file.build_id):
            names.setdefault(name, []).append(path)
    rows = (row for door in extensions.doors("library_door") for row in door.last_called(model))
    for path, build_id, time in rows:
        for one in {*names.get(path, ()), *names.get(build_id, ())}:
            latest(found, one, days.of_time(time))
    return found


# ---- The rows


class Row:
    """Of the files of a library that have one version."""

    def __init__(self):
        self.files, self.size, self.since = 0, 0, None
        self.last = dict.fromkeys(KINDS)

    def add(self, file, last):
        self.files += 1
        self.size = None if self.size is None or file.size is None else self.size + file.size
        if file.since is not None:
            self.since = file.since if self.since is None else min(file.since, self.since)
        for kind in KINDS:
            latest(self.last, kind, last[kind])

    def is_used(self, first):
        return any(day is not None and day >= first for day in self.last.values())

    def doubts(self, first, of_data):
        """Why it is not known that nobody has used it since that day."""
        is_late = self.since is None or days.of_time(self.since) > first
        here = ["here since %s" % (day_of(self.since) or "(unknown)")] if is_late else []
        return "; ".join(here + of_data) or None


def rows_of(model, fits):
    """{(library, group, version): Row}"""
    members = paths_of_sets(model)
    loaded, linked, (opened, by_library) = last_loaded(model, members), last_linked(model, members), last_opened(model)
    called = last_called(model)
    found = {}
    for path, file in model.site.files.items():
        if not fits(file.library, path):
            continue
        last = {"loaded": loaded.get(path), "linked": linked.get(path), "opened": opened.get(path), "called": called.get(path)}
        latest(last, "opened", by_library.get(file.library))
        name = model.site.shown(file.library, path, model.names)
        key = name, model.text(file.group), model.text(file.version or library.version(path))
        found.setdefault(key, Row()).add(file, last)
    return found


# ---- What data there are


def days_told(model, sql):
    """(first, last) day of the times that a statement finds; None: none."""
    [times] = model.store.lookup(sql)
    return None if None in times else tuple(days.of_time(time) for time in times)


def known_days(model):
    """{kind: (first, last) day of its data, or None}"""
    runs = model.database.execute("SELECT min(day), max(day) FROM all_usage WHERE basis <> %d" % LEFT_OUT).fetchone()
    runs = None if None in runs else tuple(runs)
    links = days_told(model, LINK_TIMES)
    # users tell when they have linked: that is not believed of a time before or after all runs
    if links is not None:
        links = None if runs is None else (max(links[0], runs[0]), min(links[1], runs[1]))
    if links is not None and links[0] > links[1]:
        links = None
    return {"loaded": runs, "linked": links, "opened": days_told(model, OPEN_TIMES)}


def gap(model):
    """The longest time of the period in which a watch saw nothing; None: none is longer than a day."""
    found = model.store.lookup(GAPS, (days.begin(model.first), days.begin(model.last + 1)))
    if not found:
        return None
    node, *times = found[0]
    where = " on %s" % node if node else ""
    more = "" if len(found) == 1 else ", the longest of %d times" % len(found)
    return "not seen%s from %s to %s%s" % (where, *(days.text(days.of_time(time)) for time in times), more)


def lack(told, first, last):
    """What of the period a kind of data does not have; None: nothing."""
    if told is None:
        return "no data"
    begin, end = map(days.text, told)
    is_late, is_over = told[0] > first, told[1] < last - QUIET
    if is_late and is_over:
        return "from %s to %s" % (begin, end)
    return "from %s on" % begin if is_late else "until %s" % end if is_over else None


def doubts_of_data(model, known):
    """Why the data do not tell of any library that nobody has used it."""
    found = [(kind, lack(known[kind], model.first, model.last)) for kind in NEEDED] + [("opened", gap(model))]
    return ["%s: %s" % (WORDS[kind], text) for kind, text in found if text]


def note_of(model, options, counts, known):
    first = days.text(model.first)
    parts = ["%d unused since %s, %d not known." % (counts[0], first, counts[1])]
    told = ("from %s to %s" % tuple(map(days.text, known[kind])) if known[kind] else "never" for kind in NEEDED)
    parts.append("Recorded: %s." % ", ".join("%s %s" % (WORDS[kind], text) for kind, text in zip(NEEDED, told)))
    parts.append(unseen_line(model))
    others = model.database.execute(
        "SELECT coalesce(sum(n), 0) FROM all_usage WHERE basis = ? AND day >= ? AND program IN (SELECT id FROM all_program WHERE path = ?)",
        (LEFT_OUT, model.first, OTHERS),
    ).fetchone()[0]
    if others:
        parts.append("Sampling left out %d runs: what they loaded is not known." % others)
    parts += of_opens(model, options)
    parts += [door.since_line(model) for door in extensions.doors("library_door")]
    if model.site.made is not None:
        parts.append("The list was made on %s." % day_of(model.site.made))
    if model.site.damaged:
        parts.append("%d lines of the list could not be read." % model.site.damaged)
    return " ".join(parts)


def unused_page(model, options):
    why = why_not(model)
    if why is not None:
        raise Failure(why)
    known = known_days(model)
    of_data, rows = doubts_of_data(model, known), []
    for key, row in rows_of(model, model.site.chosen(options.lib)).items():
        if not row.is_used(model.first):
            why = row.doubts(model.first, of_data)
            last = [None if row.last[kind] is None else days.text(row.last[kind]) for kind in KINDS]
            rows.append([*key, row.files, row.size, day_of(row.since), *last, "not known" if why else "unused", why])
    rows.sort(key=lambda row: (row[-2] != "unused", -(row[4] or 0), [text or "" for text in row[:3]]))
    counts = sum(row[-2] == "unused" for row in rows)
    note = note_of(model, options, (counts, len(rows) - counts), known)
    rows, left_out = top(rows, options)
    return Page("unused", "Unused libraries", COLUMNS, rows, note=note, left_out=left_out)
