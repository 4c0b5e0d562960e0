# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store of which somebody may see a part: the same tables, with the rows that Rights (rights.py) allow.

A statement reads nothing but TABLES. In SQLite, views with their names select the rows, and the authorizer refuses what is not
read through one of them. It is not asked where a statement only counts rows, so each other name is that of an empty view.
It takes the name of a common table expression for a view's, so statements with WITH are refused before. In MariaDB, where a reader cannot make views, each
statement gets common table expressions of these names, and the connection has no database that other names could
be looked for in.
"""

import re
import sqlite3

from ...pattern import Pattern
from ...program import Failure
from ...store import MariadbStore, SqliteStore, open_store, opened
from ...text import escape

# {may}: a row of these users or accounts, {me}: a `build_user` of these users, {own}: a `user` of
# these users alone, {base}: what names of tables begin with.
RUNS = "{base}run_own WHERE job_part_id IN (SELECT id FROM {base}job_part WHERE {may})"
LINKS = "{base}link WHERE {me}"
PACKAGES = (
    "EXISTS (SELECT 1 FROM {base}run AS ours WHERE ours.uuid = run_package.run_uuid"
    " AND ours.package_owner = run_package.owner AND {may})"
)
# Statements that find lists of ids. With {NAME} in it, one needs that other list. A list is made once, at the first
# statement that needs it: to make it takes long where a user has many runs.
LISTS = {
    "program": "SELECT DISTINCT program_id FROM " + RUNS,
    "environment": "SELECT DISTINCT environment_id FROM " + RUNS,
    "ancestors": "SELECT DISTINCT ancestors_id FROM " + RUNS,
    "function_set": "SELECT DISTINCT function_set_id FROM " + LINKS,
    "object_set": "SELECT object_set_id FROM {base}program WHERE id IN {program} UNION SELECT object_set_id FROM " + LINKS,
    "executable": "SELECT executable_id FROM {base}program WHERE id IN {program} UNION SELECT executable_id FROM " + LINKS,
    "build": "SELECT DISTINCT build_id FROM {base}program WHERE id IN {program}",
    "object": "SELECT DISTINCT object_id FROM {base}object_set_member WHERE object_set_id IN {object_set}",
    "function_name": "SELECT DISTINCT function_name_id FROM {base}function_set_member"
    " WHERE function_set_id IN {function_set}",
    "env_value": "SELECT DISTINCT env_value_id FROM {base}environment_member WHERE environment_id IN {environment}",
    "env_name": "SELECT DISTINCT env_name_id FROM {base}env_value WHERE id IN {env_value}",
    "package": "SELECT DISTINCT package_id FROM {base}run_package WHERE run_uuid IN (SELECT uuid FROM %s) AND %s"
    % (RUNS, PACKAGES),
    "routine": "SELECT DISTINCT routine_id FROM {base}run_routine WHERE run_id IN (SELECT id FROM %s)" % RUNS,
    "routine_library": "SELECT DISTINCT routine_library_id FROM {base}run_routine_library WHERE run_id IN (SELECT id FROM %s)" % RUNS,
}
# Of each table the condition for the rows that may be seen; 1 = 1: no user's data.
TABLES = {
    "store_state": "1 = 1",
    "module": "1 = 1",
    "job_part": "{may}",
    "run": "{may}",
    "run_day": "run_id IN (SELECT id FROM %s)" % RUNS,
    "run_routine": "run_id IN (SELECT id FROM %s)" % RUNS,
    "run_routine_library": "run_id IN (SELECT id FROM %s)" % RUNS,
    "run_routine_watch": "run_id IN (SELECT id FROM %s)" % RUNS,
    "routine": "id IN {routine}",
    "routine_library": "id IN {routine_library}",
    "coverage": "{may}",
    "ranks": "{may}",
    "profile": "{may}",
    "library_event": "(kind = 'change' OR {own})",  # of the site's libraries; uses are those of users
    "slurm_job": "{may}",
    "job_again": "1 = 1",
    "executable": "id IN {executable}",
    "object_set_member": "object_set_id IN {object_set}",
    "object": "id IN {object}",
    "build": "id IN {build}",
    "link": "{me}",
    "function_set_member": "function_set_id IN {function_set}",
    "function_name": "id IN {function_name}",
    "environment_member": "environment_id IN {environment}",
    "env_value": "id IN {env_value}",
    "env_name": "id IN {env_name}",
    "ancestors": "id IN {ancestors}",
    "run_package": PACKAGES,
    "package": "id IN {package}",
    "account_field": "account IN (SELECT account FROM {base}job_part WHERE {may})",
}
NEEDED = Pattern(r"\{(%s)\}" % "|".join(LISTS))
WORD = Pattern(r"\w+")
ID_IN_LIST = Pattern(r"^(\w+ IN \(SELECT id FROM temp\.)")


# A common table expression could have any name; these are the names of SQLite's schemas.
NOT_OURS = Pattern(r"\b(?:WITH|main|temp)\b", re.IGNORECASE)


def conditions(base, users, accounts, lists):
    """({table: condition}, {list: the statement that finds it}). `users`, `accounts` and `lists`, which may lack some:
    SQL for the list; `accounts` may be None."""
    may, me = "user IN " + users, "build_user IN " + users
    if accounts is not None:
        may = "({} OR lower(account) IN {})".format(may, accounts)
    names, finding = {"base": base, "may": may, "me": me, "own": "user IN " + users}, {}
    for name, sql in LISTS.items():
        finding[name] = sql.format(**names)
        names[name] = lists.get(name, "(%s)" % finding[name])
    return {name: where.format(**names) for name, where in TABLES.items()}, finding


def needed(sql):
    """The lists that the statement's tables need, each after those that it needs itself."""
    found = []

    def add(text):
        for name in NEEDED.findall(text):
            if name not in found:
                add(LISTS[name])
                found.append(name)

    for word in WORD.findall(sql):
        add(TABLES.get(word, ""))
    return found


def check_form(sql):
    """Failure where the statement is not the SELECT of tables that all of ours are."""
    if not sql.startswith("SELECT ") or NOT_OURS.search(sql):
        raise Failure("is not read here: " + escape(sql))


class RestrictedSqlite(SqliteStore):
    is_all = False

    def __init__(self, rights):
        self.rights = rights
        self.is_ours = False  # the statement
        self.finding = {}  # of the lists that have not been made

    def begin(self):
        """From then on the rows that may be seen are read, and no others."""
        run = self.database.execute
        run("PRAGMA temp_store = MEMORY")
        for table, names in (("may_user", self.rights.users), ("may_account", self.rights.accounts)):
            run("CREATE TEMP TABLE %s (name TEXT PRIMARY KEY)" % table)
            self.database.executemany("INSERT INTO temp.%s VALUES (?)" % table, ((name,) for name in names))
        self.database.commit()
        super().begin()
        accounts = "(SELECT name FROM temp.may_account)" if self.rights.accounts else None
        for name in LISTS:
            # In a table with rowids, a NULL becomes the next number, NOT NULL or not: somebody else's row.
            run("CREATE TEMP TABLE ids_%s (id INTEGER NOT NULL PRIMARY KEY) WITHOUT ROWID" % name)
        lists = {name: "(SELECT id FROM temp.ids_%s)" % name for name in LISTS}
        tables, self.finding = conditions("main.", "(SELECT name FROM temp.may_user)", accounts, lists)
        for name, where in tables.items():
            # With the plus, no index is used for it. Else SQLite might join a statement's tables from the end of a list.
            where = ID_IN_LIST.sub(r"+\1", where)
            run("CREATE TEMP VIEW {0} AS SELECT * FROM main.{0} WHERE {1}".format(name, where))
        # These have no rows here. The authorizer alone could not refuse to count those of a table of which no column is read.
        for name, in run("SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'").fetchall():
            if name not in tables:
                run('CREATE TEMP VIEW "%s" AS SELECT 1 AS x WHERE 1 = 0' % name.replace('"', '""'))
        self.database.set_authorizer(self.allow)

    def make_lists(self, sql):
        """Those that the statement needs."""
        for name in needed(sql) if self.finding else ():
            if name not in self.finding:
                continue
            self.is_ours = True
            try:
                self.database.execute("INSERT OR IGNORE INTO temp.ids_%s %s" % (name, self.finding[name]))
            finally:
                self.is_ours = False
            del self.finding[name]

    def query(self, sql, values=()):
        check_form(sql)
        self.make_lists(sql)
        return super().query(sql, values)

    def lookup(self, sql, values=()):
        check_form(sql)
        self.make_lists(sql)
        return super().lookup(sql, values)

    def allow(self, action, first, second, database, view):
        """A table is read through a view, or not at all; nothing is written, attached or loaded."""
        if self.is_ours:
            return sqlite3.SQLITE_OK
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (view is not None or database == "temp"):
            return sqlite3.SQLITE_OK
        # A table that a view joins without a column: SQLite passes no view; 3.46 no schema either, 3.53 does. A statement
        # cannot name a schema itself, and without one each name is a view's (check_form(), begin()).
        if action == sqlite3.SQLITE_READ and second == "" and database in (None, "main"):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY


class RestrictedMariadb(MariadbStore):
    is_all = False
    TABLE = re.compile(r"\b(?:FROM|JOIN)\s+([^\s(),]+)", re.IGNORECASE)
    QUOTED = re.compile(r"`(\w+)`")
    # The lists that are written into a statement. Others may be too long, and are found by each statement.
    WRITTEN = ("program", "package", "routine", "routine_library")
    # what would begin another statement, hide a part of one, write a file or read one
    REFUSED = re.compile(r"[;`\"#\\]|/\*|--|\b(?:INTO|load_file)\b", re.IGNORECASE)
    SCHEMAS = ("information_schema", "mysql", "performance_schema", "sys")

    def __init__(self, rights):
        super().__init__()
        self.rights = rights

    def connect(self, location):
        """Without a database: a name that is not one of ours is no table then."""
        super().connect(location)
        self.lists = {}
        self.tables, self.finding = self.expressions()

    def numbers(self, sql):
        """What the statement finds, as a list in SQL. Not by the connection whose rows are being read."""
        rows = super().lookup(sql, restricted=False)
        return "(%s)" % (", ".join(str(int(number)) for number, in rows if number is not None) or "NULL")

    def expressions(self):
        """({table: common table expression}, {list that is written: the statement that finds it})"""
        base = "`%s`." % self.name
        users = literals(self.rights.users)
        accounts = literals(self.rights.accounts) if self.rights.accounts else None
        found, finding = conditions(base, users, accounts, self.lists)
        tables = {name: "{0} AS (SELECT * FROM {1}{0} WHERE {2})".format(name, base, where) for name, where in found.items()}
        return tables, {name: finding[name] for name in self.WRITTEN if name not in self.lists}

    def open_at(self, address):
        self.name = address["database"]
        if "`" in self.name or self.name in TABLES:
            raise Failure("no answers are given from a database of the name " + escape(self.name))
        return super().open_at(dict(address, database=None))

    def allowed(self, sql):
        """The statement, about the rows that may be seen."""
        check_form(sql)
        plain = self.QUOTED.sub(r"\1", sql)
        words = set(WORD.findall(plain))
        unknown = set(self.TABLE.findall(plain)) - set(TABLES)
        named = words & {self.name, *self.SCHEMAS}
        if unknown or named or self.REFUSED.search(plain):
            raise Failure("is not read here: " + escape(", ".join(sorted(unknown | named)) or sql))
        for name in needed(plain):
            if name in self.finding:
                self.lists[name] = self.numbers(self.finding[name])
                self.tables, self.finding = self.expressions()
        return "WITH " + ", ".join(text for name, text in self.tables.items() if name in words) + " " + sql


def literals(names):
    """A list for IN. As numbers, no text of a name can be taken for SQL."""
    texts = ("_utf8mb4 0x" + name.encode("utf-8", "surrogateescape").hex() for name in sorted(names) if name)
    return "(%s)" % (", ".join(texts) or "NULL")


KINDS = {"sqlite": RestrictedSqlite, "mariadb": RestrictedMariadb}


def open_for(address, rights, seconds=None):
    """The store at the address, with what the rights allow; Failure where there is none. `seconds` as in opened()."""
    scheme = address.partition(":")[0]
    if rights.all or scheme not in KINDS:
        return open_store(address, seconds)
    return opened(KINDS[scheme](rights), address, seconds)
