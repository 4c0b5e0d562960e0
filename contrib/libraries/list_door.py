# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list that `jobtrail-libmon list --json` writes, see jobtrail-libmon(8).

A line of the list is a JSON object. One with "jobtrail_libraries" begins what follows: lists of several hosts can stand in one
file, one after the other. The others are a file each.
"""

import calendar
import json
import re
import time

from ..pattern import Pattern
from ..program import Failure, os_trouble
from ..site_libraries import TEXTS, File, SiteLibraries
from ..text import escape, file_path, stored

FORM = 1
LINE_MAX = 65536
LINES_MAX = 10000000
SIZE_MAX = 2**63 - 1
TIME_MAX = 253402128000  # a day before the end of the year 9999, after which there are no dates: for all zones
ISO = Pattern(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:(Z)|([+-])(\d\d):?(\d\d))?\Z", re.ASCII)


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


class List:
    """`found` is what it has; `is_there`: whether there is a list."""

    def __init__(self):
        self.found, self.is_there = SiteLibraries(), False
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
            self.found.damaged += 1

    def begin(self, row):
        if row["jobtrail_libraries"] != FORM:
            raise Failure("the list of libraries is of form %s: use a newer jobtrail" % escape(str(row["jobtrail_libraries"])[:20]))
        self.cluster, self.node = text_of(row, "cluster"), text_of(row, "node")
        made = number_of(row, "made", TIME_MAX)
        if made is not None:
            self.found.made = made if self.found.made is None else min(made, self.found.made)
        self.is_there = True

    def add(self, row):
        texts = [text_of(row, name) for name in TEXTS]
        if not texts[0] or not texts[1] or not self.is_there:
            raise Damaged
        size, since = number_of(row, "size", SIZE_MAX), number_of(row, "since", TIME_MAX)
        self.found.files[texts[0]] = File(*texts, size, since, self.cluster, self.node)


def read(name):
    """SiteLibraries. Raises Failure where the file is no list."""
    listed = List()
    listed.read(name)
    return listed.found
