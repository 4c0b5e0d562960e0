# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site's map from executables to program families.

A line is FAMILY = GLOB GLOB ...; a pattern with a slash is matched with the whole path, another one with
the file's name. The first line that matches counts. Without one, the family is the file's name.
"""

import os

from .. import glob
from ..pattern import Pattern
from ..program import Failure, os_trouble
from ..text import escape

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT = ("/etc/jobtrail/program-families.conf", os.path.join(HERE, "program-families.conf"))

# What a pattern begins with. Where a name begins otherwise, no expression is compiled
BEGIN = Pattern(r"[^*?\[]*")


def find():
    return next((path for path in DEFAULT if os.path.exists(path)), DEFAULT[-1])


class Families:
    def __init__(self, path=None):
        path = path or find()
        self.globs = []  # (family, whether the pattern is about the whole path, what it begins with, Pattern)
        try:
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    self.read_line(path, number, line)
        except OSError as error:
            raise Failure(os_trouble(error)) from None
        except UnicodeDecodeError:
            raise Failure("%s: is not UTF-8" % escape(path)) from None
        self.known = {}

    def read_line(self, path, number, line):
        line = line.strip()
        if not line or line.startswith("#"):
            return
        name, equals, globs = line.partition("=")
        if not equals or not name.strip() or not globs.split():
            raise Failure("%s:%d: write FAMILY = GLOB GLOB ..." % (escape(path), number))
        try:
            for pattern in globs.split():
                begin = BEGIN.match(pattern).group()
                self.globs.append((name.strip(), "/" in pattern, begin, Pattern(glob.path(pattern))))
        except Failure as failure:
            raise Failure("%s:%d: %s" % (escape(path), number, failure)) from None

    def of(self, path):
        if path not in self.known:
            name = path.rsplit("/", 1)[-1]
            self.known[path] = next(
                (
                    family
                    for family, whole, begin, pattern in self.globs
                    if (path if whole else name).startswith(begin) and pattern.search(path)
                ),
                name,
            )
        return self.known[path]
