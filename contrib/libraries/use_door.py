# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens of libraries from outside of jobs and links, by day: the door by which the report counts them (use_parts.py)."""

from ..report import days
from ..report.model import form
from ..report.use_counts import Counts, first_day
from ..site_libraries import NO_LIBRARY

WORDS = {"opened": "opens from outside of jobs"}
OF_USE = {"opened": ("libraries",)}
UNFIT = {"opened": ("account", "partition", "exec", "module", "pkg")}
MOST = 8  # hosts by name
OPENED = (
    "Lower bounds: equal opens in a row count once, and hosts see none while no library watch (jobtrail-libmon(8)) is running. Copies and"
    " backups are left out where the watch knows the program by its name. Times of last access do not show the program: there only reads"
    " of most of a tree in one turn are left out. Numbers of two sources for one day are not added. Libraries are named as in"
    " jobtrail-libmon(8), without versions."
)
NO_OPENS = "No opens are recorded: the keys watch and use_records of jobtrail.conf(5) switch this on."
# by packers, copiers, indexers and the like: nobody needs a library for that
NO_COPY = "kind = 'use' AND what <> 'copy'"
# the last second of those that a record stands for
WHEN = "coalesce(before_time - 1, found)"
OPENS = (
    "SELECT library, path, node, source, {when}, uses, user, cluster, syshost FROM library_event"
    " WHERE {no_copy} AND {when} >= ? AND {when} < ?"
).format(when=WHEN, no_copy=NO_COPY)
OF_NONE = "library IN ('%s')" % "', '".join(NO_LIBRARY)


def first_open(model):
    return first_day(model, "SELECT min(%s) FROM library_event WHERE kind = 'use'" % WHEN)


class Sources:
    """What is reported of one library and day. An open is seen by the host that it happened on; the times of a file on a shared file system
    tell of it on each host that reads them. So watches are added up over hosts, and of atime the host with most counts. Both tell
    of the same opens."""

    def __init__(self):
        self.watch, self.atime = 0, {}

    def add(self, node, source, uses):
        if source == "atime":
            self.atime[node] = self.atime.get(node, 0) + uses
        else:
            self.watch += uses

    def merge(self, other):
        self.watch += other.watch
        for node, uses in other.atime.items():
            self.atime[node] = self.atime.get(node, 0) + uses

    def least(self):
        return max([self.watch, *self.atime.values()])


def is_wanted(options, user, cluster, syshost, node):
    places = {form(1, cluster), form(1, syshost)}
    return (
        (options.user is None or user in options.user)
        and (options.cluster is None or not places.isdisjoint(form(1, name) for name in options.cluster))
        and (options.node is None or node in options.node)
    )


def told_of(model, options, which, label_of):
    """{(label, day): Sources} of the period. `which`: SQL; `label_of(library, path)`: None leaves it out."""
    found, period = {}, (days.begin(model.first), days.begin(model.last + 1))
    for library, path, node, source, time, uses, *of in model.store.lookup("%s AND %s" % (OPENS, which), period):
        label = label_of(library, path) if is_wanted(options, *of, node) else None
        if label is not None:
            found.setdefault((label, days.of_time(time)), Sources()).add(node, source, uses or 0)
    return found


def opened(model, options, _):
    fits = model.site.chosen(options.lib)

    def label_of(library, path):
        return model.site.shown(library, path, model.names) if fits(library, path) else None

    told = told_of(model, options, "NOT " + OF_NONE, label_of)
    found = Counts(first_open(model), True)
    for (label, day), sources in told.items():
        found.add((label,), day, sources.least())
    return found


def none_line(model, options):
    """At least so many opens of the period are of libraries that the records do not name."""
    told = told_of(model, options, OF_NONE, lambda *_: "")
    opens = sum(sources.least() for sources in told.values())
    return "At least %d more opens: of which library is not known." % opens if opens else None


def note_of(model, options, found, _):
    return (NO_OPENS,) if found.first is None else (OPENED, none_line(model, options))


def of_opens(model, options):
    if not model.store.is_all:
        return
    sql = "SELECT DISTINCT node FROM library_event WHERE kind = 'use' AND node IS NOT NULL ORDER BY node"
    hosts = [node for node, in model.store.lookup(sql)]
    names = ", ".join(hosts[:MOST] + (["%d more" % (len(hosts) - MOST)] if len(hosts) > MOST else []))
    yield "Opens outside of jobs are seen on %s." % (names and names + " only" or "no host")
    line = none_line(model, options)
    if line:
        yield line


PARTS = {"opened": opened}
NOTES = {"opened": note_of}
