# SPDX-License-Identifier: LGPL-2.1-or-later
"""The caller's own runs; run by sudo(8) as the user who owns the store. See jobtrail-own(1).

The caller is the user in SUDO_UID, which sudo sets. The caller can name no file, no store and no other
user: there are no such options, the environment is dropped, and Python was started with -I. The caller
cannot read other users' rows: temporary views with the names of the tables select the caller's own, and
SQLite's authorizer refuses all that is not read through one of them.
"""

import os
import pwd
import re
import signal
import sqlite3
import stat
import sys
import time

from .acct import main as acct
from .program import DEFAULT_STORE, Failure
from .report import main as report
from .store import SqliteStore, opened
from .text import escape

ADDRESS_FILE = "/etc/jobtrail/own-store"
USAGE = """usage: jobtrail-own acct [OPTION]...
       jobtrail-own report [OPTION]... [PAGE]...

What you ran yourself, as jobtrail-acct(1) and jobtrail-report(1) show it. Run it by sudo, as the site says;
each of the two has --help."""
# While a snapshot is held the store's log grows, and a pipe that nobody reads would hold it for ever.
LIMIT_SECONDS = 600
KEPT = re.compile(r"(LANG|LC_[A-Z]+|TERM|COLUMNS|TZ)\Z")
HARMLESS = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.@/+-]*\Z")

ME = "(SELECT name FROM temp.me)"
PARTS = "(SELECT id FROM main.job_part WHERE user = %s)" % ME
RUNS = "main.run_own WHERE job_part_id IN " + PARTS
PROGRAMS = "main.program WHERE id IN (SELECT program_id FROM %s)" % RUNS
LINKS = "main.link WHERE build_user = " + ME
SETS = "(SELECT object_set_id FROM {} UNION SELECT object_set_id FROM {})".format(PROGRAMS, LINKS)
VARIABLES = (
    "(SELECT env_value_id FROM main.environment_member"
    " WHERE environment_id IN (SELECT environment_id FROM %s))" % RUNS
)
FUNCTIONS = (
    "(SELECT function_name_id FROM main.function_set_member"
    " WHERE function_set_id IN (SELECT function_set_id FROM %s))" % LINKS
)
PACKAGES = (
    "EXISTS (SELECT 1 FROM main.run AS ours WHERE ours.uuid = run_package.run_uuid"
    " AND ours.package_owner = run_package.owner AND ours.user = %s)" % ME
)

# All tables that the two programs read, with the condition for the caller's rows; 1: no user's data.
VIEWS = {
    "store_state": "1",
    "module": "1",
    "job_part": "user = " + ME,
    "run": "user = " + ME,
    "run_day": "run_id IN (SELECT id FROM %s)" % RUNS,
    "coverage": "user = " + ME,
    "slurm_job": "user = " + ME,
    "executable": "id IN (SELECT executable_id FROM {} UNION SELECT executable_id FROM {})".format(
        PROGRAMS, LINKS
    ),
    "object_set_member": "object_set_id IN " + SETS,
    "object": "id IN (SELECT object_id FROM main.object_set_member WHERE object_set_id IN %s)" % SETS,
    "build": "id IN (SELECT build_id FROM %s)" % PROGRAMS,
    "link": "build_user = " + ME,
    "function_set_member": "function_set_id IN (SELECT function_set_id FROM %s)" % LINKS,
    "function_name": "id IN " + FUNCTIONS,
    "environment_member": "environment_id IN (SELECT environment_id FROM %s)" % RUNS,
    "env_value": "id IN " + VARIABLES,
    "env_name": "id IN (SELECT env_name_id FROM main.env_value WHERE id IN %s)" % VARIABLES,
    "run_package": PACKAGES,
    "package": "id IN (SELECT package_id FROM main.run_package WHERE %s)" % PACKAGES,
    "account_field": "account IN (SELECT account FROM main.job_part WHERE user = %s)" % ME,
}


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


class OwnStore(SqliteStore):
    def __init__(self, user):
        self.user = user

    def begin(self):
        """From then on the rows of this user are read, and no others."""
        run = self.database.execute
        run("PRAGMA temp_store = MEMORY")
        run("CREATE TEMP TABLE me (name TEXT)")
        run("INSERT INTO temp.me VALUES (?)", (self.user,))
        self.database.commit()
        for name, where in VIEWS.items():
            run("CREATE TEMP VIEW {0} AS SELECT * FROM main.{0} WHERE {1}".format(name, where))
        self.database.commit()
        self.database.set_authorizer(self.allow)
        super().begin()

    @staticmethod
    def allow(action, first, second, database, view):
        """A table is read through a view, or not at all; nothing is written, attached or loaded."""
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (view is not None or database == "temp"):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and second == "" and database is None:
            return sqlite3.SQLITE_OK  # a table that a view joins without a column: SQLite passes no view
        return sqlite3.SQLITE_DENY


class Own:
    """The caller and the store."""

    def __init__(self):
        self.user = who_asks()
        self.address = address()

    def open(self):
        return opened(OwnStore(self.user), self.address)


def main():
    programs = {"acct": acct.main, "report": report.main}
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if wanted in ("-h", "--help"):
        print(USAGE)
        return
    if wanted not in programs:
        raise Failure("jobtrail-own: what, acct or report? %s\n%s" % (escape(wanted), USAGE))
    limit_time()
    own = Own()
    del sys.argv[1]
    programs[wanted](own)
