# SPDX-License-Identifier: LGPL-2.1-or-later
"""The caller's own runs; run by sudo(8) as the user who owns the store. See jobtrail-own(1).

The caller is the user in SUDO_UID, which sudo sets. The caller can name no file, no store and no other
user: there are no such options, the environment is dropped, and Python was started with -I. The caller
cannot read other users' rows, see service/restricted.py.
"""

import os
import pwd
import re
import signal
import stat
import sys
import time

from .acct import main as acct
from .pattern import Pattern
from .program import DEFAULT_STORE, Failure, version_text
from .report import main as report
from .service.restricted import open_for
from .service.rights import Rights
from .text import escape

ADDRESS_FILE = "/etc/jobtrail/own-store"
USAGE = """usage: jobtrail-own acct [OPTION]...
       jobtrail-own report [OPTION]... [PAGE]...
       jobtrail-own --help | --version

What you ran yourself, as jobtrail-acct(1) and jobtrail-report(1) show it. Run it by sudo, as the site says;
each of the two has --help."""
# While a snapshot is held the store's log grows, and a pipe that nobody reads would hold it for ever.
LIMIT_SECONDS = 600
KEPT = Pattern(r"(LANG|LC_[A-Z]+|TERM|COLUMNS|TZ)\Z")
HARMLESS = Pattern(r"[A-Za-z0-9_+-][A-Za-z0-9_.@/+-]*\Z")


def clean_environment():
    """Keeps the variables for language, time zone and width, and of these only values that are no path."""
    uid = os.environ.get("SUDO_UID", "")
    kept = {name: value for name, value in os.environ.items() if KEPT.match(name)}
    os.environ.clear()
    for name, value in kept.items():
        if HARMLESS.match(value) and ".." not in value:
            os.environ[name] = value
    os.environ.update(PATH="/usr/bin:/bin", SUDO_UID=uid)
    time.tzset()


def limit_time():
    """Ends the program after LIMIT_SECONDS, even if the caller has blocked or ignored SIGALRM."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.alarm(LIMIT_SECONDS)


def who_asks():
    uid = os.environ["SUDO_UID"]
    if os.geteuid() == 0 or not re.match(r"\d{1,10}\Z", uid, re.ASCII):
        raise Failure("jobtrail-own: is run by sudo, as the user who owns the store, not as root")
    try:
        return pwd.getpwuid(int(uid)).pw_name
    except (KeyError, OverflowError):
        raise Failure("jobtrail-own: user %s has no name" % uid) from None


def address():
    """The address of the site's store."""
    try:
        with open(ADDRESS_FILE, encoding="utf-8") as file:
            facts = os.fstat(file.fileno())
            if facts.st_uid != 0 or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise Failure("jobtrail-own: %s must be root's to write to alone" % ADDRESS_FILE)
            found = file.readline().strip()
    except FileNotFoundError:
        found = DEFAULT_STORE
    except (OSError, UnicodeDecodeError):
        raise Failure("jobtrail-own: %s cannot be read" % ADDRESS_FILE) from None
    if not found.startswith("sqlite:"):
        raise Failure("jobtrail-own: reads SQLite alone; MariaDB has views by user, see jobtrail-own(1)")
    return found


class Own:
    """The caller and the store."""

    everybody = True  # -a is the default, since the caller sees no others
    summary = is_seen = None

    def __init__(self):
        self.user = who_asks()
        self.address = address()

    def add_options(self, parser, name):
        """Slurm is not asked."""
        if name == "acct":
            parser.set_defaults(no_sacct=True)

    def open(self):
        return open_for(self.address, Rights([self.user]))


def main():
    programs = {"acct": acct.main, "report": report.main}
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if wanted in ("-h", "--help"):
        print(USAGE)
        return
    if wanted in ("-V", "--version"):
        print(version_text("jobtrail-own"))
        return
    if wanted not in programs:
        raise Failure("jobtrail-own: what, acct or report? %s\n%s" % (escape(wanted), USAGE))
    limit_time()
    own = Own()
    del sys.argv[1]
    programs[wanted](own)
