# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run that makes the index: reads what has changed since the run before, and forgets what is gone."""

import collections
import functools
import hashlib
import json
import os
import re
import shlex

from ... import hints
from ...pattern import Pattern
from ...text import escape, file_path, stored
from . import command, pkgconfig, roff
from .extract import document, library_name
from .reading import Unreadable, base_name, read_text
from .sources import READERS, is_entered, is_wanted
from .walk import Tree, open_below, open_file

BATCH = 500  # files between two commits
TOLD = 10  # troubles that are named; the others are counted
OVERSTRUCK = Pattern(r".\x08", re.S)
ORDER = ("pkgconfig", "man", "doc", "module", "header")  # headers need to know what pkg-config says
DOCUMENT_TABLES = ("routine", "library", "include")


class Run:
    """counts: what was done with files, for the last line. has_closed: what was open to all and is no more was found, of which
    words are still in the index."""

    def __init__(self, base, sources, limits, told=TOLD):
        """limits: bytes (of one text), seconds, user (passwd entry or None): of commands. told: how many troubles are named."""
        self.base, self.sources, self.limits = base, sources, limits
        self.counts = collections.Counter()
        self.kept, self.troubles, self.pending, self.has_closed, self.told = [], 0, 0, False, told

    def make(self):
        self.base.execute("BEGIN")
        for kind in ORDER:
            if kind == "header":
                self.read_packages()
            for path in self.sources.trees[kind]:
                self.tree(kind, path)
                self.commit()
        for each in self.sources.commands:
            self.command(each)
        self.forget()
        self.base.execute("COMMIT")

    @property
    def is_changed(self):
        return any(self.counts[what] for what in ("new", "changed", "removed", "on other devices"))

    def trouble(self, text):
        self.troubles += 1
        if self.troubles <= self.told:
            hints.tell(text)

    # ---- trees

    def tree(self, kind, path):
        tree = Tree(path, functools.partial(is_entered, kind), functools.partial(is_wanted, kind))
        shown = stored(path)
        known = self.base.execute("SELECT 1 FROM file WHERE kind = ? AND tree = ? LIMIT 1", (kind, shown)).fetchone()
        try:
            for found in tree.walk():
                self.found(kind, tree, shown, found)
        except PermissionError:  # of the tree itself; root may be as others are
            tree.is_closed = True
        except OSError as error:
            if known or kind in self.sources.is_named:
                self.away(kind, shown, error.strerror)
            return
        if tree.is_closed:
            self.counts["hidden"] += 1
            if known or kind in self.sources.is_named:
                self.trouble("%s: left out, as not everybody can read or reach it" % escape(shown))
        elif known and tree.is_empty:
            self.away(kind, shown, "is empty")
        for prefix, error in tree.unread:
            self.kept.append((kind, shown, stored(prefix)))
            self.trouble("%s/%s: %s" % (escape(shown), escape(stored(prefix)), error.strerror))
        for prefix, device in tree.empty:
            if self.was_mounted(kind, shown, stored(prefix), device):
                self.kept.append((kind, shown, stored(prefix)))
                self.trouble("%s/%s: another file system was here; its documents are kept" % (escape(shown), escape(stored(prefix))))
        self.counts["hidden"] += tree.hidden

    def was_mounted(self, kind, tree, prefix, device):
        """Whether what is known below a directory that is empty now lay on another file system."""
        sql = "SELECT device FROM file WHERE kind = ? AND tree = ? AND path > ? AND path < ? LIMIT 1"
        row = self.base.execute(sql, (kind, tree, prefix, prefix[:-1] + "0")).fetchone() if prefix else None  # 0 is behind /
        return row is not None and row[0] != device

    def away(self, kind, shown, why):
        """A tree that is not there may be unmounted: what was known of it stays."""
        self.kept.append((kind, shown, ""))
        self.trouble("%s: %s; its documents are kept" % (escape(shown), why))

    def found(self, kind, tree, shown, found):
        if found.link is not None and kind != "man":
            return
        path = stored(found.path)
        libraries, version = self.library_of(shown, path) if kind == "header" else ([], "")
        signature = "%d %d %d" % (found.facts.st_ino, found.facts.st_size, found.facts.st_mtime_ns)
        if libraries:
            signature += " " + " ".join(libraries + [version])
        if self.is_known(kind, shown, path, signature, found.facts.st_dev):
            return
        try:
            documents = self.alias(found) if found.link is not None else self.read(kind, path, found)
        except OSError as error:
            self.kept.append((kind, shown, path))
            self.trouble("%s/%s: %s" % (escape(shown), escape(path), error.strerror))
            return
        if documents is None:
            return
        if libraries:
            documents = [each._replace(libraries=libraries, version=version) for each in documents]
        self.store((kind, shown, path), signature, documents, device=found.facts.st_dev)

    def is_known(self, kind, tree, path, signature, device=0):
        sql = "SELECT id, signature, device FROM file WHERE kind = ? AND tree = ? AND path = ?"
        row = self.base.execute(sql, (kind, tree, path)).fetchone()
        if row is None or row[1] != signature:
            return False
        if row[2] != device:  # of network file systems the number may be another one after a boot
            self.base.execute("UPDATE file SET device = ? WHERE id = ?", (device, row[0]))
            self.counts["on other devices"] += 1
        self.base.execute("INSERT OR IGNORE INTO seen VALUES (?)", row[:1])
        self.counts["unchanged"] += 1
        return True

    def alias(self, found):
        name, section = roff.page_name(stored(base_name(found.name)))
        return [roff.alias(name, section, stored(base_name(found.link.rpartition("/")[2])))]

    def read(self, kind, path, found):
        """The documents of a file; none where it is no text. None: it is no file for all."""
        opened = open_file(found)
        if opened is None:
            return None
        fd = opened[0]
        try:
            text, is_cut = read_text(fd, found.name, self.limits["bytes"])
        except Unreadable as error:
            self.counts[str(error)] += 1
            return []
        finally:
            os.close(fd)
        self.counts["cut"] += is_cut
        self.counts["text"] += len(text)
        return READERS[kind].documents(text, path, base_name(path.rpartition("/")[2]))

    # ---- libraries of headers

    def read_packages(self):
        """What pkg-config says: (libraries, version) by directory, and by name."""
        rows = self.base.execute(
            "SELECT document.id, document.name, document.version FROM document JOIN file ON file.id = document.file"
            " WHERE file.kind = 'pkgconfig' ORDER BY document.name"
        ).fetchall()
        self.of_directory, self.of_name = {}, {}
        for number, name, version in rows:
            libraries = [row[0] for row in self.base.execute("SELECT name FROM library WHERE document = ? ORDER BY name", (number,))]
            self.of_name.setdefault(library_name(name), (libraries, version))
            for row in self.base.execute("SELECT directory FROM include WHERE document = ?", (number,)):
                self.of_directory.setdefault(row[0], (libraries, version))

    def library_of(self, tree, path):
        """(libraries, version) of a header: of the innermost directory that belongs to one alone, else by its name."""
        whole = os.path.dirname(tree + "/" + path)
        while len(whole) > len(tree):
            if whole in self.of_directory:
                return self.of_directory[whole]
            whole = os.path.dirname(whole)
        parts = [part for part in path.split("/") if "-linux-gnu" not in part] or [path]
        name = library_name(parts[0].partition(".")[0])
        return self.of_name.get(name, ([name], ""))

    # ---- commands

    def command(self, each):
        key = ("command", stored(each.library), " ".join(shlex.quote(stored(word)) for word in each.argv))
        try:
            text, is_cut = command.output_of(each.argv, self.limits["user"], self.limits["seconds"], self.limits["bytes"])
        except command.NoText as error:
            self.kept.append(key)
            self.trouble("%s: %s" % (escape(key[2]), error))
            return
        text = OVERSTRUCK.sub("", text)
        signature = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        if self.is_known(*key, signature=signature):
            return
        self.counts["cut"] += is_cut
        self.counts["text"] += len(text)
        first = next((line for line in text.split("\n") if line.strip()), "")
        routines = [(name, 1) for name in dict.fromkeys(roff.CALL.findall(text)) if name not in roff.KEYWORDS]
        found = document(key[1], text, libraries=[key[1]], summary=first, routines=routines)
        self.store(key, signature, [found], json.dumps(each.argv))

    # ---- the index

    def store(self, key, signature, documents, argv="", device=0):
        row = self.base.execute("SELECT id FROM file WHERE kind = ? AND tree = ? AND path = ?", key).fetchone()
        self.counts["changed" if row else "new"] += 1
        if row:
            self.remove_documents(row[0])
            self.base.execute("UPDATE file SET signature = ?, argv = ?, device = ? WHERE id = ?", (signature, argv, device, row[0]))
            number = row[0]
        else:
            made = self.base.execute("INSERT INTO file(kind, tree, path, signature, argv, device) VALUES (?, ?, ?, ?, ?, ?)", key + (signature, argv, device))
            number = made.lastrowid
        for each in documents:
            self.add(number, key[0], each)
        self.base.execute("INSERT OR IGNORE INTO seen VALUES (?)", (number,))
        self.pending += 1
        if self.pending % BATCH == 0:
            self.commit()

    def commit(self):
        self.base.execute("COMMIT")
        self.base.execute("BEGIN")

    def add(self, file, kind, each):
        made = self.base.execute(
            "INSERT INTO document(file, name, section, version, summary, line) VALUES (?, ?, ?, ?, ?, ?)",
            (file, each.name, each.section, each.version, each.summary, each.line),
        )
        number = made.lastrowid
        self.base.executemany("INSERT OR IGNORE INTO library VALUES (?, ?)", [(name, number) for name in each.libraries])
        self.base.executemany("INSERT OR IGNORE INTO routine VALUES (?, ?, ?)", [(name, number, line) for name, line in each.routines])
        if kind == "pkgconfig":
            directories = [(os.path.normpath(path), number) for path in pkgconfig.include_directories(pkgconfig.fields(each.text))]
            self.base.executemany("INSERT OR IGNORE INTO include VALUES (?, ?)", directories)
        names = " ".join([each.name] + each.libraries + [name for name, _ in each.routines])
        self.base.execute("INSERT INTO words(rowid, name, text) VALUES (?, ?, ?)", (number, names, each.text))

    def remove_documents(self, file):
        for table in DOCUMENT_TABLES:
            self.base.execute("DELETE FROM %s WHERE document IN (SELECT id FROM document WHERE file = ?)" % table, (file,))
        self.base.execute("DELETE FROM document WHERE file = ?", (file,))

    def forget(self):
        """Removes what was not seen, unless it is where nobody could look."""
        by_tree = {}
        for kind, tree, prefix in self.kept:
            by_tree.setdefault((kind, tree), []).append(prefix)
        rows = self.base.execute("SELECT id, kind, tree, path FROM file WHERE id NOT IN (SELECT file FROM seen)").fetchall()
        for number, kind, tree, path in rows:
            if not any(is_below(path, prefix) for prefix in by_tree.get((kind, tree), ())):
                self.has_closed |= kind != "command" and is_closed(tree, path)
                self.remove_documents(number)
                self.base.execute("DELETE FROM file WHERE id = ?", (number,))
                self.counts["removed"] += 1

    def summary(self):
        counts = self.counts
        text = "%d new, %d changed, %d removed, %d unchanged" % tuple(
            counts[what] for what in ("new", "changed", "removed", "unchanged")
        )
        text += "; %.1f MB of text read" % (counts["text"] / 1e6) if counts["text"] else ""
        others = [(counts["cut"], "cut at the limit"), (counts["hidden"], "not readable for all")]
        reasons = ("is no text", "is damaged", "is cut off", "this Python cannot decompress it")
        others += [(counts[what], what.replace("is ", "", 1)) for what in reasons]
        others += [(self.troubles, "with errors")]
        return text + "".join("; %d %s" % each for each in others if each[0])


def is_closed(tree, path):
    """Whether a file that is not among those that all may read is still there."""
    try:
        opened = open_below(file_path(tree), file_path(path))
    except OSError as error:
        return isinstance(error, PermissionError)
    if opened is not None:
        os.close(opened[0])
    return opened is None


def is_below(path, prefix):
    return not prefix or path == prefix or path.startswith(prefix.rstrip("/") + "/")
