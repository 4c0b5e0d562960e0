# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --changes: changes of the site's libraries, with the runs of before and after. See library_changes.py."""

from ..acct.fields import bounded
from ..acct.select import Selection, select_place, window
from ..hints import tell
from ..times import format_time, parse_time
from . import library_changes

DEFAULT = "Found,Change,Library,By,OldBuild%12,NewBuild%12,Before,Failed,Unknown,After,FailedAfter,UnknownAfter,Path"
# options that can be used with it
GOES_WITH = {
    "account", "allusers", "changes", "cluster", "csv", "delimiter", "endtime", "events", "format", "helpformat", "json", "lib", "no_sacct",
    "node", "noheader", "parsable", "partition", "sort", "starttime", "store", "top", "user",
}  # fmt: skip


def column(name):
    return lambda row: row[name]


def by(row):
    """Who it was. Anybody who can write where records lie may have written what is not proven: no user's name begins with '?'."""
    user = row["user"] or (None if row["uid"] is None else str(row["uid"]))
    return user if row["proven"] else "?" + (user or "")


def number(side, name):
    def value(row):
        have = row[side]
        return have and bounded(have[name], ">=" if have["at_least"] else "")

    return value


def time(name):
    return lambda row: format_time(row[name])


# of changes and of events
SHARED = [
    ("After", 6, number("after", "runs")),
    ("Before", 6, number("before", "runs")),
    ("By", 9, by),
    ("Cluster", 10, column("cluster")),
    ("Command", 20, lambda row: row["command"] or row["program"]),
    ("Event", 36, column("event")),
    ("Failed", 6, number("before", "failed")),
    ("FailedAfter", 11, number("after", "failed")),
    ("Files", 6, column("files")),
    ("Found", 19, time("found")),
    ("Job", 12, column("job_id_raw")),
    ("Node", 10, lambda row: ",".join(filter(None, row["nodes"]))),
    ("Proven", 6, lambda row: "yes" if row["proven"] else "no"),
    ("Source", 6, column("source")),
    ("Step", 11, column("step_id")),
    ("Unknown", 7, number("before", "unknown")),
    ("UnknownAfter", 12, number("after", "unknown")),
    ("UsersAfter", 10, number("after", "users")),
    ("UsersBefore", 11, number("before", "users")),
]
OF_CHANGE = [
    ("Change", 8, column("what")),
    ("From", 40, column("path_before")),
    ("Group", 10, column("group_name")),
    ("Library", 20, column("library")),
    ("NewBuild", 40, lambda row: row["is_build_id"] or row["is_sha1"]),
    ("NewPackage", 20, column("is_package")),
    ("NewSha1", 40, column("is_sha1")),
    ("NewVersion", 12, column("is_version")),
    ("OldBuild", 40, lambda row: row["was_build_id"] or row["was_sha1"]),
    ("OldPackage", 20, column("was_package")),
    ("OldSha1", 40, column("was_sha1")),
    ("OldVersion", 12, column("was_version")),
    ("Path", 40, column("path")),
    ("Since", 19, time("after_time")),
    ("Until", 19, time("before_time")),
    ("UUID", 36, column("uuid")),
]
FIELDS = sorted(SHARED + OF_CHANGE, key=lambda field: field[0].lower())


def found_changes(store, options, now):
    """The changes of the time and the libraries that are asked for."""
    fits = [library_changes.name_fits(text) for text in options.lib or ()]
    rows = library_changes.read(store, *window(options, now, False), lambda row: not fits or any(fit(row) for fit in fits))
    more = sum(row["files"] - 1 for row in rows if row["files"])
    if more:
        tell("a record of several files names only the first: runs of the others (%d) are not counted" % more)
    return rows


def with_runs(store, options, rows):
    """As library_changes.with_runs(), of the users and places that are asked for."""
    selection = Selection()
    select_place(selection, options)
    return library_changes.with_runs(store, rows, selection.sql(), selection.values)


def read(store, options, now):
    """Each change of the time that is asked for."""
    return with_runs(store, options, found_changes(store, options, now))


def changed_condition(store, text, now):
    """Runs that have had a file as it was before, or is after, a change that was found since the time: --changed."""
    return library_changes.affected(store, library_changes.read(store, parse_time(text, now)))
