# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files below a directory, by descriptors: no link is followed, no device or pipe is opened, and what only some may read
stays out, since everybody may read the index."""

import collections
import errno
import os
import stat

DEPTH_MAX = 40
PLACE = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NONBLOCK
FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

# path: below the tree. place: the descriptor of its directory. facts: its stat(). link: the target of a symbolic link.
Found = collections.namedtuple("Found", "path name place facts link")


READ = stat.S_IRGRP | stat.S_IROTH
PASS = stat.S_IXGRP | stat.S_IXOTH  # the group too: a mode of 705 keeps its members out


def is_for_all(facts):
    wanted = READ | PASS if stat.S_ISDIR(facts.st_mode) else READ
    return facts.st_mode & wanted == wanted


def is_in_reach(fd):
    """Whether everybody may come to this directory, by all that are above where it really lies, and read it."""
    is_open, here, before = is_for_all(os.fstat(fd)), os.dup(fd), None
    try:
        while is_open:
            facts = os.fstat(here)
            if before is not None and os.path.samestat(facts, before):
                break
            is_open, before = facts.st_mode & PASS == PASS, facts
            above = os.open("..", PLACE, dir_fd=here)
            os.close(here)
            here = above
    finally:
        os.close(here)
    return is_open


class Tree:
    """hidden: the number of files and directories that not all may read. is_closed: the tree is one. unread: the paths below
    the tree of directories that could not be read, each with the reason: what was known of them is still true as far as one
    can say. empty: directories without a name in them, each with the number of its file system."""

    def __init__(self, path, is_entered, is_wanted):
        self.path, self.is_entered, self.is_wanted = path, is_entered, is_wanted
        self.empty = []
        self.hidden, self.unread, self.is_empty, self.is_closed = 0, [], True, False

    def walk(self):
        """Generates Found of each file that is wanted. Raises OSError where the tree itself cannot be opened."""
        fd = os.open(self.path, DIRECTORY)
        try:
            self.is_closed = not is_in_reach(fd)
            if not self.is_closed:
                yield from self.below(fd, "", 0)
        finally:
            os.close(fd)

    def below(self, fd, prefix, depth):
        try:
            names = sorted(os.listdir(fd))
        except OSError as error:
            self.unread.append((prefix, error))
            return
        if not names:
            self.empty.append((prefix, os.fstat(fd).st_dev))
        for name in names:
            self.is_empty = False
            try:
                yield from self.entry(fd, prefix + name, name, depth)
            except OSError as error:
                if error.errno not in GONE:
                    self.unread.append((prefix + name, error))

    def entry(self, fd, path, name, depth):
        facts = os.stat(name, dir_fd=fd, follow_symlinks=False)
        mode = facts.st_mode
        if stat.S_ISLNK(mode):
            if self.is_wanted(path, name):
                yield Found(path, name, fd, facts, os.readlink(name, dir_fd=fd))
        elif not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            return
        elif not is_for_all(facts):
            self.hidden += 1
        elif stat.S_ISREG(mode):
            if self.is_wanted(path, name):
                yield Found(path, name, fd, facts, None)
        elif depth < DEPTH_MAX and self.is_entered(path):
            below = os.open(name, DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            try:
                if is_for_all(os.fstat(below)):  # which may be another one by now
                    yield from self.below(below, path + "/", depth + 1)
            finally:
                os.close(below)


def open_file(found):
    """The descriptor of a file, which may be another one by now: (descriptor, stat()), or None where it is no file for
    all. Raises OSError."""
    fd = os.open(found.name, FILE, dir_fd=found.place)
    facts = os.fstat(fd)
    if stat.S_ISREG(facts.st_mode) and is_for_all(facts):
        return fd, facts
    os.close(fd)
    return None


def open_below(tree, path):
    """As open_file(), of a file below a tree: by no link, and only by directories that all may read."""
    place = os.open(tree, DIRECTORY)
    try:
        is_open = is_in_reach(place)
        *parts, name = path.split("/")
        for part in parts:
            below = os.open(part, DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = below
            is_open = is_open and is_for_all(os.fstat(place))
        return open_file(Found(path, name, place, None, None)) if is_open else None
    finally:
        os.close(place)
