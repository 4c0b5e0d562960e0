# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks a place before root opens a file in it by name: no user but root may change it, or redirect the
path, by a directory above the file or by a symbolic link there.

The rule is that of conf/base/trusted.h. All directories and links of the path belong to root, or in a user
namespace to nobody. Root alone can write to the directories, and no group, not even root's. A directory
above the last one may be writable by others if it is sticky.
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
    raise Failure("%s: root writes nothing below a directory that %s: run this as its user" % (escape(path), why))


def check_place(path):
    """Failure where we are root, and the directory of the file, or one above, is not root's alone."""
    if os.geteuid() != 0:
        return
    place = TrustedPlace(os.path.join(os.getcwd(), path))
    try:
        check(path, os.fstat(place.fd), False)
    finally:
        os.close(place.fd)
