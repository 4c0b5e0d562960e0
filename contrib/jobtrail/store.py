# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reading from the store that jobtrail-load fills: SQLite or MariaDB, by the same SQL.

Statements have ? for values. Both kinds have `path REGEXP ?`: the pattern, in the syntax that Python and
PCRE share, is found in the path.
"""

import contextlib
import os
import re
import sqlite3
import time
import urllib.parse

from . import credentials
from .program import Failure, os_trouble
from .text import escape, file_path

SCHEMA_VERSION = 1
# Of the packages in `run_package`: those that are the run's.
PACKAGE_OF_RUN = (
    "run_package.run_uuid = run.uuid AND run_package.owner = run.package_owner"
    " AND run_package.proven >= run.proven"
)


def again(table, start="start_time"):
    """SQL for the moment from which on the number of a row is its job's, as far as it came again: else 0. With cluster and number it names
    a job, with restart_count one of its attempts. `start`: a column, or SQL for a moment of the job's; ?: of the job that had the number then."""
    return (
        "coalesce((SELECT max(job_again.start_time) FROM job_again WHERE job_again.job_id_raw = {0}.job_id_raw"
        " AND job_again.cluster = coalesce({0}.cluster, '') AND job_again.start_time <= {1}), 0)"
    ).format(table, table + "." + start if start.isidentifier() else start)


# of a row `run`, which may be one of coverage, of ranks or of Slurm's accounting
SINCE = again("run", "coalesce(run.start_time, run.end_time)")


SOCKET = "/run/mysqld/mysqld.sock"
ROWS_AT_ONCE = 5000
OPEN = []  # the stores that this process reads
LONGEST_TEXT = 1 << 28


def regexp(pattern, text):
    """SQLite calls this for `text REGEXP pattern`."""
    return text is not None and re.search(pattern, text) is not None


def sqlite_uri(path, more=""):
    return "file:" + urllib.parse.quote(os.fsencode(path)) + "?mode=ro" + more


class SqliteStore:
    is_all = True  # rows can be read, and not those of somebody alone
    errors = sqlite3.Error

    def connect(self, location):
        path = file_path(location)
        if not path:
            raise Failure("sqlite: names no file; write sqlite:FILE")
        try:
            open(path, "rb").close()
        except FileNotFoundError:
            raise Failure(
                "there is no store at %s. jobtrail-load makes it; if it is elsewhere, say"
                " --store sqlite:FILE or set JOBTRAIL_STORE." % escape(path)
            ) from None
        except OSError as error:
            raise Failure("store " + os_trouble(error)) from None
        if os.stat(path).st_size == 0:  # as a package makes it
            raise Failure("the store %s is empty: jobtrail-load has loaded nothing yet" % escape(path))
        self.database = self.open(path)
        self.database.create_function("regexp", 2, regexp)

    @staticmethod
    def open(path):
        """Read-only. For that SQLite needs the -wal and -shm files, or immutable=1: nobody writes."""
        database = sqlite3.connect(sqlite_uri(path), uri=True, timeout=60)
        try:
            database.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            if os.path.exists(path + "-wal"):
                raise
            database = sqlite3.connect(sqlite_uri(path, "&immutable=1"), uri=True)
        return database

    def close(self):
        self.database.close()

    def version(self):
        return self.database.execute("PRAGMA user_version").fetchone()[0]

    def begin(self):
        """Later changes of the store are not seen until the end of the program."""
        self.database.execute("BEGIN")

    def query(self, sql, values=()):
        """(names of the columns, iterator over rows as tuples)."""
        cursor = self.database.execute(sql, tuple(values))
        return [column[0] for column in cursor.description], cursor

    def lookup(self, sql, values=()):
        """All rows, also while those of query() are being read."""
        return self.database.execute(sql, tuple(values)).fetchall()


class MariadbStore:
    is_all = True
    seconds = None  # see opened()

    def __init__(self):
        try:
            from . import mariadb
        except ImportError:
            raise Failure("a store in MariaDB needs PyMySQL (Debian: python3-pymysql)") from None
        self.errors = mariadb.ERRORS
        self.cursor_class = mariadb.CURSOR
        self.connection_class = mariadb.Connection

    def connect(self, location):
        self.addresses = mariadb_addresses(location)
        self.database = self.open()
        self.beside = None

    def open(self):
        """A connection to the first host that answers, or the last one's error."""
        for address in self.addresses[:-1]:
            try:
                return self.open_at(address)
            except self.errors:
                continue
        return self.open_at(self.addresses[-1])

    def open_at(self, address):
        """group_concat() would cut longer texts at a limit of the server; SQLite has none."""
        return self.connection_class(charset="utf8mb4", connect_timeout=10, init_command=self.settings(), **address)

    def close(self):
        for connection in filter(None, (self.database, self.beside)):
            connection.close()

    def settings(self):
        """A statement goes on when its client was killed, unless the server bounds its time."""
        values = ["group_concat_max_len = %d" % LONGEST_TEXT]
        if self.seconds is not None:
            values.append("max_statement_time = %d" % self.seconds)
        return "SET " + ", ".join("SESSION " + value for value in values)

    def version(self):
        try:
            _, rows = self.query("SELECT value FROM store_state WHERE name = 'schema'")
            return max((int(row[0]) for row in rows), default=0)
        except self.errors:
            return 0

    def begin(self):
        self.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY").close()

    def execute(self, sql, values=()):
        cursor = self.database.cursor(self.cursor_class)
        cursor.execute(marks(sql), tuple(values))
        return cursor

    def query(self, sql, values=()):
        cursor = self.execute(self.allowed(sql), values)
        return [column[0] for column in cursor.description], self.fetch(cursor)

    def lookup(self, sql, values=(), restricted=True):
        if self.beside is None:
            self.beside = self.open()
        with self.beside.cursor() as cursor:
            cursor.execute(marks(self.allowed(sql) if restricted else sql), tuple(values))
            return cursor.fetchall()

    @staticmethod
    def allowed(sql):
        """The statement that is executed for query() and lookup(). A subclass restricts what it reads."""
        return sql

    @staticmethod
    def fetch(cursor):
        while True:
            rows = cursor.fetchmany(ROWS_AT_ONCE)
            if not rows:
                cursor.close()
                return
            yield from rows


def marks(sql):
    """PyMySQL's %s in the place of each ?"""
    return sql.replace("%", "%%").replace("?", "%s")


def mariadb_addresses(location, group="jobtrail"):
    """The arguments of mariadb.connect() for //[USER@][HOST[:PORT][,HOST[:PORT]...]]/DATABASE: a
    dict for each host. `group` as in credentials.read()."""
    match = re.match(r"//(?:([^@/]+)@)?([^@/]*)/([^/?#]+)\Z", location)
    if match is None:
        raise Failure("write mariadb://[USER@][HOST[:PORT]]/DATABASE")
    user, hosts, name = match.groups()
    options = credentials.read(group)
    if user:
        options["user"] = user
    return [with_host(options, name, text) for text in (hosts or options.get("host", "")).split(",")]


def with_host(options, name, text):
    """As in jobtrail-load, localhost means the socket."""
    host, _, port = text.partition(":")
    if port and not re.match(r"\d{1,5}\Z", port):
        raise Failure("write mariadb://[USER@][HOST[:PORT]]/DATABASE")
    address = {"database": name, "user": options.get("user"), "password": options.get("password", "")}
    if host in ("", "localhost"):
        address["unix_socket"] = options.get("socket", SOCKET)
        return address
    address["host"] = host
    address["port"] = int(port or options.get("port", 3306))
    address["ssl"] = credentials.tls(options)
    return address


KINDS = {"sqlite": SqliteStore, "mariadb": MariadbStore}


def prepare(address):
    """Loads what a store at the address needs, so that processes that are forked need not."""
    try:
        KINDS[address.partition(":")[0]]()
    except (KeyError, Failure):
        pass  # open_store() says so


def open_store(address, seconds=None):
    """A store of this version, in one snapshot; Failure where there is none. `seconds` as in opened()."""
    scheme = address.partition(":")[0]
    if scheme not in KINDS:
        raise Failure(escape(address) + " is no store; write sqlite:FILE or mariadb://HOST/DATABASE")
    return opened(KINDS[scheme](), address, seconds)


def opened(store, address, seconds=None):
    """The store, connected to the address and checked; Failure where that fails. `seconds`: that a statement may take
    in a server; None: without a bound."""
    store.seconds = seconds
    try:
        store.connect(address.partition(":")[2])
        check_version(store.version(), address)
        store.begin()
    except store.errors as error:
        raise trouble(address, error) from None
    OPEN.append(store)
    return store


def let_go():
    """Closes them, before an answer is sent or printed: a reader who does not read it holds none of their logs."""
    while OPEN:
        OPEN.pop().close()


def use_timezone(store):
    """Takes the time zone of the store's days, if it has one, for all of the program's times."""
    for (zone,) in store.lookup("SELECT value FROM store_state WHERE name = 'timezone'"):
        if zone:
            os.environ["TZ"] = zone
            time.tzset()


def check_version(version, address):
    if version > SCHEMA_VERSION:
        raise Failure("the store's tables are of version %d: use a newer jobtrail" % version)
    if version == 0:
        raise Failure(escape(address) + " is not a store of jobtrail")


def trouble(address, error):
    """The Failure for an error of the database."""
    return Failure("store %s: %s" % (escape(address), escape(str(error))))


@contextlib.contextmanager
def reading(program, address, own):
    """The store as the program reads it; `own`: see acct.main(). What is wrong with the store is a Failure with the program's name."""
    store = None
    try:
        store = own.open() if own else open_store(address)
        yield store
    except Failure as failure:
        if store is not None:
            raise
        raise Failure("%s: %s" % (program, failure)) from None
    except Exception as error:
        if store is None or not isinstance(error, store.errors):
            raise
        raise Failure("%s: %s" % (program, trouble(address, error))) from None
