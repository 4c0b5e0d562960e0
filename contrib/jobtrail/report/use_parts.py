# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses of libraries other than by runs, by day: links, and opens from outside of jobs and links."""

import argparse

from .. import extensions
from ..site_libraries import NO_LIBRARY
from . import days, link_page
from .columns import OVERLAP
from .model import UNKNOWN, form

# Those of extensions are in modules use_door: WORDS, OF_USE, UNFIT and PARTS as here, and NOTES: {use: function of the model}
WORDS = {"loaded": "runs", "linked": "links", "opened": "opens from outside of jobs"}
NOTES = {}
OF_EXTENSION = {"called": "routines"}
# what the rows of --use can be
OF_USE = {
    "linked": ("libraries", "system", "modules", "compilers", "users", "executables"),
    "opened": ("libraries",),
}
# of which each link, and each run, has one
ONE_EACH = ("compilers", "users", "executables")
# what a record of such a use does not have
UNFIT = {"linked": link_page.UNFIT, "opened": ("account", "partition", "exec", "module", "pkg")}
OPENED = (
    "At least so many: equal opens in a row are one, and nothing is seen on hosts without the watch of jobtrail-libmon(8), or while it"
    " does not run. Copies and backups are left out where the watch knows the program by its name. Times of last access do not tell the"
    " program: only what has read most of a tree in one turn is left out there. What two witnesses tell of a day is not added up. Libraries are"
    " named as jobtrail-libmon(8) does, without versions."
)
NO_OPENS = "No opens are recorded: the keys watch and use_records of jobtrail.conf(5) let them be."
# by packers, copiers, indexers and the like: nobody needs a library for that
NO_COPY = "kind = 'use' AND what <> 'copy'"
# the last second of those that a record stands for
WHEN = "coalesce(before_time - 1, found)"
OPENS = (
    "SELECT library, path, node, source, {when}, uses, user, cluster, syshost FROM library_event"
    " WHERE {no_copy} AND {when} >= ? AND {when} < ?"
).format(when=WHEN, no_copy=NO_COPY)
OF_NONE = "library IN ('%s')" % "', '".join(NO_LIBRARY)


class Counts:
    """{label: {day: number}}; `is_least`: lower bounds; `first`: the day from which on there are data, or None."""

    def __init__(self, first, is_least=False):
        self.by_label, self.total, self.first, self.is_least = {}, {}, first, is_least

    def add(self, labels, day, number):
        self.total[day] = self.total.get(day, 0) + number
        for label in labels:
            days_of = self.by_label.setdefault(label, {})
            days_of[day] = days_of.get(day, 0) + number


def first_day(model, sql):
    """Of the time that a statement finds; None: none."""
    [[time]] = model.store.lookup(sql)
    return None if time is None else days.of_time(time)


def first_link(model):
    return first_day(model, "SELECT min(link.build_epoch) FROM link")


def first_open(model):
    return first_day(model, "SELECT min(%s) FROM library_event WHERE kind = 'use'" % WHEN)


def linked(model, options, kind):
    if kind == "libraries":
        return of_links(model, options, lambda link: model.library_names(link.objects))
    if kind == "system":
        return of_links(model, options, lambda link: model.system_names(link.objects))
    return of_links(model, options, link_page.namer(model, options, kind))


def of_links(model, options, names_of):
    found = Counts(first_link(model))
    for link in link_page.read(model, options):
        found.add(names_of(link), days.of_time(link.epoch), 1)
    return found


class Witnesses:
    """What is told of one library and day. An open is seen by the host that it happened on; the times of a file on a shared file system
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
    """{(label, day): Witnesses} of the period. `which`: SQL; `label_of(library, path)`: None leaves it out."""
    found, period = {}, (days.begin(model.first), days.begin(model.last + 1))
    for library, path, node, source, time, uses, *of in model.store.lookup("%s AND %s" % (OPENS, which), period):
        label = label_of(library, path) if is_wanted(options, *of, node) else None
        if label is not None:
            found.setdefault((label, days.of_time(time)), Witnesses()).add(node, source, uses or 0)
    return found


def opened(model, options, _):
    fits = model.site.chosen(options.lib)

    def label_of(library, path):
        return model.site.shown(library, path, model.names) if fits(library, path) else None

    told = told_of(model, options, "NOT " + OF_NONE, label_of)
    found = Counts(first_open(model), True)
    for (label, day), witnesses in told.items():
        found.add((label,), day, witnesses.least())
    return found


PARTS = {"linked": linked, "opened": opened}
for _door in extensions.doors("use_door"):
    WORDS.update(_door.WORDS)
    OF_USE.update(_door.OF_USE)
    UNFIT.update(_door.UNFIT)
    PARTS.update(_door.PARTS)
    NOTES.update(_door.NOTES)
USES = tuple(WORDS)


def use_of(text):
    """The word for --use."""
    if text not in WORDS:
        raise argparse.ArgumentTypeError(extensions.lacking(OF_EXTENSION.get(text)) or "there are " + ", ".join(WORDS))
    return text


def none_line(model, options):
    """At least so many opens of the period are of libraries that the records do not name."""
    told = told_of(model, options, OF_NONE, lambda *_: "")
    opens = sum(witnesses.least() for witnesses in told.values())
    return "Of at least %d opens more it is not known of which library they were." % opens if opens else None


def note_of(model, options, use, found, kind):
    if use in NOTES:
        return " ".join(filter(None, ("" if kind in ONE_EACH else OVERLAP, *NOTES[use](model))))
    if use != "opened":
        return "" if kind in ONE_EACH else link_page.OVERLAP
    if found.first is None:
        return NO_OPENS
    return " ".join(filter(None, (OPENED, none_line(model, options))))
