# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a command that the site names, with bounds on its time, its memory and what it writes. What it writes is returned and
kept nowhere. Root runs it as a user who may do nothing."""

import ctypes
import os
import pwd
import resource
import signal
import subprocess

from ...child_output import collect
from ...program import Failure
from ...text import escape
from .reading import text_of

PR_SET_NO_NEW_PRIVS = 38
MEMORY = 2 << 30
PROCESSES = 256
FILE = 16 << 20
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/", "PAGER": "cat", "MANPAGER": "cat", "TERM": "dumb"}


class NoText(Exception):
    """Why a command has given none."""


def account(name):
    """The passwd entry of who runs commands; None: the caller, who is not root."""
    if os.geteuid() != 0:
        return None
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        raise Failure("there is no user %s to run commands as" % escape(name)) from None
    if found.pw_uid == 0:
        raise Failure("commands are not run as root: name another --user")
    return found


def confine(user, seconds):
    """In the child."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 1))
    ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if user is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)


def output_of(argv, user, seconds, limit):
    """(text, whether it was cut at `limit` bytes). Raises NoText. Processes that the command has left in its group are
    killed."""
    try:
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", env=ENVIRONMENT, bufsize=0,
            start_new_session=True, preexec_fn=lambda: confine(user, seconds),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoText(getattr(error, "strerror", None) or str(error)) from None
    is_late, data, status = True, b"", None
    try:
        data, is_late = collect(child, seconds, limit)
        if not is_late and len(data) <= limit:
            status = child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        is_late = True
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        child.stdout.close()
    if is_late:
        raise NoText("has not ended after %d seconds" % seconds)
    if status:
        raise NoText("ended with %d" % status)
    if not data.strip():
        raise NoText("has written nothing")
    return text_of(data, limit)
