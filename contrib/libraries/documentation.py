# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documentation of libraries beside their use: the index of jobtrail-alldoc(1) on this host. Only what everybody may read is
shown, and no command is run."""

import argparse
import os
import sqlite3

from ..pattern import Pattern
from ..program import Failure
from ..report import fitting
from ..report.columns import LIST, TEXT, Page
from ..text import escape, file_path, stored
from .alldoc import database, search
from .alldoc.extract import library_name
from .alldoc.reading import Unreadable
from .alldoc.search import checked_kinds
from .alldoc.show import harmless

HITS_MAX = 100  # documents of one question: of each, the line is read where it lies
TEXT_MAX = 200000  # characters of a document
WORD = Pattern(r'"([^"]*)"|(\S+)')
ASKED = ("words", "routine", "library", "version", "kind")
COLUMNS = [("document", "Document", TEXT), ("kind", "Kind", TEXT), ("library", "Belongs to", LIST), ("version", "Version", TEXT),
           ("line", "Line", TEXT), ("place", "Where", TEXT)]  # fmt: skip
NONE = "There is no index of documentation on this host: jobtrail-alldoc(1) says how it is made."
LEFT_OUT = ("module",)  # columns of the report's table of libraries that its table of system libraries lacks


class NotShown(Failure):
    """`http_status`: what a page with the sentence has."""

    def __init__(self, http_status, why):
        super().__init__(why)
        self.http_status = http_status


def index_path():
    return stored(os.environ.get("JOBTRAIL_ALLDOC") or "") or database.DEFAULT


def is_there():
    return os.path.isfile(file_path(index_path()))


def question(**asked):
    """The options of jobtrail-alldoc."""
    found = dict.fromkeys(("routine", "library", "library_version", "kind"))
    found.update(asked)
    words = [phrase or word for phrase, word in WORD.findall(found.pop("words", "") or "")]
    return argparse.Namespace(words=words, limit=HITS_MAX, **found)


def answered(ask):
    """What ask(base) returns, of the index. Raises NotShown."""
    if not is_there():
        raise NotShown(404, NONE)
    try:
        base = database.open_index(index_path())
    except Failure as failure:
        raise NotShown(500, str(failure)) from None
    try:
        try:
            return ask(base)
        finally:
            base.close()
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise NotShown(500, "The index of documentation cannot be read: %s" % escape(str(error))) from None


def row_of(hit, options):
    snippet = hit.snippet(options.words, options.routine)
    place = hit.path or hit.command
    return [hit.title, hit.kind, ", ".join(hit.libraries) or None, hit.version or None, snippet or None, place]


def documents(options):
    """(Page of the documents that were found, their libraries, a hint for where there are none)."""

    def ask(base):
        try:
            asked = search.Question(base, options)
        except Failure as failure:
            raise NotShown(400, str(failure)) from None
        hits, number = asked.hits()
        rows = [row_of(hit, options) for hit in hits]
        return rows, {name for hit in hits for name in hit.libraries}, number, "" if hits else asked.hint()

    rows, libraries, number, hint = answered(ask)
    note = "The best %d of %d." % (len(rows), number) if number > len(rows) else ""
    return Page("documentation", "Documentation", COLUMNS, rows, note=note), libraries, hint


def of_library(name):
    """Of a library of the report, as hdf5 1.14.3 or hdf5; of all versions, since few documents tell theirs."""
    bare = name.partition(" ")[0]
    page, _, _ = documents(question(library=bare))
    if not page.rows and bare == "glibc":
        page, _, _ = documents(question(library="libc.so.6"))
    return page


def of_module(name):
    """Of a module, and of the library that is called as it is."""
    page, _, _ = documents(question(library=name.partition("/")[0]))
    page.rows = [row for row in page.rows if row[1] != "module" or row[0] == name or "/" not in name]
    return page


def use(model, options, libraries):
    """What the report says of libraries of these names, each version of them."""
    tables = [fitting.PAGES[name](model, options) for name in ("libraries", "system")]
    keep = [at for at, (key, _, _) in enumerate(tables[0].columns) if key not in LEFT_OUT]
    rows = []
    for table in tables:
        of_key = [key for key, _, _ in table.columns]
        assert [tables[0].columns[at][0] for at in keep] == of_key[: len(keep)]
        rows += [row[: len(keep)] for row in table.rows if library_name(str(row[0]).partition(" ")[0]) in libraries]
    columns = [tables[0].columns[at] for at in keep]
    return Page("use", "Use of these libraries", columns, rows, note=tables[0].note.partition(". ")[2])


def text_of(path, title):
    """(Hit, text for people, whether it was cut) of a document of the index. Raises NotShown."""

    def ask(base):
        found = [hit for hit in search.by_path(base, path) if hit.title == title]
        if not found:
            raise NotShown(404, "There is no document %s of %s in the index." % (escape(title), escape(path)))
        try:
            whole, own = found[0].read()
        except (OSError, Unreadable) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise NotShown(404, "%s: %s" % (escape(path), escape(why))) from None
        text = own if found[0].kind == "man" else whole
        return found[0], text[:TEXT_MAX], len(text) > TEXT_MAX

    return answered(ask)
