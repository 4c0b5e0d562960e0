# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a document: a man page with man(1), other files with the pager, and what a command says by running it, all as who
asks."""

import os
import shlex
import signal
import stat
import subprocess
import sys

from ...program import Failure
from ...text import escape, escape_character, file_path
from .reading import Unreadable
from .search import open_own


def show(hit, index):
    """index: the path of the index. Returns the exit status."""
    if hit.argv is not None:
        return run_command(hit, index)
    if not hit.path.startswith("/"):  # of an index that is not ours; an option of man(1) begins otherwise
        raise Failure("%s: is no absolute path" % escape(hit.path))
    if not os.path.isfile(file_path(hit.path)):
        raise Failure("%s: is not there any more" % escape(hit.path))
    if hit.kind == "man":
        status = started(["man", "-l", file_path(hit.path)])
        if status is not None:
            return status
    try:
        texts = hit.read(open_own)
    except OSError as error:
        raise Failure("%s: %s" % (escape(hit.path), error.strerror)) from None
    except Unreadable as error:
        raise Failure("%s: %s" % (escape(hit.path), error)) from None
    text = harmless(texts[0] if hit.kind != "man" else texts[1])
    return page(text, hit.line) if sys.stdout.isatty() else write(text)


def harmless(text):
    """What controls a terminal is escaped, line by line."""
    return "".join(c if c in "\n\t\\" or c.isprintable() else escape_character(c) for c in text)


def write(text):
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def page(text, line):
    pager = shlex.split(os.environ.get("JOBTRAIL_PAGER") or os.environ.get("PAGER") or "less")
    if not pager:
        return write(text)
    if os.path.basename(pager[0]) == "less" and line > 1:
        pager.append("+%dg" % line)
    try:
        child = subprocess.Popen(pager, stdin=subprocess.PIPE)
    except OSError:
        return write(text)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.communicate(text.encode("utf-8", "replace"))
    except BrokenPipeError:
        pass
    return child.wait()


def started(argv):
    """The status of a program that has the terminal; None where there is none of this name."""
    sys.stdout.flush()
    try:
        child = subprocess.Popen(argv)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure("%s: %s" % (escape(argv[0]), error.strerror)) from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = child.wait()
    signal.signal(signal.SIGINT, before)
    return status if status >= 0 else 128 - status


def run_command(hit, index):
    """Of an index that somebody else than root and who asks can write, no command is run: it could be any."""
    facts = os.stat(file_path(index))
    if facts.st_uid not in (0, os.geteuid()) or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Failure("others can write to the index, so this is not run: %s" % escape(hit.command))
    status = started(hit.argv)
    if status is None:
        raise Failure("%s: is not there" % escape(hit.command))
    return status
