# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site's map from executables to program families.

A line is FAMILY = GLOB GLOB ...; a pattern with a slash is matched with the whole path, another one with
the file's name. The first line that matches counts. Without one, the family is the file's name.
"""

import os
import re

from .. import glob
from ..program import Failure, os_trouble
from ..text import escape

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT = ("/etc/jobtrail/program-families.conf", os.path.join(HERE, "program-families.conf"))


def find():
    return next((path for path in DEFAULT if os.path.exists(path)), DEFAULT[-1])


class Families:
    def __init__(self, path=None):
        path = path or find()
        self.names = []
        patterns = []
        try:
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    self.read_line(path, number, line, patterns)
        except OSError as error:
            raise Failure(os_trouble(error)) from None
        except UnicodeDecodeError:
            raise Failure("%s: is not UTF-8" % escape(path)) from None
        self.patterns = re.compile("|".join(patterns) or "(?!)")
        self.known = {}

    def read_line(self, path, number, line, patterns):
        line = line.strip()
        if not line or line.startswith("#"):
            return
        name, equals, globs = line.partition("=")
        if not equals or not name.strip() or not globs.split():
            raise Failure("%s:%d: write FAMILY = GLOB GLOB ..." % (escape(path), number))
        self.names.append(name.strip())
        try:
            either = "|".join(glob.path(pattern).replace("(?s)", "") for pattern in globs.split())
        except Failure as failure:
            raise Failure("%s:%d: %s" % (escape(path), number, failure)) from None
        patterns.append("(?P<f%d>%s)" % (len(self.names) - 1, either))

    def of(self, path):
        if path not in self.known:
            match = self.patterns.search(path)
            self.known[path] = (
                self.names[int(match.lastgroup[1:])] if match else path.rsplit("/", 1)[-1]
            )
        return self.known[path]
