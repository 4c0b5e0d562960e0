# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --changes: changes of the site's libraries, as jobtrail-libmon(8) has found them, with the runs of before
and after.

A run is of before where it has loaded the file as it was, and began before the change was found; it is of after where it has loaded
the file as it is, and began after the last look that did not find the change. Which of both it has loaded is told by the sha1 or the build-id in
the run's record. Where that has neither, only runs count whose times leave no doubt.
"""

import collections

from .. import library
from ..times import format_time, parse_time
from .runs import BUILD_ID
from .select import OF_OBJECTS, Selection, ids, pattern_of, select_place, window

DEFAULT = "Found,Change,Library,By,OldBuild%12,NewBuild%12,Before,Failed,After,FailedAfter,Path"
# options that can be used with it
GOES_WITH = {
    "account", "allusers", "changes", "cluster", "csv", "delimiter", "endtime", "format", "helpformat", "json", "lib", "no_sacct",
    "node", "noheader", "parsable", "partition", "sort", "starttime", "store", "top", "user",
}  # fmt: skip
COLUMNS = (
    "uuid event what library group_name path path_before files links first_scan found after_time before_time source uid"
    " login_uid user program command job_id_raw step_id cluster node proven was_size was_mtime was_sha1 was_build_id was_soname"
    " was_package was_version was_owner is_size is_mtime is_sha1 is_build_id is_soname is_package is_version is_owner"
).split()
CHANGES = (
    "SELECT " + ", ".join("library_event.%s AS %s" % (name, name) for name in COLUMNS) + " FROM library_event"
    " WHERE library_event.kind = 'change' AND %s ORDER BY library_event.found, library_event.path, library_event.uuid"
)
# a first scan only tells what was there
NO_FIRST = "coalesce(library_event.first_scan, 0) = 0"
RUNS = (
    "SELECT count(*), sum(CASE WHEN run.exit_code <> 0 OR run.signal <> 0 THEN 1 ELSE 0 END), count(DISTINCT run.user)"
    " FROM run WHERE %s"
)
UNKNOWN = {None, "", "0"}


def column(name):
    return lambda row: row[name]


def by(row):
    """Who it was. Whoever can write where records lie may have written what is not proven: no user's name begins with '?'."""
    user = row["user"] or (None if row["uid"] is None else str(row["uid"]))
    return user if row["proven"] else "?" + (user or "")


FIELDS = [
    ("After", 6, lambda row: row["after"]["runs"]),
    ("Before", 6, lambda row: row["before"]["runs"]),
    ("By", 9, by),
    ("Change", 8, column("what")),
    ("Cluster", 10, column("cluster")),
    ("Command", 20, lambda row: row["command"] or row["program"]),
    ("Event", 36, column("event")),
    ("Failed", 6, lambda row: row["before"]["failed"]),
    ("FailedAfter", 11, lambda row: row["after"]["failed"]),
    ("Files", 6, column("files")),
    ("Found", 19, lambda row: format_time(row["found"])),
    ("From", 40, column("path_before")),
    ("Group", 10, column("group_name")),
    ("Job", 12, column("job_id_raw")),
    ("Library", 20, column("library")),
    ("NewBuild", 40, lambda row: row["is_build_id"] or row["is_sha1"]),
    ("NewPackage", 20, column("is_package")),
    ("NewSha1", 40, column("is_sha1")),
    ("NewVersion", 12, column("is_version")),
    ("Node", 10, column("node")),
    ("OldBuild", 40, lambda row: row["was_build_id"] or row["was_sha1"]),
    ("OldPackage", 20, column("was_package")),
    ("OldSha1", 40, column("was_sha1")),
    ("OldVersion", 12, column("was_version")),
    ("Path", 40, column("path")),
    ("Proven", 6, lambda row: "yes" if row["proven"] else "no"),
    ("Since", 19, lambda row: format_time(row["after_time"])),
    ("Source", 6, column("source")),
    ("Until", 19, lambda row: format_time(row["before_time"])),
    ("UsersAfter", 10, lambda row: row["after"]["users"]),
    ("UsersBefore", 11, lambda row: row["before"]["users"]),
    ("UUID", 36, column("uuid")),
]


def names_fit(text):
    """Whether the library of a change is meant by --lib: by its name there, or as select.library_ids() has it."""
    pattern = pattern_of(text)

    def fits(row):
        if "/" in text:
            return bool(pattern.search(row["path"]))
        names = {row["library"], row["library"].split("/")[0], row["path"].rsplit("/", 1)[-1], *library.names(row["path"])}
        return any(map(pattern.search, names))

    return fits


def changes_of(store, selection):
    """Dicts with the COLUMNS."""
    for values in store.lookup(CHANGES % selection.sql(), selection.values):
        yield dict(zip(COLUMNS, values))


# ---- The objects of runs that are the file of a change


class Objects:
    """Of the objects that runs have loaded, those at given paths."""

    def __init__(self, store, paths):
        self.at = collections.defaultdict(list)
        if not paths:
            return
        for number, path, have in store.lookup("SELECT object.id, object.path, object.hash FROM object"):
            if path in paths:
                self.at[path].append((number, have))

    def of(self, path, sha1, build_id):
        """(ids of those with this sha1 or build-id, ids of those of which neither is known)"""
        known = {sha1, build_id and BUILD_ID + build_id} - UNKNOWN
        same, unsure = [], []
        for number, have in self.at[path]:
            if have in UNKNOWN or not known:
                unsure.append(number)
            elif have in known:
                same.append(number)
        return same, unsure


def path_before(row):
    return row["path_before"] or row["path"]


def paths_of(rows):
    return {row["path"] for row in rows} | {path_before(row) for row in rows}


def before_of(objects, row):
    return ([], []) if row["what"] == "added" else objects.of(path_before(row), row["was_sha1"], row["was_build_id"])


def after_of(objects, row):
    return ([], []) if row["what"] == "removed" else objects.of(row["path"], row["is_sha1"], row["is_build_id"])


# ---- Runs


def counted(store, selection, same, unsure, time, sure_time):
    """The runs that have loaded one of these. `time`, `sure_time`: terms about run.start_time with their values, of those of
    which a hash tells which file they had, and of others; None: any time."""
    terms, values = [], []
    for numbers, (term, *limits) in ((same, time), (unsure, sure_time)):
        if numbers:
            terms.append("(%s AND %s)" % (OF_OBJECTS % ids(numbers), term))
            values += limits
    if not terms:
        return {"runs": 0, "failed": 0, "users": 0}
    sql = "%s AND (%s)" % (selection.sql(), " OR ".join(terms))
    [[runs, failed, users]] = store.lookup(RUNS % sql, [*selection.values, *values])
    return {"runs": runs, "failed": int(failed or 0), "users": users}


def with_runs(store, selection, objects, row):
    """The change, with what ran before and after."""
    found, after, before = row["found"], row["after_time"], row["before_time"]
    before = found if before is None else before
    earliest = before if after is None else after
    has_changed = row["was_sha1"] != row["is_sha1"] or row["was_build_id"] != row["is_build_id"]
    old, unsure_old = before_of(objects, row)
    new, unsure_new = after_of(objects, row)
    # the same content under the same name: nothing but the time tells which of both it was
    old_time = ("run.start_time < ?", before if has_changed else earliest)
    any_time = after is None and has_changed
    new_time = ("1 = 1",) if any_time else ("run.start_time >= ?", after if has_changed else before)
    return {
        **row,
        "proven": bool(row["proven"]),
        "first_scan": bool(row["first_scan"]),
        "before": counted(store, selection, old, unsure_old, old_time, ("run.start_time < ?", earliest)),
        "after": counted(store, selection, new, unsure_new, new_time, ("run.start_time >= ?", before)),
    }


def select_changes(start, end):
    selection = Selection()
    selection.add(NO_FIRST)
    if start is not None:
        selection.add("library_event.found >= ?", start)
    if end is not None:
        selection.add("library_event.found <= ?", end)
    return selection


def read(store, options, now):
    """Each change of the time that is asked for, as with_runs()."""
    fits = [names_fit(text) for text in options.lib or ()]
    rows = list(changes_of(store, select_changes(*window(options, now, False))))
    rows = [row for row in rows if not fits or any(fit(row) for fit in fits)]
    objects = Objects(store, paths_of(rows))
    selection = Selection()
    select_place(selection, options)
    for row in rows:
        yield with_runs(store, selection, objects, row)


# ---- jobtrail-acct --changed


def changed_condition(store, text, now):
    """Runs that have loaded a file as it was before, or is after, a change that was found since the time."""
    rows = list(changes_of(store, select_changes(parse_time(text, now), None)))
    objects = Objects(store, paths_of(rows))
    found = set()
    for row in rows:
        for same, unsure in (before_of(objects, row), after_of(objects, row)):
            found.update(same, unsure)
    return OF_OBJECTS % ids(sorted(found))
