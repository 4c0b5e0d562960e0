# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store of which somebody may see a part: the same tables, with the rows that Rights (rights.py) allow.

A statement reads TABLES, or it is refused. In SQLite, views with the names of the tables select the rows, and the
authorizer refuses all that is not read through one of them. It takes the name of a common table expression for a
view's, so statements with WITH are refused before. In MariaDB, where a reader cannot make views, each
statement gets common table expressions of these names, and the connection has no database that other names could
be looked for in.
"""

import re
import sqlite3

from ..program import Failure
from ..store import MariadbStore, SqliteStore, open_store, opened
from ..text import escape

# Of each table the condition for the rows that may be seen; 1: no user's data. {may}: a row of these users or
# accounts, {me}: a `build_user` of these users, {base}: what names of tables begin with, {programs}: the list of the
# rows of `program` that such runs have. That list is made once, since it takes long where a user has many runs.
RUNS = "{base}run_own WHERE job_part_id IN (SELECT id FROM {base}job_part WHERE {may})"
PROGRAMS = "{base}program WHERE id IN {programs}"
LINKS = "{base}link WHERE {me}"
SETS = "(SELECT object_set_id FROM {} UNION SELECT object_set_id FROM {})".format(PROGRAMS, LINKS)
VARIABLES = (
    "(SELECT env_value_id FROM {base}environment_member"
    " WHERE environment_id IN (SELECT environment_id FROM %s))" % RUNS
)
FUNCTIONS = (
    "(SELECT function_name_id FROM {base}function_set_member"
    " WHERE function_set_id IN (SELECT function_set_id FROM %s))" % LINKS
)
PACKAGES = (
    "EXISTS (SELECT 1 FROM {base}run AS ours WHERE ours.uuid = run_package.run_uuid"
    " AND ours.package_owner = run_package.owner AND {may})"
)
# Of these tables the list of ids is made at the first statement that names them: each such statement would make it anew.
IDS = {
    "object": "SELECT DISTINCT object_id FROM {base}object_set_member WHERE object_set_id IN " + SETS,
    "package": "SELECT DISTINCT package_id FROM {base}run_package WHERE run_uuid IN (SELECT uuid FROM %s) AND %s"
    % (RUNS, PACKAGES),
}
PROGRAMS_OF_RUNS = "SELECT DISTINCT program_id FROM " + RUNS
TABLES = {
    "store_state": "1 = 1",
    "module": "1 = 1",
    "job_part": "{may}",
    "run": "{may}",
    "run_day": "run_id IN (SELECT id FROM %s)" % RUNS,
    "coverage": "{may}",
    "slurm_job": "{may}",
    "executable": "id IN (SELECT executable_id FROM {} UNION SELECT executable_id FROM {})".format(
        PROGRAMS, LINKS
    ),
    "object_set_member": "object_set_id IN " + SETS,
    "object": "id IN {object_ids}",
    "build": "id IN (SELECT build_id FROM %s)" % PROGRAMS,
    "link": "{me}",
    "function_set_member": "function_set_id IN (SELECT function_set_id FROM %s)" % LINKS,
    "function_name": "id IN " + FUNCTIONS,
    "environment_member": "environment_id IN (SELECT environment_id FROM %s)" % RUNS,
    "env_value": "id IN " + VARIABLES,
    "env_name": "id IN (SELECT env_name_id FROM {base}env_value WHERE id IN %s)" % VARIABLES,
    "ancestors": "id IN (SELECT ancestors_id FROM %s)" % RUNS,
    "run_package": PACKAGES,
    "package": "id IN {package_ids}",
    "account_field": "account IN (SELECT account FROM {base}job_part WHERE {may})",
}


# A common table expression could have any name; these are the names of SQLite's schemas.
NOT_OURS = re.compile(r"\b(?:WITH|main|temp)\b", re.IGNORECASE)


def conditions(base, users, accounts, programs, ids):
    """({table: condition}, the statement that finds the programs, {table: the one that finds its ids}). `users`,
    `accounts`, `programs`, and `ids` of tables: SQL for the list; `accounts` may be None, and tables be left out."""
    may, me = "user IN " + users, "build_user IN " + users
    if accounts is not None:
        may = "({} OR lower(account) IN {})".format(may, accounts)
    names = {"base": base, "may": may, "me": me, "programs": programs}
    finding = {name: sql.format(**names) for name, sql in IDS.items()}
    for name, sql in finding.items():
        names[name + "_ids"] = ids.get(name, "(%s)" % sql)
    tables = {name: where.format(**names) for name, where in TABLES.items()}
    return tables, PROGRAMS_OF_RUNS.format(**names), finding


def check_form(sql):
    """Failure where the statement is not the SELECT of tables that all of ours are."""
    if not sql.startswith("SELECT ") or NOT_OURS.search(sql):
        raise Failure("is not read here: " + escape(sql))


class RestrictedSqlite(SqliteStore):
    NAMED = re.compile(r"\b(%s)\b" % "|".join(IDS))

    def __init__(self, rights):
        self.rights = rights
        self.is_ours = False  # the statement

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
        users, lists = "(SELECT name FROM temp.may_user)", {}
        for name in IDS:
            run("CREATE TEMP TABLE may_%s (id INTEGER PRIMARY KEY)" % name)
            lists[name] = "(SELECT id FROM temp.may_%s)" % name
        run("CREATE TEMP TABLE may_program (id INTEGER PRIMARY KEY)")
        may_program = "(SELECT id FROM temp.may_program)"
        tables, programs, self.finding = conditions("main.", users, accounts, may_program, lists)
        run("INSERT INTO temp.may_program " + programs)
        for name, where in tables.items():
            run("CREATE TEMP VIEW {0} AS SELECT * FROM main.{0} WHERE {1}".format(name, where))
        self.database.set_authorizer(self.allow)

    def find_ids(self, sql):
        """Those of the tables that the statement names."""
        for name in set(self.NAMED.findall(sql)) & set(self.finding):
            self.is_ours = True
            try:
                self.database.execute("INSERT INTO temp.may_%s %s" % (name, self.finding.pop(name)))
            finally:
                self.is_ours = False

    def query(self, sql, values=()):
        check_form(sql)
        self.find_ids(sql)
        return super().query(sql, values)

    def lookup(self, sql, values=()):
        check_form(sql)
        self.find_ids(sql)
        return super().lookup(sql, values)

    def allow(self, action, first, second, database, view):
        """A table is read through a view, or not at all; nothing is written, attached or loaded."""
        if self.is_ours:
            return sqlite3.SQLITE_OK
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (view is not None or database == "temp"):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and second == "" and database is None:
            return sqlite3.SQLITE_OK  # a table that a view joins without a column: SQLite passes no view
        return sqlite3.SQLITE_DENY


class RestrictedMariadb(MariadbStore):
    TABLE = re.compile(r"\b(?:FROM|JOIN)\s+([^\s(),]+)", re.IGNORECASE)
    WORD = re.compile(r"\w+")
    QUOTED = re.compile(r"`(\w+)`")
    # what would begin another statement, hide a part of one, write a file or read one
    REFUSED = re.compile(r"[;`\"#\\]|/\*|--|\b(?:INTO|load_file)\b", re.IGNORECASE)
    SCHEMAS = ("information_schema", "mysql", "performance_schema", "sys")

    def __init__(self, rights):
        super().__init__()
        self.rights = rights

    def connect(self, location):
        """Without a database: a name that is not one of ours is no table then."""
        super().connect(location)
        self.programs, self.lists, self.finding = "(NULL)", {}, {}
        self.tables = self.expressions()[0]

    def begin(self):
        super().begin()
        self.programs = self.numbers(self.expressions()[1])
        self.tables, _, finding = self.expressions()
        self.finding = {"package": finding["package"]}  # objects may be too many, and have an index for this

    def numbers(self, sql):
        """What the statement finds, as a list in SQL. Not by the connection whose rows are being read."""
        rows = super().lookup(sql, restricted=False)
        return "(%s)" % (", ".join(str(int(number)) for number, in rows) or "NULL")

    def expressions(self):
        """({table: common table expression}, and what else conditions() returns)"""
        base = "`%s`." % self.name
        users = literals(self.rights.users)
        accounts = literals(self.rights.accounts) if self.rights.accounts else None
        found, of_runs, finding = conditions(base, users, accounts, self.programs, self.lists)
        tables = {
            name: "{0} AS (SELECT * FROM {1}{0} WHERE {2})".format(name, base, where)
            for name, where in found.items()
        }
        return tables, of_runs, finding

    def open_at(self, address):
        self.name = address["database"]
        if "`" in self.name or self.name in TABLES:
            raise Failure("no answers are given from a database of the name " + escape(self.name))
        return super().open_at(dict(address, database=None))

    def allowed(self, sql):
        """The statement, about the rows that may be seen."""
        check_form(sql)
        plain = self.QUOTED.sub(r"\1", sql)
        words = set(self.WORD.findall(plain))
        unknown = set(self.TABLE.findall(plain)) - set(TABLES)
        named = words & {self.name, *self.SCHEMAS}
        if unknown or named or self.REFUSED.search(plain):
            raise Failure("is not read here: " + escape(", ".join(sorted(unknown | named)) or sql))
        for name in words & set(self.finding):
            self.lists[name] = self.numbers(self.finding.pop(name))
            self.tables = self.expressions()[0]
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
