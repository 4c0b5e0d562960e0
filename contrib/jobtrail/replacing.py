# SPDX-License-Identifier: LGPL-2.1-or-later
"""Replaces a file by a new one when that is complete, also in a directory that others may write to.

All works by descriptor: the directory is opened once, and owner and mode are set on the open file. Root
follows no symbolic link of another user, so that nobody else chooses the file that root replaces.
"""

import os
import stat
import sys

from .caller import in_user_namespace
from .program import Failure
from .text import escape

LINKS_MAX = 40
OVERFLOW_UID = 65534
PLACE_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def is_trusted(uid):
    """Whether links and devices of this user may be followed. Others than root follow all."""
    return os.geteuid() != 0 or uid == 0 or (uid == OVERFLOW_UID and in_user_namespace())


def facts_at(place, name):
    """None where nothing has that name."""
    try:
        return os.stat(name, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return None


class Place:
    """The directory of a path's last part, open (`fd`), and the name in it. `facts`: stat() of the file of
    that name, None: no file. `is_magic`: it is a link in /proc to an open file without a name."""

    def __init__(self, path):
        self.path = path
        self.links = 0
        self.is_magic = False
        self.fd = os.open("/" if path.startswith("/") else ".", PLACE_FLAGS)
        try:
            self.walk([part for part in path.split("/") if part])
        except BaseException:
            os.close(self.fd)
            raise

    def walk(self, parts):
        """Follows the parts, and those of the links among them."""
        if path_names_directory(self.path, parts):
            raise IsADirectoryError(21, "Is a directory", self.path)
        while True:
            name = parts.pop(0)
            facts = facts_at(self.fd, name)
            if facts is not None and stat.S_ISLNK(facts.st_mode):
                self.leave()
                target = self.target(name, facts)
                if target is None:
                    self.name, self.facts = name, facts
                    return
                parts = [part for part in target.split("/") if part] + parts
                if target.startswith("/"):
                    self.move("/")
            elif not parts:
                self.name, self.facts = name, facts
                return
            else:
                self.leave()
                self.move(name)
            if not parts:
                raise IsADirectoryError(21, "Is a directory", self.path)

    def leave(self):
        """Called before the walk leaves the directory; checks it in a subclass."""

    def move(self, name):
        fd = os.open(name, PLACE_FLAGS, dir_fd=self.fd)
        os.close(self.fd)
        self.fd = fd

    def target(self, name, facts):
        """The target of the link; None: an open file without a name, as /dev/stdout can be."""
        self.links += 1
        if self.links > LINKS_MAX:
            raise OSError(40, "Too many levels of symbolic links", self.path)
        if not is_trusted(facts.st_uid):
            raise Failure("%s: %s in it is another user's link; name the place itself" % (escape(self.path), escape(name)))
        target = os.readlink(name, dir_fd=self.fd)
        self.is_magic = not target.startswith("/") and ":[" in target
        return None if self.is_magic else target


def path_names_directory(path, parts):
    return not parts or path.endswith("/") or parts[-1] in (".", "..")


class Replacing:
    """Writes standard output to a new file, which replaces `path` when it is complete. The new file has the
    permissions of the old one and, where we are root, its owner. A pipe or a device is not replaced but
    written to."""

    def __init__(self, path):
        self.path = path
        self.shown = path and escape(os.path.abspath(path))

    def __enter__(self):
        if not self.path:
            return
        try:
            self.place = Place(self.path)
            facts = self.place.facts
            self.replaces = not self.place.is_magic and (facts is None or stat.S_ISREG(facts.st_mode))
            fd = self.open_beside() if self.replaces else self.open_as_it_is()
        except OSError as error:
            raise Failure("%s: %s" % (self.shown, error.strerror)) from None
        self.file = open(fd, "w", encoding="utf-8")
        self.stdout, sys.stdout = sys.stdout, self.file

    def open_beside(self):
        """Makes the new file, at once with the owner and mode of the old one."""
        owner, mode = self.rights(self.place.facts)
        self.beside = ".jobtrail-report-" + os.urandom(8).hex()
        fd = os.open(self.beside, NEW_FLAGS, 0o600, dir_fd=self.place.fd)
        try:
            if owner is not None:
                os.fchown(fd, *owner)
            os.fchmod(fd, mode)
        except OSError:
            os.close(fd)
            os.unlink(self.beside, dir_fd=self.place.fd)
            raise
        return fd

    def rights(self, facts):
        """(owner and group or None, mode) for the new file. Root refuses a file of which another user may
        have chosen owner and mode."""
        if facts is None:
            mask = os.umask(0)
            os.umask(mask)
            return None, 0o666 & ~mask
        if os.geteuid() != 0:
            return None, facts.st_mode & 0o777
        of_place = os.stat(self.place.fd)
        if facts.st_uid not in (0, of_place.st_uid) or facts.st_nlink != 1:
            raise Failure("%s: is another user's or has several names; remove it first" % self.shown)
        return (facts.st_uid, facts.st_gid), facts.st_mode & 0o777

    def open_as_it_is(self):
        """Opens a pipe or a device by a descriptor for its path, so that it is the one that was checked."""
        path_fd = os.open(
            self.place.name,
            os.O_PATH | os.O_CLOEXEC | (0 if self.place.is_magic else os.O_NOFOLLOW),
            dir_fd=self.place.fd,
        )
        try:
            facts = os.fstat(path_fd)
            if stat.S_ISDIR(facts.st_mode):
                raise IsADirectoryError(21, "Is a directory", self.path)
            if not self.place.is_magic and not is_trusted(facts.st_uid):
                raise Failure("%s: is another user's pipe or device" % self.shown)
            return os.open("/proc/self/fd/%d" % path_fd, os.O_WRONLY | os.O_CLOEXEC)
        finally:
            os.close(path_fd)

    def __exit__(self, kind, value, trace):
        if not self.path:
            return
        sys.stdout = self.stdout
        try:
            self.finish(kind is None)
        finally:
            os.close(self.place.fd)

    def finish(self, is_whole):
        if not self.replaces:
            self.file.close()
            return
        try:
            self.file.flush()
            if is_whole:
                os.fsync(self.file.fileno())
                self.put_in_place()
        finally:
            self.remove_ours()
            self.file.close()

    def put_in_place(self):
        ours = os.fstat(self.file.fileno())
        try:
            os.rename(self.beside, self.place.name, src_dir_fd=self.place.fd, dst_dir_fd=self.place.fd)
        except OSError as error:
            raise Failure("%s: %s" % (self.shown, error.strerror)) from None
        if not is_same(facts_at(self.place.fd, self.place.name), ours):
            raise Failure("%s: another process changed files there meanwhile" % self.shown)

    def remove_ours(self):
        """Removes the new file unless another user has put another file in its place."""
        ours = os.fstat(self.file.fileno())
        if is_same(facts_at(self.place.fd, self.beside), ours):
            os.unlink(self.beside, dir_fd=self.place.fd)


def is_same(facts, others):
    return facts is not None and (facts.st_dev, facts.st_ino) == (others.st_dev, others.st_ino)
