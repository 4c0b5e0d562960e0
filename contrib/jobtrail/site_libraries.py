# SPDX-License-Identifier: LGPL-2.1-or-later
"""What libraries a site has: the list that `jobtrail-libmon list --json` writes, see jobtrail-libmon(8), and how their names
there and those of the report mean the same.

A line of the list is a JSON object. One with "jobtrail_libraries" begins what follows: lists of several hosts can stand in one
file, one after the other. The others are a file each.
"""

import calendar
import collections
import json
import os
import re
import time

from . import library
from .acct.select import parts_of, pattern_of
from .pattern import Pattern
from .program import Failure, os_trouble
from .text import escape, file_path, stored

FORM = 1
# in records of uses, those of which no library is told: more than there is room for, and of files that were gone
NO_LIBRARY = ("(others)", "(unseen)")
LINE_MAX = 65536
LINES_MAX = 10000000
SIZE_MAX = 2**63 - 1
TIME_MAX = 253402128000  # a day before the end of the year 9999, after which there are no dates: for all zones
ISO = Pattern(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:(Z)|([+-])(\d\d):?(\d\d))?\Z", re.ASCII)
TEXTS = ("path", "library", "group", "package", "version", "soname", "build_id")

File = collections.namedtuple("File", TEXTS + ("size", "since", "cluster", "node"))


class Damaged(Exception):
    """A line that is not of the list."""


def text_of(row, name):
    value = row.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise Damaged
    try:
        return stored(value)
    except UnicodeEncodeError:  # half a character, as "\ud800"
        raise Damaged from None


def number_of(row, name, most):
    """A number of seconds or bytes, or a time as text."""
    value = row.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        value = time_of(value)
    # an integer of JSON may be too long for a float; no comparison with NaN is true
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise Damaged
    return value


def time_of(text):
    """Of ISO 8601; without a zone it is local."""
    match = ISO.match(text)
    try:
        parts = time.strptime(match.group(1), "%Y-%m-%dT%H:%M:%S")
        if not (match.group(2) or match.group(3)):
            return time.mktime(parts[:8] + (-1,))
    except (AttributeError, ValueError, OverflowError):
        raise Damaged from None
    offset = 0 if match.group(2) else int(match.group(4)) * 3600 + int(match.group(5)) * 60
    return calendar.timegm(parts) - (-offset if match.group(3) == "-" else offset)


def object_of(line):
    try:
        row = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise Damaged from None
    if not isinstance(row, dict):
        raise Damaged
    return row


def lines_of(file):
    """Each line without its end; None for one that is too long."""
    while True:
        line = file.readline(LINE_MAX + 1)
        if not line:
            return
        is_long = len(line) > LINE_MAX
        while len(line) > LINE_MAX and not line.endswith(b"\n"):
            line = file.readline(LINE_MAX + 1)
        yield None if is_long else line


class SiteLibraries:
    """`files`: {path: File}; `made`: when the oldest part was, or None; `damaged`: lines that were left out; `is_there`: whether
    there is a list."""

    def __init__(self):
        self.files, self.made, self.damaged, self.is_there = {}, None, 0, False
        self.cluster = self.node = None

    def read(self, name):
        """Adds a list. Raises Failure where the file is none."""
        try:
            with open(file_path(name), "rb") as file:
                for number, line in enumerate(lines_of(file)):
                    if number >= LINES_MAX:
                        raise Failure("%s: has more than %d lines" % (escape(name), LINES_MAX))
                    self.take(line)
        except OSError as error:
            raise Failure(os_trouble(error)) from None
        if not self.is_there:
            raise Failure("%s: is no list of jobtrail-libmon list --json" % escape(name))

    def take(self, line):
        try:
            if line is None:
                raise Damaged
            row = object_of(line)
            if "jobtrail_libraries" in row:
                self.begin(row)
            else:
                self.add(row)
        except Damaged:
            self.damaged += 1

    def begin(self, row):
        if row["jobtrail_libraries"] != FORM:
            raise Failure("the list of libraries is of form %s: use a newer jobtrail" % escape(str(row["jobtrail_libraries"])[:20]))
        self.cluster, self.node = text_of(row, "cluster"), text_of(row, "node")
        made = number_of(row, "made", TIME_MAX)
        if made is not None:
            self.made = made if self.made is None else min(made, self.made)
        self.is_there = True

    def add(self, row):
        texts = [text_of(row, name) for name in TEXTS]
        if not texts[0] or not texts[1] or not self.is_there:
            raise Damaged
        size, since = number_of(row, "size", SIZE_MAX), number_of(row, "since", TIME_MAX)
        self.files[texts[0]] = File(*texts, size, since, self.cluster, self.node)

    # ---- Names

    def names(self, name, path):
        """All that a library may be called whose record has this name and this file."""
        if name in NO_LIBRARY:
            return {name}
        have = self.files.get(path)
        own = {name} | ({have.library} if have else set())
        return own | {text.partition("/")[0] for text in own} | {path.rsplit("/", 1)[-1], *library.names(path)}

    def fits(self, text, name, path, module=None):
        """Whether --lib NAME[>=VERSION] means it. `module`: the name of its module, where that is known."""
        wanted, sign, version = library.parse(text)
        pattern = pattern_of(wanted)
        have = self.files.get(path)
        if "/" in wanted and name not in NO_LIBRARY and pattern.search(path):
            is_named = True
        else:
            is_named = any(map(pattern.search, self.names(name, path)))
        if not is_named or sign is None:
            return is_named
        return library.satisfies(library.version(path, module) or have and have.version, sign, version)

    def chosen(self, texts):
        """A function of (name, path) and a module, as fits() has them: whether one of the --lib means it; None: all are meant."""
        if texts is None:
            return lambda name, path, module=None: True
        asked = [parts_of(text) for text in texts]
        known = {}

        def is_chosen(*of):
            if of not in known:
                known[of] = any(all(self.fits(part, *of) for part in parts) for parts in asked)
            return known[of]

        return is_chosen

    def shown(self, name, path, pseudonyms=None):
        """The name, or its pseudonym."""
        return name if pseudonyms is None or name in NO_LIBRARY else pseudonyms.site_library(name, path)


def default():
    """The list that the site names; None: none."""
    return stored(os.environ.get("JOBTRAIL_LIBRARIES") or "") or None


def named(options):
    """The list that is asked for; None: there is none."""
    return options.libraries or default()


def read(name):
    """SiteLibraries, without files where no list is named."""
    found = SiteLibraries()
    if name is not None:
        found.read(name)
    return found
