# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where root writes a database: where nobody else could lead him to another file. As trusted_place.h."""

import os
import stat

from .program import Failure
from .text import escape


def others_write(facts):
    return facts.st_mode & stat.S_IWOTH or (facts.st_mode & stat.S_IWGRP and facts.st_gid != 0)


def refuse(path, why):
    raise Failure(
        "%s: root writes no database below a directory that %s: run this as its user"
        % (escape(path), why)
    )


def check_place(path):
    """Failure where we are root, and the directory of the file, or one above, is not root's alone. Above,
    others may add names where the directory is sticky, as in /tmp."""
    if os.geteuid() != 0:
        return
    if os.path.islink(path) and os.lstat(path).st_uid != 0:
        raise Failure("%s: is another user's link" % escape(path))
    place, is_above = os.path.dirname(os.path.realpath(path)), False
    while True:
        facts = os.stat(place)
        if facts.st_uid != 0:
            refuse(path, "is another user's")
        if others_write(facts) and not (is_above and facts.st_mode & stat.S_ISVTX):
            refuse(path, "others can write to")
        if place == "/":
            return
        place, is_above = os.path.dirname(place), True
