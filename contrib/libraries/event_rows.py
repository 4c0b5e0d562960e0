# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --events: the changes of the site's libraries that belong together, as of an installation, one row each."""

from . import change_rows, library_changes
from .change_rows import SHARED, time

DEFAULT = "Found,Files,Libraries,Changes,By,Before,Failed,Unknown,After,FailedAfter,UnknownAfter,Command"
GOES_WITH = change_rows.GOES_WITH
OF_EVENT = [
    ("Changes", 24, lambda row: ", ".join("%s %d" % part for part in sorted(row["whats"].items()))),
    ("LastFound", 19, time("last_found")),
    ("Libraries", 40, lambda row: ",".join(row["libraries"])),
]
FIELDS = sorted(SHARED + OF_EVENT, key=lambda field: field[0].lower())


def read(store, options, now):
    """Each event with a change of the time and the libraries that are asked for."""
    rows = library_changes.events(change_rows.found_changes(store, options, now))
    return [dict(row, changes=len(row["changes"])) for row in change_rows.with_runs(store, options, rows)]
