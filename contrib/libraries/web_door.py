# SPDX-License-Identifier: LGPL-2.1-or-later
"""Of a library or a module: how the records of jobtrail-libmon(8) name it, what changed in it, how it is used, who its
removal would affect, and its documentation. The door of pages: contrib/answers/web/site.py says what it has."""

from .. import library
from ..report.columns import BETWEEN, COUNT, DATE, ESTIMATE, RANGE, TEXT, Page, day_of
from ..report.sums import Sums
from . import changes_page, documentation, removal_page

COLUMNS = [
    ("how", "How", TEXT),
    ("number", "# Runs, links or opens", ESTIMATE),
    ("number", BETWEEN, RANGE),
    ("users", "# Users", COUNT),
    ("last", "Last", DATE),
    ("certainty", "How sure", TEXT),
]


def is_recorded(model, name):
    return bool(model.store.lookup("SELECT 1 FROM library_event WHERE library = ? LIMIT 1", (name,)))


def versions(model, name, path):
    """Of a record's library and file: by the path, by a name as a module has it, by the site's list."""
    file = model.site.files.get(path)
    return {library.version(path), library.version(path, name), file and file.version}


def is_named(model, name, objects):
    """A function of a record's library and path: whether a library of the report is meant, which has these objects. With a version in
    its name it is that version alone."""
    bare, _, version = name.partition(" ")
    paths = {path for number, path in model.store.lookup("SELECT id, path FROM object") if number in objects}

    def fits(have, path):
        if name == have or path in paths:
            return True
        return bare in model.site.names(have, path) and (not version or version in versions(model, have, path))

    return fits


def target(model, kind, name, objects, fits):
    """`objects`: the site's list calls them so; `fits(name)`: whether a library of the report is meant."""
    if kind == "modules":
        return removal_page.target_of(model, set(), {number for number, have in model.modules().items() if have == name})
    objects = {number for number, (have, _) in model.libraries().items() if fits(have)} | objects
    return removal_page.target_of(model, objects, set(), is_named(model, name, objects))


def changes(model, options, wanted):
    return changes_page.page_of(model, options, lambda row: wanted.is_named(row["library"], row["path"]))


def removal(model, options, wanted):
    return removal_page.removal_page(model, options, wanted)


def uses(model, options, wanted):
    """By kind: they are not added up, since one use can be of several kinds."""
    kinds = {}
    for found, estimates in removal_page.gather(model, options, wanted):
        for key, row in found.items():
            kinds.setdefault(key[2], []).append((key, row, estimates))
    rows = [row_of(how, members) for how, members in sorted(kinds.items())]
    return Page("uses", "How it is used", COLUMNS, rows, note=" ".join(removal_page.unknown(model, options)))


def row_of(how, members):
    runs, is_proven = Sums(), all(row.is_proven for _, row, _ in members)
    opens = removal_page.opens_of(row for _, row, _ in members)
    links, left_out = sum(row.links for _, row, _ in members), sum(row.left_out for _, row, _ in members)
    last = max(filter(None, (removal_page.last_of(row) for _, row, _ in members)), default=None)
    for _, row, _ in members:
        if row.sums is not None:
            runs.add(row.sums)
    users = len({key[0] for key, _, _ in members if key[0] not in removal_page.NOBODY})
    if opens is not None:
        return [how, opens, (opens, None), users, day_of(last), "at least" if is_proven else "at least, not all proven"]
    if left_out:
        return [how, left_out, (0, left_out), users, day_of(last), "at most"]
    if links:
        return [how, links, None, users, day_of(last), "recorded"]
    number, interval = members[0][2].runs(runs, False)
    return [how, number, interval, users, day_of(last), "recorded" if interval is None else "estimate of a sample"]


TABLES = {"changes": changes, "uses": uses, "removal": removal}
__all__ = ("TABLES", "documentation", "is_recorded", "target")
