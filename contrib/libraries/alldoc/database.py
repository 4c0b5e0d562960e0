# SPDX-License-Identifier: LGPL-2.1-or-later
"""The index: a file of SQLite that is never changed where people read it.

A run works on a copy beside it, NAME.new, and puts that in its place. So readers need no locks, which would let each of
them stop the run, and no rights to write. A killed run leaves NAME.new, which the next one goes on with.

`words` is a contentless table of FTS5: it has which words are where, and no text. Its rows cannot be removed without the
text that made them, so rows of removed documents stay, and are found by nobody: numbers of documents are not used twice.
When there are too many, the index is made anew.
"""

import errno
import fcntl
import os
import sqlite3

from ...program import Failure
from ...text import escape, file_path, stored
from ...trusted import check_place

DEFAULT = "/var/cache/jobtrail/alldoc.db"
VERSION = 1
APPLICATION = 0x6A74616C  # "jtal"
DEAD_MIN = 1000
PART = ".part"
READ_ONLY = "?mode=ro&immutable=1"
BUSY = 3  # exit status: another run is on
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SCHEMA = """
CREATE TABLE file(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, tree TEXT NOT NULL, path TEXT NOT NULL, signature TEXT NOT NULL,
    argv TEXT NOT NULL DEFAULT '', device INTEGER NOT NULL DEFAULT 0, UNIQUE(kind, tree, path));
CREATE TABLE document(id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, name TEXT NOT NULL, section TEXT NOT NULL,
    version TEXT NOT NULL, summary TEXT NOT NULL, line INTEGER NOT NULL);
CREATE INDEX document_file ON document(file);
CREATE TABLE routine(name TEXT COLLATE NOCASE, document INTEGER, line INTEGER, PRIMARY KEY(name, document, line)) WITHOUT ROWID;
CREATE INDEX routine_document ON routine(document);
CREATE TABLE library(name TEXT, document INTEGER, PRIMARY KEY(name, document)) WITHOUT ROWID;
CREATE INDEX library_document ON library(document);
CREATE TABLE include(directory TEXT, document INTEGER, PRIMARY KEY(directory, document)) WITHOUT ROWID;
CREATE INDEX include_document ON include(document);
CREATE VIRTUAL TABLE words USING fts5(name, text, content='', tokenize='unicode61');
"""


class Lock:
    """That of the run. It is a file of its own that only its owner can open: who can open a file can hold its lock."""

    def __init__(self, path):
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self.fd = os.open(path + ".lock", flags, 0o600)
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure("%s: another run is making it" % escape(stored(path)), status=BUSY) from None


def copy(path, target):
    """Copies the index to what is to become the next one, complete or not at all."""
    part = target + PART
    remove(part)
    source = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while os.sendfile(fd, source, None, 1 << 24):
                pass
        finally:
            os.close(fd)
    finally:
        os.close(source)
    os.rename(part, target)


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def connect(path, mode):
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + mode
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def is_ours(path, mode):
    """Whether the file is an index of this version, and can be read."""
    if not os.path.isfile(path):
        return False
    base = None
    try:
        base = connect(path, mode)
        known = base.execute("PRAGMA application_id").fetchone()[0], base.execute("PRAGMA user_version").fetchone()[0]
        return known == (APPLICATION, VERSION) and base.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        return False
    finally:
        if base is not None:
            base.close()


def dead_share(base):
    """(rows of removed documents in `words`, documents)"""
    last = base.execute("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'document'), 0)").fetchone()[0]
    live = base.execute("SELECT count(*) FROM document").fetchone()[0]
    return last - live, live


class Building:
    """The index that is made. The directory is made too, where only it is missing."""

    def __init__(self, path, is_anew):
        self.path, self.next, self.base = path, path + ".new", None
        directory = os.path.dirname(path)
        if not os.path.isdir(directory):
            check_place(directory)
            os.mkdir(directory, 0o755)
            os.chmod(directory, 0o755)
        check_place(path)
        self.lock = Lock(path)
        try:
            self.begin(is_anew)
        except (OSError, sqlite3.Error) as error:
            self.give_up(error)

    def begin(self, is_anew):
        self.is_continued = not is_anew and is_ours(self.next, "?mode=rw")
        if not self.is_continued:
            self.drop()
            if not is_anew and self.is_worth_copying():
                copy(self.path, self.next)
        self.is_new = not os.path.exists(self.next)
        if self.is_new:
            os.close(os.open(self.next, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        self.base = connect(self.next, "?mode=rw")
        if self.is_new:
            self.create()
        self.base.execute("PRAGMA cache_size = -32768")
        self.base.execute("PRAGMA temp_store = MEMORY")
        self.base.execute("CREATE TEMP TABLE seen(file INTEGER PRIMARY KEY)")

    def drop(self):
        for ending in ("", "-journal", PART):  # in this order: a database without its journal may be half of one
            remove(self.next + ending)

    def give_up(self, error):
        """Raises Failure. The index stays as it was. Where there is no space, what was made of the next one gives its back."""
        is_full = getattr(error, "errno", None) in FULL or "full" in str(error)
        if self.base is not None:
            self.base.close()
        if is_full:
            self.drop()
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("%s: %s; the index stays as it was" % (escape(stored(self.path)), reason)) from None

    def make(self, run):
        """Calls run(base), which returns (whether something has changed, whether the index is to be made anew), and puts the
        index in its place."""
        try:
            is_changed, is_anew = run(self.base)
            if is_anew:
                self.base.close()
                self.begin(True)
                run(self.base)
            self.publish(is_changed)
            os.utime(self.lock.fd)  # jobtrail-conf doctor looks at it
        except (OSError, sqlite3.Error) as error:
            self.give_up(error)

    def is_worth_copying(self):
        if not is_ours(self.path, READ_ONLY):
            return False
        base = connect(self.path, READ_ONLY)
        try:
            dead, live = dead_share(base)
        finally:
            base.close()
        return dead <= max(DEAD_MIN, live // 2)

    def create(self):
        try:
            self.base.executescript("BEGIN;" + SCHEMA)
        except sqlite3.OperationalError as error:
            if "fts5" not in str(error):
                raise
            self.drop()
            raise Failure("SQLite %s of this Python has no FTS5: %s" % (sqlite3.sqlite_version, error)) from None
        self.base.execute("PRAGMA application_id = %d" % APPLICATION)
        self.base.execute("PRAGMA user_version = %d" % VERSION)
        self.base.execute("COMMIT")

    def publish(self, is_changed):
        """Puts the index in the place of the one before, unless nothing in it has changed."""
        self.base.close()
        if not (is_changed or self.is_new or self.is_continued):
            self.drop()
            return
        os.chmod(self.next, 0o644)
        fd = os.open(self.next, os.O_RDONLY | os.O_CLOEXEC)
        os.fsync(fd)
        os.close(fd)
        os.rename(self.next, self.path)
        fd = os.open(os.path.dirname(self.path), os.O_RDONLY | os.O_CLOEXEC)
        os.fsync(fd)
        os.close(fd)


def open_index(path):
    """To read. Raises Failure."""
    path = file_path(path)
    if not os.path.exists(path):
        raise Failure("%s: there is no index; 'jobtrail-alldoc index' makes it" % escape(stored(path)))
    if not os.path.isfile(path):
        raise Failure("%s: is no index of jobtrail-alldoc" % escape(stored(path)))
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))  # SQLite does not say why it cannot
        base = connect(path, READ_ONLY)
        base.execute("PRAGMA trusted_schema = OFF")
        application = base.execute("PRAGMA application_id").fetchone()[0]
        version = base.execute("PRAGMA user_version").fetchone()[0]
    except OSError as error:
        raise Failure("%s: %s" % (escape(stored(path)), error.strerror)) from None
    except sqlite3.Error as error:
        raise Failure("%s: %s" % (escape(stored(path)), error)) from None
    if application != APPLICATION:
        raise Failure("%s: is no index of jobtrail-alldoc" % escape(stored(path)))
    if version != VERSION:
        raise Failure("%s: is of another version; 'jobtrail-alldoc index' makes it anew" % escape(stored(path)))
    return base
