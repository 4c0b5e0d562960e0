# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds documents by words, routine or library, and reads the line of each that matches."""

import errno
import functools
import json
import os
import stat

from ... import hints
from ...program import Failure
from ...text import escape, file_path
from .extract import library_name
from .reading import Unreadable, base_name, read_text
from .sources import KINDS, READERS
from .walk import open_below

TEXT_MAX = 4 << 20  # of what is read again
WIDTH = 160
PARTS_MAX = 64  # of a path below a tree
PATTERN = set("*?[")
COLUMNS = """document.id, file.kind, document.name, document.section, document.version, document.summary, document.line,
    file.tree, file.path, file.argv"""


@functools.lru_cache(maxsize=8)
def contents(kind, tree, below, open_one):
    """(text, [(name, text)]) of a file and of its documents. Raises OSError, Unreadable."""
    if kind == "command":
        raise Unreadable("is no file")
    opened = open_one(file_path(tree), file_path(below))
    if opened is None:
        raise PermissionError(errno.EACCES, "it is no longer readable for everybody")
    try:
        text, _ = read_text(opened[0], below, TEXT_MAX)
    finally:
        os.close(opened[0])
    return text, [(each.name, each.text) for each in READERS[kind].documents(text, below, base_name(below.rpartition("/")[2]))]


def open_own(tree, path):
    """As open_below(), with the rights of who asks, and also by links."""
    fd = os.open(tree + "/" + path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    facts = os.fstat(fd)
    if stat.S_ISREG(facts.st_mode):
        return fd, facts
    os.close(fd)
    raise OSError(errno.EINVAL, "is no file")


class Hit:
    """A document of the index. line: that of the routine where one was asked for."""

    def __init__(self, base, row, routines):
        self.id, self.kind, self.name, self.section, self.version, self.summary, self.line, self.tree, below, argv = row
        self.argv = json.loads(argv) if argv else None
        self.path = None if self.argv else self.tree + "/" + below
        self.below, self.command = below, below if self.argv else None
        self.libraries = [name for name, in base.execute("SELECT name FROM library WHERE document = ? ORDER BY name", (self.id,))]
        if routines:
            where, values = routines
            found = base.execute("SELECT min(line) FROM routine WHERE document = ? AND " + where, [self.id] + values).fetchone()[0]
            self.line = found or self.line

    @property
    def title(self):
        return "%s(%s)" % (self.name, self.section) if self.section else self.name

    def read(self, open_one=open_below):
        """(whole text, text of this document). open_one: opens a file below a tree, as open_below(). Raises OSError,
        Unreadable."""
        whole, documents = contents(self.kind, self.tree, self.below, open_one)
        own = [text for name, text in documents if name == self.name]
        return whole, (own or [whole])[0]

    def snippet(self, words, routine):
        """The first line with one of the words; else, of a header, that of the routine. "": there is none, or not everybody may
        read it any more; then `summary`, which is a line of it, becomes "", too."""
        try:
            whole, own = self.read()
        except PermissionError:
            self.summary = ""
            return ""
        except (OSError, Unreadable):
            return self.summary
        for word in words:
            wanted = word.rstrip("*").lower()
            for line in own.split("\n"):
                at = line.lower().find(wanted)
                if at >= 0:
                    return around(line, at)
        lines = whole.split("\n")
        if routine and self.kind == "header" and self.line <= len(lines):
            return around(lines[self.line - 1], 0)
        return self.summary

    def values(self, snippet):
        return {
            "id": self.id, "kind": self.kind, "name": self.name, "section": self.section or None, "libraries": self.libraries,
            "version": self.version or None, "summary": self.summary or None, "path": self.path, "line": self.line, "command": self.argv,
            "snippet": snippet or None,
        }


def around(line, at):
    begin = max(0, at - WIDTH // 2)
    return " ".join(line[begin : begin + WIDTH].split())


def query(words):
    """FTS5's query for documents with all of the words, each as it is: nothing in them is an operator. A word that ends with
    * stands for its beginnings."""
    terms = []
    for word in words:
        bare = word.rstrip("*").replace("\0", " ").replace('"', '""')
        if any(c.isalnum() for c in bare):
            terms.append('"%s"%s' % (bare, "*" if word.endswith("*") else ""))
    return " ".join(terms)


def routine_condition(name):
    """(SQL, values): Fortran's routines have one underscore more in C, or none, and either case."""
    if PATTERN & set(name):
        return "lower(name) GLOB ?", [name.lower()]
    bare = name.rstrip("_") or name
    return "name IN (?, ?, ?)", [name, bare, bare + "_"]


class Question:
    def __init__(self, base, options):
        self.base, self.options = base, options
        self.routine = routine_condition(options.routine) if options.routine else None
        self.matched = query(options.words)
        if options.words and not self.matched:
            raise Failure("there is no word in %s" % escape(" ".join(options.words)))

    def conditions(self):
        options, where, values = self.options, [], []
        if self.matched:
            where.append("words MATCH ?")
            values.append(self.matched)
        if self.routine:
            where.append("document.id IN (SELECT document FROM routine WHERE %s)" % self.routine[0])
            values += self.routine[1]
        if options.library:
            name = options.library.lower() if PATTERN & set(options.library) else library_name(options.library)
            where.append("document.id IN (SELECT document FROM library WHERE name %s ?)" % ("GLOB" if PATTERN & set(name) else "="))
            values.append(name)
        if options.library_version:
            where.append("(document.version = ? OR substr(document.version, 1, length(?) + 1) = ? || '.')")
            values += [options.library_version] * 3
        if options.kind:
            where.append("file.kind IN (%s)" % ", ".join("?" * len(options.kind)))
            values += options.kind
        return " AND ".join(where) or "1", values

    def hits(self):
        """The best hits, at most --limit, and the number of all."""
        where, values = self.conditions()
        tables = "document JOIN file ON file.id = document.file"
        order = "document.name = ? COLLATE NOCASE DESC, instr('man header command module pkgconfig doc', file.kind), document.name, document.id"
        ordered = [self.options.routine or self.options.library or ""]
        if self.matched:
            tables = "words JOIN document ON document.id = words.rowid JOIN file ON file.id = document.file"
            order, ordered = "bm25(words, 8.0, 1.0), document.id", []
        number = self.base.execute("SELECT count(*) FROM %s WHERE %s" % (tables, where), values).fetchone()[0]
        rows = self.base.execute(
            "SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT ?" % (COLUMNS, tables, where, order), values + ordered + [self.options.limit]
        ).fetchall()
        return [Hit(self.base, row, self.routine) for row in rows], number

    def hint(self):
        """What may have been meant where nothing was found."""
        for table, name in (("routine", self.options.routine), ("library", self.options.library)):
            if name and not PATTERN & set(name):
                names = self.base.execute("SELECT DISTINCT name FROM %s WHERE name LIKE ? || '%%'" % table, (name[:2],))
                found = hints.hint(name, [row[0] for row in names])
                if found:
                    return found
        for word in self.options.words:
            names = self.base.execute(
                "SELECT name FROM routine WHERE name LIKE ?1 || '%' UNION SELECT name FROM library WHERE name LIKE ?1 || '%'", (word[:2],)
            )
            found = hints.hint(word, [row[0] for row in names])
            if found:
                return found
        return ""


def by_id(base, number):
    row = base.execute(
        "SELECT %s FROM document JOIN file ON file.id = document.file WHERE document.id = ?" % COLUMNS, (number,)
    ).fetchone()
    if row is None:
        raise Failure("there is no document %d in the index" % number)
    return Hit(base, row, None)


def by_path(base, path):
    """The Hits of a file."""
    terms = [(path[:at], path[at + 1 :]) for at in range(len(path)) if path[at] == "/"][-PARTS_MAX:]
    rows = []
    for tree, below in terms:
        rows += base.execute(
            "SELECT %s FROM file JOIN document ON document.file = file.id WHERE file.kind IN (%s) AND tree = ? AND path = ?"
            % (COLUMNS, ", ".join("?" * len(READERS))), [*READERS, tree, below]
        )  # fmt: skip
    return [Hit(base, row, None) for row in rows]


def checked_kinds(text):
    """Of --kind; raises ValueError with the hint."""
    found = text.split(",")
    for kind in found:
        if kind not in KINDS:
            raise ValueError("there is no kind %s%s" % (escape(kind), hints.hint(kind, KINDS)))
    return found
