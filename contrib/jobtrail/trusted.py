# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where root writes what is opened by name, and what decides for the system: nothing that others than root
can change or lead elsewhere, by a directory on the way or by a symbolic link there.

The rule of conf/base/trusted.h: directories and links on the way belong to root (in a user namespace, what belongs
to nobody there counts as root's), and root alone can write to the directories; no group may, root's own
neither. A sticky directory on the way may be writable by others.
"""

import os
import stat

from .program import Failure
from .replacing import Place, is_trusted
from .text import escape


class TrustedPlace(Place):
    """A Place (replacing.py) that root reaches through directories that nobody else can change. Its own
    directory may be anybody's."""

    def leave(self):
        """Others may add names to a directory on the way where it is sticky, as in /tmp."""
        check(self.path, os.fstat(self.fd), True)


def check(path, facts, is_above):
    if os.geteuid() != 0:
        return
    if not is_trusted(facts.st_uid):
        refuse(path, "is another user's")
    is_sticky = is_above and facts.st_mode & stat.S_ISVTX
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not is_sticky:
        refuse(path, "others can write to")


def refuse(path, why):
    raise Failure(
        "%s: root writes nothing below a directory that %s: run this as its user" % (escape(path), why)
    )


def check_place(path):
    """Failure where we are root, and the directory of the file, or one above, is not root's alone."""
    if os.geteuid() != 0:
        return
    place = TrustedPlace(os.path.join(os.getcwd(), path))
    try:
        check(path, os.fstat(place.fd), False)
    finally:
        os.close(place.fd)
