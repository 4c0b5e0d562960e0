# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of the tables that XALT's createDB.py makes, as the records from which XALT's loaders have made them.

What a row has no more of stays out of the record: the process's ancestors, the watermark but for what its link's row
says. XALT has cut texts at the widths of its columns, and lists of words at 2048 characters. The tables are those of
XALT 2.0 to 3.2: `num_gpus` came with 2.2, `container` with 2.9.7.
"""

import hashlib
import hmac
import json
import math
import os
import re
import signal
import stat
import sys
import time

from .program import Failure, Parser, add_version_option, os_trouble
from .store import mariadb_addresses
from .text import escape

NAME = "jobtrail-xalt-history"
ROWS_AT_ONCE, MEMBERS_AT_ONCE = 200, 1000
PATIENCE_S = 60
# Errors of MariaDB after which the same question may be answered: full, shut down, locked, killed, no connection.
PASSING = (0, 1040, 1053, 1205, 1213, 1317, 1927, 2002, 2003, 2006, 2013)
LAST_TIME = 253402300800  # of the year 9999
LARGEST = 1e11  # number that a record may have

# What becomes of a column's text
TEXT, NUMBER, START, END, SPAN, WORDS = "text", "number", "start", "end", "span", "words"
# (the table in the query: r, l, p; its column; the table of the record, "" for its top; the key there; form)
LINK_COLUMNS = (
    ("r", "link_line", "", "link_line", WORDS),
    ("r", "build_epoch", "resultT", "build_epoch", TEXT),
    ("r", "build_syshost", "resultT", "build_syshost", TEXT),
    ("r", "build_user", "resultT", "build_user", TEXT),
    ("r", "exec_path", "resultT", "exec_path", TEXT),
    ("r", "hash_id", "resultT", "hash_id", TEXT),
    ("r", "link_path", "resultT", "link_path", TEXT),
    ("r", "link_program", "resultT", "link_program", TEXT),
    ("r", "uuid", "resultT", "uuid", TEXT),
    ("r", "cwd", "resultT", "wd", TEXT),
)
# The watermark's values are those that its link's record has, too.
RUN_COLUMNS = (
    ("r", "hash_id", "", "hash_id", TEXT),
    ("r", "cmdline", "", "cmdlineA", WORDS),
    ("r", "account", "userT", "account", TEXT),
    ("r", "container", "userT", "container", TEXT),
    ("r", "cwd", "userT", "cwd", TEXT),
    ("r", "exec_path", "userT", "exec_path", TEXT),
    ("r", "exec_type", "userT", "exec_type", TEXT),
    ("r", "job_id", "userT", "job_id", TEXT),
    ("r", "queue", "userT", "queue", TEXT),
    ("r", "run_uuid", "userT", "run_uuid", TEXT),
    ("r", "syshost", "userT", "syshost", TEXT),
    ("r", "user", "userT", "user", TEXT),
    ("r", "end_time", "userDT", "end_time", END),
    ("r", "num_cores", "userDT", "num_cores", NUMBER),
    ("r", "num_gpus", "userDT", "num_gpus", NUMBER),
    ("r", "num_nodes", "userDT", "num_nodes", NUMBER),
    ("r", "num_threads", "userDT", "num_threads", NUMBER),
    ("r", "probability", "userDT", "probability", NUMBER),
    ("r", "run_time", "userDT", "run_time", SPAN),
    ("r", "start_time", "userDT", "start_time", START),
    ("r", "uuid", "xaltLinkT", "Build_UUID", TEXT),
    ("l", "cwd", "xaltLinkT", "Build_CWD", TEXT),
    ("l", "build_epoch", "xaltLinkT", "Build_Epoch", TEXT),
    ("l", "build_syshost", "xaltLinkT", "Build_Syshost", TEXT),
    ("l", "build_user", "xaltLinkT", "Build_User", TEXT),
    ("l", "link_program", "xaltLinkT", "Build_compiler", TEXT),
    ("l", "link_path", "xaltLinkT", "Build_compilerPath", TEXT),
)
PACKAGE_COLUMNS = (
    ("r", "pkg_name", "", "package_name", TEXT),
    ("r", "pkg_path", "", "package_path", TEXT),
    ("r", "pkg_version", "", "package_version", TEXT),
    ("r", "program", "", "program", TEXT),
    ("p", "run_uuid", "", "xalt_run_uuid", TEXT),
)
NEWER = ("num_gpus", "container")
OBJECTS, FUNCTIONS, VARIABLES = (
    ("xalt_object o ON o.obj_id = j.obj_id", "o.object_path", "o.hash_id"),
    ("xalt_function f ON f.func_id = j.func_id", "f.function_name", "NULL"),
    ("xalt_env_name e ON e.env_id = j.env_id", "e.env_name", "j.env_value"),
)
# (noun, table, its number, the date of a row, FROM, columns, lists that a row has in other tables: key, table, what that is
# joined with). STRAIGHT_JOIN: in the order of numbers, without sorting.
TABLES = (
    ("links", "xalt_link", "link_id", "r.date", "xalt_link r", LINK_COLUMNS,
     (("linkA", "join_link_object", OBJECTS), ("function", "join_link_function", FUNCTIONS))),
    ("runs", "xalt_run", "run_id", "r.date", "xalt_run r LEFT JOIN xalt_link l ON l.uuid = r.uuid", RUN_COLUMNS,
     (("libA", "join_run_object", OBJECTS), ("envT", "join_run_env", VARIABLES))),
    ("packages", "xalt_pkg", "pkg_id", "p.date", "xalt_pkg r STRAIGHT_JOIN xalt_run p ON p.run_id = r.run_id",
     PACKAGE_COLUMNS, ()),
)  # fmt: skip
KINDS = {"links": "link", "runs": "run", "packages": "pkg"}


# ---- XALT's database ----------------------------------------------------------------------------


class Source:
    """XALT's database, asked in sessions that cannot write. All values are bytes, or None."""

    def __init__(self, address):
        scheme, _, self.location = address.partition(":")
        if scheme != "mariadb":
            raise Failure("XALT's database is mariadb://[USER@][HOST[:PORT]]/DATABASE", status=2)
        try:
            from . import mariadb
        except ImportError:
            raise Failure("XALT's database needs PyMySQL (Debian: python3-pymysql)", status=2) from None
        self.connection_class, self.errors = mariadb.Connection, mariadb.ERRORS
        self.address = mariadb_addresses(self.location, "xalt")[0]
        self.database = None

    def connect(self):
        return self.connection_class(
            charset="utf8mb4", use_unicode=False, conv={}, autocommit=True, connect_timeout=10,
            init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", **self.address
        )  # fmt: skip

    def ask(self, sql):
        """All rows. Where the connection breaks it is made anew, for a minute."""
        until = time.monotonic() + (PATIENCE_S if self.database else 0)
        while True:
            try:
                self.database = self.database or self.connect()
                with self.database.cursor() as cursor:
                    cursor.execute(sql)
                    return cursor.fetchall()
            except self.errors as error:
                code = error.args[0] if error.args else 0
                if code not in PASSING or time.monotonic() > until:
                    raise Failure("%s: XALT's database %s: %s" % (NAME, escape(self.location), escape(str(error))), status=2) from None
                self.database = None
                time.sleep(0.1)

    def check(self):
        """Views are no tables of XALT's: a store of jobtrail's has such."""
        rows = self.ask(
            "SELECT concat(c.table_name, '.', c.column_name) FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name) WHERE c.table_schema = DATABASE()"
            " AND t.table_type = 'BASE TABLE' AND c.table_name IN ('xalt_link', 'xalt_run', 'xalt_pkg')"
        )
        self.columns = {row[0].decode() for row in rows}
        for _, table, _, _, _, columns, _ in TABLES:
            for of, column, *_ in columns:
                where = {"r": table, "l": "xalt_link", "p": "xalt_run"}[of]
                if not self.has(where, column) and column not in NEWER:
                    raise Failure(
                        "%s: XALT's database %s: it is no database of XALT 2 or 3: it has no table %s with a column %s"
                        % (NAME, escape(self.location), where, column), status=2,
                    )  # fmt: skip

    def has(self, table, column):
        return "%s.%s" % (table, column) in self.columns

    def rows(self, table, since):
        """(number, date, {(table of the record, key): text}) of each row, in the order of numbers."""
        _, name, number, date, tables, columns, _ = table
        columns = [column for column in columns if column[1] not in NEWER or self.has(name, column[1])]
        asked = ("UNCOMPRESS(%s.%s)" if form == WORDS else "%s.`%s`" for _, _, _, _, form in columns)
        asked = ", ".join(text % column[:2] for text, column in zip(asked, columns))
        wanted = "" if since is None else " AND %s >= '%s'" % (date, since)
        after = 0
        while True:
            got = self.ask(
                "SELECT r.%s, %s, %s FROM %s WHERE r.%s > %d%s ORDER BY r.%s LIMIT %d"
                % (number, date, asked, tables, number, after, wanted, number, ROWS_AT_ONCE)
            )
            for row in got:
                yield int(row[0]), text_of(row[1]), dict(zip(columns, map(text_of, row[2:])))
            if len(got) < ROWS_AT_ONCE:
                return
            after = int(got[-1][0])

    def index_of(self, table, column):
        """Without this hint MariaDB sorts the whole table for each query."""
        ((name,),) = self.ask(
            "SELECT min(index_name) FROM information_schema.statistics WHERE table_schema = DATABASE()"
            " AND table_name = '%s' AND column_name = '%s' AND seq_in_index = 1" % (table, column)
        )
        return "" if name is None else "FORCE INDEX (`%s`)" % name.decode()

    def members(self, table, number, join, first):
        """(number of the row, one text, other text) from the row `first` on, in the order of numbers."""
        index, (joined, one, other), after = self.index_of(table, number), join, (first, 0)
        while True:
            got = self.ask(
                "SELECT j.{0}, j.join_id, {1}, {2} FROM {3} j {4} STRAIGHT_JOIN {5} WHERE j.{0} >= {6}"
                " AND (j.{0} > {6} OR j.join_id > {7}) ORDER BY j.{0}, j.join_id LIMIT {8}".format(
                    number, one, other, table, index, joined, after[0], after[1], MEMBERS_AT_ONCE
                )
            )
            for row in got:
                yield int(row[0]), text_of(row[2]) or "", text_of(row[3]) or ""
            if len(got) < MEMBERS_AT_ONCE:
                return
            after = int(got[-1][0]), int(got[-1][1])


class Members:
    """The members of row after row. Those of rows that are no more there are passed by."""

    def __init__(self, rows):
        self.rows = rows
        self.next = next(rows, None)

    def of(self, number):
        while self.next is not None and self.next[0] <= number:
            if self.next[0] == number:
                yield self.next[1:]
            self.next = next(self.rows, None)


def text_of(value):
    """Bytes that are no UTF-8 come out of the program as they are; the loader knows what to make of them."""
    return None if value is None else value.decode("utf-8", "surrogateescape")


# ---- Values ------------------------------------------------------------------------------------


def date_of(when):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(int(when))) if 0 <= when < LAST_TIME else ""


def start_of(start, date):
    """XALT rounds a start to whole seconds after it has made the date of it. Where the date is that of the second before, the
    run began in the half second before: this is the middle of it."""
    return start - 0.5 if date and date_of(start) != date == date_of(start - 1) else start


def is_other_day(when, date):
    """Whether XALT's date is on another day than that of `when` here: its loader's time zone was another."""
    return date is not None and date_of(when)[:10] != date[:10]


def number_of(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def number_text(number):
    if not math.isfinite(number):
        return "null"
    return "%d" % number if number == int(number) and abs(number) < 2**53 else repr(number)


def whole_part(text):
    """Of an array of strings that was cut anywhere what is left of it, with an end."""
    in_string, at = False, 0
    while at < len(text):
        escaped = 0 if text[at] != "\\" else 5 if text[at + 1 : at + 2] == "u" else 1
        if in_string and escaped and at + escaped >= len(text):
            text = text[:at]  # an escape that was cut
        elif in_string and escaped:
            at += escaped
        elif text[at] == '"':
            in_string = not in_string
        at += 1
    if in_string:
        return text + '"]'
    text = text.rstrip(" ,")
    return text if len(text) > 1 and text[-1] == "]" else text + "]"


def words_text(text):
    """A JSON array that may be cut short, or words with blanks between."""
    whole = whole_part(text)
    try:
        found = json.loads(whole, strict=False) if text[:1] == "[" else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list) and all(isinstance(word, str) for word in found):
        return whole if "\n" not in whole else json.dumps(found)
    return json_text([word for word in text.split(" ") if word])


def json_text(value):
    return json.dumps(value, ensure_ascii=False)


def time_text(form, columns):
    """Of an end or an elapsed time that cannot be, since XALT's columns take any number, what the other one makes it; None
    where neither says."""
    start, end, span = (number_of(columns[name]) for name in ("start_time", "end_time", "run_time"))
    found = end if form == END else span
    if not abs(found) <= LARGEST:
        found = start + span if form == END else end - start
    return number_text(found) if abs(found) <= LARGEST else None


def value_text(form, text, date, columns):
    if form in (END, SPAN):
        return time_text(form, columns)
    if form == START:
        return number_text(start_of(number_of(text), date))
    if form == NUMBER:
        return number_text(number_of(text))
    return words_text(text) if form == WORDS else json_text(text)


def record_text(date, row, lists):
    """The record of a row; `lists` has (key, rows of members, what joins them)."""
    tables, columns = {"": []}, {column[1]: text for column, text in row.items() if column[0] == "r"}
    for (_, _, table, key, form), text in row.items():
        value = None if text is None else value_text(form, text, date, columns)
        members = tables.setdefault(table, [])
        if value is not None:
            members.append('"%s":%s' % (key, value))
    top = tables.pop("")
    top += ['"%s":{%s}' % (name, ",".join(members)) for name, members in tables.items()]
    for key, members, join in lists:
        if join is VARIABLES:
            top.append('"%s":{%s}' % (key, ",".join("%s:%s" % tuple(map(json_text, pair)) for pair in members)))
        else:
            top.append('"%s":%s' % (key, json_text([pair[0] if join is FUNCTIONS else list(pair) for pair in members])))
    return ("{%s}" % ",".join(top)).encode("utf-8", "surrogateescape")


# ---- Records -----------------------------------------------------------------------------------


def read_key(path):
    """The bytes of a key file (conf/secret_file.h)."""
    try:
        with open(path, "rb") as file:
            facts = os.fstat(file.fileno())
            if facts.st_uid not in (0, os.geteuid()) or facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise Failure("%s: must belong to root or you, and be readable by nobody else" % escape(path), status=2)
            line = file.readline(200).strip(b"\r\n")
    except OSError as error:
        raise Failure(os_trouble(error), status=2) from None
    if not re.match(rb"([0-9a-fA-F]{2}){32,64}\Z", line):
        raise Failure("%s: holds no key" % escape(path), status=2)
    return bytes.fromhex(line.decode())


def signed(text, key):
    """The record with its signature (submit/definition/record_signature.h)."""

    def digits(message):
        return hmac.new(key, message, hashlib.sha256).hexdigest().encode()

    return b'%s,"signature":"hmac-sha256:%s:%s"}' % (text[:-1], digits(b"jobtrail key id")[:16], digits(text))


class History:
    def __init__(self, source, since, key, out):
        self.source, self.since, self.key, self.out = source, since, key, out
        self.counts, self.other_days = {}, 0

    def write_row(self, table, number, date, row, lists):
        noun, columns = table[0], table[5]
        text = record_text(date, row, [(key, members.of(number), join) for key, members, join in lists])
        self.out.write(b"kind=%s %s\n" % (KINDS[noun].encode(), signed(text, self.key) if self.key else text))
        self.counts[noun] += 1
        if columns is RUN_COLUMNS:
            when = start_of(number_of(row[next(column for column in columns if column[4] == START)]), date)
        elif columns is LINK_COLUMNS:
            when = number_of(row[columns[1]])
        else:
            return
        self.other_days += is_other_day(when, date)

    def write_table(self, table):
        noun, _, number_name, _, _, _, specs = table
        self.counts[noun], lists = 0, None
        for number, date, row in self.source.rows(table, self.since):
            if lists is None:
                lists = [(key, Members(self.source.members(name, number_name, join, number)), join) for key, name, join in specs]
            self.write_row(table, number, date, row, lists)

    def tell(self):
        counts = ", ".join("%d %s" % (count, noun) for noun, count in self.counts.items())
        print("%s: %d rows of XALT's: %s" % (NAME, sum(self.counts.values()), counts), file=sys.stderr)
        if self.other_days:
            print(
                "%s: %d of them are on another day here than in XALT's database: its loader had another time zone, see"
                " --timezone" % (NAME, self.other_days), file=sys.stderr,
            )  # fmt: skip


def day(text):
    if not re.match(r"\d{4}-\d\d-\d\d\Z", text):
        raise ValueError
    return text


def main():
    parser = Parser(
        prog=NAME,
        description="Write the history in a database of XALT 2 or 3 as records, one a line, for jobtrail-load --history -.",
        epilog="See HISTORY OF XALT in jobtrail-load(1).",
    )
    parser.add_argument("database", metavar="ADDRESS", help="mariadb://[USER@][HOST[:PORT]]/DATABASE")
    parser.add_argument("--key", metavar="FILE", help="sign the records: you confirm that XALT's data are right")
    parser.add_argument("--since", metavar="DATE", type=day, help="only rows with XALT's date YYYY-MM-DD, or later")
    parser.add_argument("--timezone", metavar="ZONE", help="that of the store; default: the machine's")
    add_version_option(parser, NAME)
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a server that has gone away
    if options.timezone:
        os.environ["TZ"] = options.timezone
        time.tzset()
    key = read_key(options.key) if options.key else None
    source = Source(options.database)
    source.check()
    history = History(source, options.since, key, sys.stdout.buffer)
    for table in TABLES:
        history.write_table(table)
    sys.stdout.buffer.flush()
    history.tell()
