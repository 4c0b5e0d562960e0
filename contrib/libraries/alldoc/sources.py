# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is indexed: directories of each kind, and commands that the site names. See FILES in jobtrail-alldoc(1)."""

import collections
import os
import shlex
import stat
import subprocess

from ... import hints
from ...conf import conf_path
from ...program import Failure
from ...text import escape
from ...trusted import check_place
from . import header, module, pkgconfig, plain, roff
from .reading import base_name

FILE_MAX = 1 << 20
TREES = ("man", "doc", "module", "pkgconfig", "header")
KINDS = TREES + ("command",)
READERS = {"man": roff, "doc": plain, "module": module, "pkgconfig": pkgconfig, "header": header}
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".H", ".cuh")
# Of share/doc: what says nothing about a library, and what is no text
UNWANTED = ("copyright", "changelog", "changes", "news.debian", "license", "copying", "install")
NO_TEXT = tuple(
    ".png .jpg .jpeg .gif .svg .ico .pdf .ps .eps .dvi .css .js .woff .woff2 .ttf .zip .tar .tgz .so .o .a .json .xml .map .devhelp2 .inv".split()
)
PC_PATH = "/usr/lib64/pkgconfig:/usr/lib/pkgconfig:/usr/share/pkgconfig"

Command = collections.namedtuple("Command", "library argv")


def is_wanted(kind, path, name):
    """Whether a file of a tree is read. path: below the tree."""
    bare = base_name(name)
    if kind == "man":
        parent = os.path.dirname(path).rpartition("/")[2]
        return parent.startswith("man") and parent.count(".") == 0 and roff.page_name(bare) is not None
    if kind == "pkgconfig":
        return name.endswith(".pc")
    if kind == "header":
        return bare.endswith(HEADERS)
    if kind == "doc":
        lower = bare.lower()
        return not lower.startswith(UNWANTED) and not lower.endswith(NO_TEXT)
    return not name.startswith(".") and not name.endswith(("~", ".bak"))


def is_entered(kind, path):
    """Whether a directory of a tree is read. path: below the tree. Man pages of other languages stay out: they lie in
    directories that are named for these."""
    if kind == "man":
        return path.startswith("man") and "/" not in path
    return not path.rpartition("/")[2].startswith(".git")


def split_path(variable, default):
    """The absolute directories of a variable; an empty one stands for the defaults, as man(1) has it."""
    found = []
    for part in os.environ.get(variable, "").split(":"):
        if part.startswith("/"):
            found.append(part)
        elif not part:
            found += default
    return found


def pkgconfig_path():
    """What pkg-config(1) searches, or where most systems have it."""
    for program in ("pkg-config", "pkgconf"):
        try:
            done = subprocess.run(
                [program, "--variable", "pc_path", "pkg-config"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.strip():
            return os.fsdecode(done.stdout.strip()).split(":")
    return PC_PATH.split(":")


def defaults(kind):
    """The directories of a kind where the site names none; those that there are not are left out later."""
    if kind == "man":
        return split_path("MANPATH", ["/usr/share/man", "/usr/local/share/man", "/usr/local/man"])
    if kind == "doc":
        return ["/usr/share/doc", "/usr/local/share/doc"]
    if kind == "module":
        return split_path("MODULEPATH", [])
    if kind == "pkgconfig":
        return pkgconfig_path()
    return ["/usr/include", "/usr/local/include"]


def default_file():
    directory = os.path.dirname(conf_path())
    return os.path.join(directory, "alldoc.conf") if directory else ""


def lines_of(path):
    """The lines of the site's file. Root believes nobody else's: its commands are run."""
    check_place(path)
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if os.geteuid() == 0 else 0))
    with open(fd, "rb") as file:
        facts = os.fstat(fd)
        if os.geteuid() == 0 and (facts.st_uid != 0 or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            raise Failure("%s: others than root can write to it, so root does not read it" % escape(path))
        text = file.read(FILE_MAX + 1)
    if len(text) > FILE_MAX:
        raise Failure("%s: has more than %d bytes" % (escape(path), FILE_MAX))
    return os.fsdecode(text).split("\n")


class Sources:
    """trees: {kind: [directory]}; commands: [Command]; is_named: the kinds whose directories the site or the caller names."""

    def __init__(self, path, options):
        """path: of the site's file, which has to be there if it was named. options: {kind: [directory]} of the command
        line, which stand for those of the file."""
        self.trees, self.commands = {}, []
        if path or os.path.exists(default_file()):
            path = path or default_file()
            for number, line in enumerate(lines_of(path), 1):
                self.read_line("%s:%d" % (escape(path), number), line)
        self.trees.update({kind: found for kind, found in options.items() if found})
        self.is_named = set(self.trees)
        for kind in TREES:
            found = self.trees.get(kind) or defaults(kind)
            kept = dict.fromkeys(os.path.normpath(path) for path in found if path != "none")
            self.trees[kind] = list(kept)

    def read_line(self, place, line):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise Failure("%s: %s" % (place, str(error).lower())) from None
        if not words:
            return
        kind = words[0]
        if kind not in KINDS:
            raise Failure("%s: there is no %s%s" % (place, escape(kind), hints.hint(kind, KINDS)))
        if kind == "command":
            if len(words) < 3 or not words[2].startswith("/"):
                raise Failure("%s: a command is: command LIBRARY /PATH/OF/PROGRAM [ARGUMENT]..." % place)
            self.commands.append(Command(words[1], words[2:]))
        elif len(words) != 2 or not (words[1].startswith("/") or words[1] == "none"):
            raise Failure("%s: one absolute directory, or none, follows %s" % (place, kind))
        else:
            self.trees.setdefault(kind, []).append(words[1])
