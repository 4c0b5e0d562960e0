# SPDX-License-Identifier: LGPL-2.1-or-later
"""The summary that reports are made from: a file beside the store, and sums of newer rows of the store.

The file is a cache. Users who may write it update it (jobtrail-report --update). For the others, rows that
are newer than the file are added up in temporary tables. The views all_* show both.
"""

import os
import sqlite3
import stat
import time

from ..program import Failure, os_trouble
from ..store import sqlite_uri
from ..text import escape, file_path
from ..trusted import check_place
from . import days, division, gather
from .summary_numbers import SummaryNumbers

VERSION = "9"
SQL = os.path.join(os.path.dirname(__file__), "summary.sql")
# In MariaDB several loaders may insert rows at once, so that a row can become visible after rows with
# larger numbers.
MARGIN = {"sqlite": 0, "mariadb": 20000}
RECENT_DAYS = 7
GONE = -1  # the day of a job that is none any more
AT_ONCE = 20000  # runs that one statement adds up

ADDED = ("parts", "n", "hours", "squares", "uncertain")
SUMS = ", ".join(ADDED) + ", largest, last"
SUMMED = ", ".join("sum(%s)" % name for name in ADDED) + ", max(largest), max(last)"
DIVIDED = ("parts", "tasks", "hours")
KIND = "outcome, basis, p"
MONTH = "CAST(strftime('%Y%m', day * 86400, 'unixepoch') AS INTEGER)"

TABLES = {
    "who": "id, user, account, syshost, partition",
    "package_set": "id, packages",
    "program": "id, executable_id, object_set_id, build_id, package_set_id, path, lacks",
    "usage": "day, who, program, outcome, basis, p, " + SUMS,
    "profile_member": "profile, program",
    "job": "name, day, who, profile, told",
    "span": "name, first_day, last_day, begun",
    "job_part": "number, day, who, outcome, program, ending, p, tasks, runs, hours",
    "job_state": "number, facts, seconds, ends, given",
    "division": "day, who, outcome, program, parts, tasks, hours",
}


def default_path(address):
    """Beside a SQLite store; MariaDB's is a file of this host."""
    scheme, _, location = address.partition(":")
    if scheme == "sqlite":
        return file_path(location) + ".summary"
    return "/var/cache/jobtrail/summary.db"


# Of each table the rows that are of the people in temp.part_who, in an order in which each has what it needs
OF_PEOPLE = "who IN (SELECT id FROM temp.part_who)"
PARTS = (
    ("who", "id IN (SELECT id FROM temp.part_who)"),
    ("usage", OF_PEOPLE),
    ("job", OF_PEOPLE),
    ("span", "name IN (SELECT name FROM main.job)"),
    ("job_part", OF_PEOPLE),
    ("job_state", "number IN (SELECT number FROM main.job_part)"),
    ("division", OF_PEOPLE),
    ("usage_month", OF_PEOPLE),
    ("people_month", OF_PEOPLE),
    ("job_month", OF_PEOPLE),
    ("division_month", OF_PEOPLE),
    ("profile_member", "profile IN (SELECT profile FROM main.job)"),
    ("program", "id IN (SELECT program FROM main.usage UNION SELECT program FROM main.job_part"
     " UNION SELECT program FROM main.division UNION SELECT program FROM main.profile_member)"),
    ("package_set", "id IN (SELECT package_set_id FROM main.program)"),
    ("pending", "1"),
)  # fmt: skip


def narrow(path, mode):
    """Removes the permissions of our summary that the store does not have any more."""
    with open(path, "rb") as file:
        facts = os.fstat(file.fileno())
        if facts.st_uid == os.geteuid() and facts.st_mode & 0o777 & ~mode:
            os.fchmod(file.fileno(), facts.st_mode & mode)


def make_like(path, store):
    """Makes an empty file that the same users can read as the store; ours alone where that is no file."""
    check_place(path)
    try:
        facts = os.stat(store)
    except OSError:
        facts = None
    mode = facts.st_mode & 0o666 if facts else 0o600
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        if facts and stat.S_ISREG(os.stat(path).st_mode):
            narrow(path, mode)
        return
    try:
        if facts and os.geteuid() == 0:
            os.fchown(file, facts.st_uid, facts.st_gid)
        os.fchmod(file, mode)
    finally:
        os.close(file)


class Summary:
    """`database` has the views all_who, all_package_set, all_program, all_usage, all_profile_member,
    all_job, all_span, all_division, and a list `running` (gather.running())."""

    def __init__(self, store, address, path, update=False, is_seen=None, nodes=None):
        """Opens the file at `path`, which is made and changed with `update` alone. None: without the file,
        since that has the sums of all users. `is_seen`(user, account): of the file, the sums of these are read
        and no others; None: all. `nodes`: names of those whose sums are made of the store alone, since the file
        has none of nodes; None: all."""
        self.store, self.nodes = store, nodes
        self.is_seen = is_seen
        states = [self.ask("SELECT value FROM store_state WHERE name = '%s'" % name) for name in ("generation", "replaced")]
        self.identity = "%s %s %s %s" % (VERSION, address, *states)
        scheme, _, self.location = address.partition(":")
        self.margin = MARGIN[scheme]
        self.database = self.open_new() if path is None or nodes is not None else self.open(path, update)
        self.prepare()
        self.collect(update)
        if update:
            self.save()

    def ask(self, sql):
        rows = self.store.lookup(sql)
        return rows[0][0] if rows else None

    # ---- The file

    def open(self, path, update):
        if update:
            return self.open_for_update(path)
        try:
            if self.is_seen is not None:
                return self.open_part(path)
            database = sqlite3.connect(sqlite_uri(path), uri=True, timeout=60)
            database.isolation_level = None
            database.execute("BEGIN")
            found = database.execute("SELECT value FROM state WHERE name = 'identity'").fetchone()
            if found == (self.identity,):
                return database
        except sqlite3.Error:
            pass
        return self.open_new()

    def open_part(self, path):
        """A copy in memory of what may be seen."""
        database = sqlite3.connect(":memory:", uri=True)
        database.isolation_level = None
        run = database.execute
        run("ATTACH ? AS file", (sqlite_uri(path),))
        run("BEGIN")
        if run("SELECT value FROM file.state WHERE name = 'identity'").fetchone() != (self.identity,):
            return self.open_new()
        self.make(database)
        run("INSERT OR REPLACE INTO main.state SELECT * FROM file.state")
        run("CREATE TEMP TABLE part_who (id INTEGER PRIMARY KEY)")
        people = run("SELECT id, user, account FROM file.who").fetchall()
        seen = ((number,) for number, user, account in people if self.is_seen(user, account))
        database.executemany("INSERT INTO temp.part_who VALUES (?)", seen)
        for table, where in PARTS:
            run("INSERT INTO main.{0} SELECT * FROM file.{0} WHERE {1}".format(table, where))
        run("COMMIT")
        run("DETACH file")
        return database

    def open_new(self):
        database = sqlite3.connect(":memory:")
        database.isolation_level = None
        self.make(database)
        return database

    def open_for_update(self, path):
        try:
            make_like(path, file_path(self.location))
            database = sqlite3.connect(path, timeout=60)
            database.isolation_level = None
            database.execute("BEGIN IMMEDIATE")
            self.check_identity(database)
            return database
        except OSError as error:
            raise Failure("summary %s" % os_trouble(error)) from None
        except sqlite3.Error as error:
            raise Failure("summary %s: %s" % (escape(path), escape(str(error)))) from None

    def make(self, database):
        with open(SQL) as file:
            for statement in file.read().split(";\n"):
                database.execute(statement)
        database.execute("INSERT INTO state VALUES ('identity', ?)", (self.identity,))

    def check_identity(self, database):
        """Removes sums of another store, of one that has lost runs since, or of another version."""
        run = database.execute
        tables = [name for name, in run("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if tables:
            if not {"state", "usage"}.issubset(tables):
                raise sqlite3.DatabaseError("file is another program's database")
            found = run("SELECT value FROM state WHERE name = 'identity'").fetchone()
            if found == (self.identity,):
                return
        for table in tables:
            run("DROP TABLE " + table)
        self.make(database)

    def prepare(self):
        run = self.database.execute
        run("PRAGMA temp_store = MEMORY")
        for table, columns in TABLES.items():
            run("CREATE TEMP TABLE new_%s (%s)" % (table, columns))
            both = "SELECT {1} FROM main.{0} {2} UNION ALL SELECT {1} FROM temp.new_{0}"
            but = ""
            if table in ("job", "span"):
                but = "WHERE name NOT IN (SELECT name FROM temp.new_job)"
            run("CREATE TEMP VIEW all_%s AS %s" % (table, both.format(table, columns, but)))

    def limit(self, first, last):
        """Makes the views period_usage, period_people (the same without programs), period_division and period_job
        of the days from `first` to `last`. They use the sums of months that lie in this period."""
        months = days.whole_months(first, last)
        inside = "month BETWEEN %d AND %d" % (months[0][0], months[-1][0]) if months else "0"
        days_of = "day BETWEEN %d AND %d" % (first, last)
        edges = days_of
        if months:
            edges += " AND NOT day BETWEEN %d AND %d" % (months[0][1], months[-1][2])
        run = self.database.execute
        for name, source, columns in (
            ("usage", "usage", "who, program, %s, %s" % (KIND, SUMS)),
            ("people", "usage", "who, %s, %s" % (KIND, SUMS)),
            ("division", "division", "who, outcome, program, " + ", ".join(DIVIDED)),
        ):
            run(
                "CREATE TEMP VIEW period_{5} AS SELECT month, {0} FROM main.{5}_month WHERE {1}"
                " UNION ALL SELECT {4}, {0} FROM main.{6} WHERE {2}"
                " UNION ALL SELECT {4}, {0} FROM temp.new_{6} WHERE {3}".format(
                    columns, inside, edges, days_of, MONTH, name, source
                )
            )
        known = self.value("SELECT 1 FROM temp.new_job LIMIT 1")
        if known:  # some of these jobs may be in the sums of months already
            jobs = "SELECT profile, who, 1 AS jobs, told FROM all_job WHERE " + days_of
        else:
            jobs = "SELECT profile, who, jobs, told FROM main.job_month WHERE " + inside
            jobs += " UNION ALL SELECT profile, who, 1, told FROM main.job WHERE " + edges
        # and those that began before
        run(
            "CREATE TEMP TABLE carried AS SELECT profile, who, told FROM main.job WHERE name IN (SELECT name FROM main.span"
            " WHERE {0}) AND name NOT IN (SELECT name FROM temp.new_job) UNION ALL SELECT profile, who, told"
            " FROM temp.new_job WHERE name IN (SELECT name FROM temp.new_span WHERE {0})".format(
                "begun < %d AND first_day <= %d AND last_day >= %d" % (first, last, first)
            )
        )
        run("CREATE TEMP VIEW period_job AS %s UNION ALL SELECT profile, who, 1, told FROM temp.carried" % jobs)

    def value(self, sql, values=()):
        row = self.database.execute(sql, values).fetchone()
        return row[0] if row else None

    # ---- Rows that are newer than the file

    def state(self, name):
        return int(self.value("SELECT value FROM state WHERE name = ?", (name,)) or 0)

    def last(self, table):
        return int(self.ask("SELECT max(id) FROM " + table) or 0)

    def collect(self, update):
        done, loaded = self.state("last_run"), self.state("last_package")
        last, self.loaded = self.last("run"), max(loaded, self.last("run_package"))
        self.saved = done
        if update:
            self.saved = max(done, last - self.margin)
            self.loaded = max(loaded, self.loaded - self.margin)
        pending = [row[0] for row in self.database.execute("SELECT run_id FROM pending")]
        self.ended = self.which(pending, "AND is_start_only = 0")
        self.numbers = SummaryNumbers(self.database)
        # No run is 0. Of a single number MariaDB 10.11 makes a constant row, and the packages of such a row are NULL in a
        # statement with GROUP BY.
        listed = ", ".join(map(str, [0] + pending))
        parts = []
        of_nodes = "" if self.nodes is None else " AND run.node IN (%s)" % literals(self.nodes)
        which = of_nodes + (" AND is_start_only = 0" if update else "")
        if pending:
            parts.append(("run.id IN (%s)%s" % (listed, which), self.loaded, 1))
        first = max(done, int(self.ask("SELECT min(id) FROM run") or 0) - 1)
        end = self.saved if update else last
        for after in range(first, end, AT_ONCE):
            some = "run.id > %d AND run.id <= %d" % (after, min(after + AT_ONCE, end))
            parts.append((some + which, self.loaded, 1))
        if done and self.loaded > loaded:
            # runs in the file for which more packages were loaded
            where = (
                "run.id <= %d AND run.uuid IN (SELECT run_uuid FROM run_package WHERE"
                " id > %d AND id <= %d)" % (done, loaded, self.loaded)
            )
            if pending:
                where += " AND run.id NOT IN (%s)" % listed
            parts += [(where, loaded, -1), (where, self.loaded, 1)]
        self.usage, found, touched = {}, {}, set()
        self.read_runs(parts, found, touched)
        told = self.collect_divisions(update, touched, found)
        self.insert("usage", (at + tuple(sums) for at, sums in self.usage.items()))
        self.collect_jobs(found, told)
        self.running = []
        if not update and last:
            where = "(run.id > %d OR run.id IN (%s))%s" % (done, listed, of_nodes)
            for who, program, start, cores in gather.running(self.store, where, self.loaded, time.time()):
                self.running.append((self.numbers.who(who), self.numbers.program(program), start, cores))
            self.numbers.store()

    def which(self, runs, condition):
        if not runs:
            return []
        sql = "SELECT id FROM run WHERE id IN (%s) %s" % (", ".join(map(str, runs)), condition)
        return [row[0] for row in self.store.lookup(sql)]

    def read_runs(self, parts, found, touched):
        """`parts` are (condition on runs, last number of a package in a run, 1 to add or -1 to subtract). `found` and
        `touched` as for find_jobs(). Nothing is subtracted from jobs: what a job had with fewer packages is a part of
        what it has now."""
        for where, loaded, sign in parts:
            self.collect_usage(where, loaded, sign)
            if sign > 0:
                self.find_jobs(where, loaded, found, touched)

    def collect_usage(self, where, loaded, sign):
        for (day, who, program, *kind), sums in gather.usage(self.store, where, loaded):
            at = (day, self.numbers.who(who), self.numbers.program(program)) + tuple(kind)
            self.add_usage(at, sign, sums)

    def add_usage(self, at, sign, sums):
        """`sums` as in SUMS."""
        have = self.usage.get(at)
        if have is None:
            self.usage[at] = [sign * value for value in sums[:-2]] + list(sums[-2:])
            return
        for number, value in enumerate(sums[:-2]):
            have[number] += sign * value
        have[-2] = max(have[-2], sums[-2])
        if sums[-1] is not None and (have[-1] is None or sums[-1] > have[-1]):
            have[-1] = sums[-1]

    # ---- Jobs

    def find_jobs(self, where, loaded, found, touched):
        """Adds these runs' jobs to `found`, {name: [{(first day, last day)}, who, {program}]}, and to `touched`, {number
        in Slurm}."""
        for name, number, first, last, who, program in gather.jobs(self.store, where, loaded):
            self.add_job(found, name, first, last, self.numbers.who(who), self.numbers.program(program))
            if number is not None:
                touched.add(number)

    @staticmethod
    def add_job(found, name, first, last, who, program):
        job = found.setdefault(name, [set(), who, set()])
        job[0].add((first, last))
        if program:
            job[2].add(program)

    def collect_jobs(self, found, told):
        """`told`: those of them whose allocation is that of Slurm's accounting; of others the file may have it."""
        self.add_known_jobs(found, told)
        jobs, spans = [], []
        for name, (times, who, programs) in found.items():
            times = joined(times)
            begun = times[0][0]
            jobs.append((name, begun, who, self.numbers.profile(programs), int(name in told)))
            if times != [(begun, begun)]:
                spans += ((name, first, last, begun) for first, last in times)
        jobs += ((name, GONE, 0, self.numbers.profile(()), 0) for name in self.found_anew - found.keys())
        self.insert("job", jobs)
        self.insert("span", spans)

    def add_known_jobs(self, found, told):
        """Adds what the file has of jobs with newer rows."""
        if not self.value("SELECT 1 FROM main.job LIMIT 1"):
            return
        run = self.database.execute
        for name, job in found.items():
            row = run("SELECT day, who, profile, told FROM main.job WHERE name = ?", (name,)).fetchone()
            if row and name not in self.found_anew:
                job[0].add((row[0], row[0]))
                job[1] = self.owners.get(name, row[1])
                job[0].update(run("SELECT first_day, last_day FROM main.span WHERE name = ?", (name,)))
                job[2] |= self.numbers.members(row[2])
                if row[3]:
                    told.add(name)

    # ---- What allocations were divided into

    def collect_divisions(self, update, touched, found):
        """Divides the allocations of jobs anew whose rows have changed; of rows that came late with `update` alone.
        {names of those whose allocation is that of Slurm's accounting}"""
        newest = self.value("SELECT max(day) FROM main.division")
        since = 0 if update or newest is None else days.begin(newest - RECENT_DAYS)
        states = division.states(self.store, since)
        if self.nodes is not None:
            states = {number: states[number] for number in self.jobs_on_nodes() & states.keys()}
        have = self.known_states(None if update else states.keys() | touched)
        changed = {number for number, state in states.items() if have.get(number) != state} | touched
        given = (number for number in changed & have.keys() if states.get(number, have[number])[3] != have[number][3])
        self.find_anew(found, sorted(given), update)
        rows, signed, told, self.owners = {}, {}, set(), {}
        for number in sorted(changed & have.keys() if have else ()):
            for row in self.database.execute(
                "SELECT day, who, outcome, program, ending, p, tasks, runs, hours FROM main.job_part"
                " WHERE number = ?", (number,)):  # fmt: skip
                self.count_part(signed, -1, *row)
        for number, since, parts, is_told, who in division.divide(self.store, changed, self.loaded, self.nodes):
            for key, sums in parts.items():
                self.add_part(rows, found, number, since, key, sums)
            if who:
                name = gather.job_name(who[2], number, None, since)
                self.owners[name] = self.numbers.who(who)
                if is_told:
                    told.add(name)
        for (number, *key), sums in rows.items():
            self.count_part(signed, 1, *key, *sums)
        for name in self.owners.keys() & found.keys():
            found[name][1] = self.owners[name]
        self.insert("job_part", (at + tuple(sums) for at, sums in rows.items()))
        self.insert("division", (at + tuple(sums) for at, sums in signed.items()))
        self.insert("job_state", ((number,) + states.get(number, have.get(number, (0, 0.0, 0.0, 0))) for number in changed))
        return told

    def find_anew(self, found, numbers, update):
        """Finds all jobs of numbers that came again since their runs were added up: one of them may have had the days of several."""
        anew, self.found_anew = {}, set()
        for at in range(0, len(numbers), AT_ONCE):
            listed = ", ".join(map(str, numbers[at : at + AT_ONCE]))
            ended = "run.id <= %d AND is_start_only = 0 AND " % self.saved if update else ""
            self.find_jobs("%srun.job_id_raw IN (%s)" % (ended, listed), self.loaded, anew, set())
        for number in {name.rpartition("/")[0] for name in anew}:
            self.found_anew.update(row[0] for row in self.database.execute(
                "SELECT name FROM main.job WHERE name > ? AND name < ?", (number + "/", number + "0")))  # fmt: skip
        found.update(anew)

    def jobs_on_nodes(self):
        """{number in Slurm}"""
        sql = "SELECT DISTINCT job_id_raw FROM coverage WHERE node IN (%s)" % ", ".join("?" * len(self.nodes))
        return {row[0] for row in self.store.lookup(sql, sorted(self.nodes))}

    def known_states(self, wanted):
        """division.states() of these jobs as the file has them; None: of all"""
        if wanted is None:
            return {row[0]: row[1:] for row in self.database.execute("SELECT * FROM main.job_state")}
        found = {}
        for number in wanted:
            for row in self.database.execute("SELECT * FROM main.job_state WHERE number = ?", (number,)):
                found[number] = row[1:]
        return found

    def add_part(self, rows, found, number, since, key, sums):
        tasks, runs, seconds = sums
        if not (tasks or runs or seconds):
            return
        program = key.program
        if isinstance(program, str):
            program = self.numbers.path(program)
        elif program is not None:
            program = self.numbers.program(program)
        at = number, key.day, self.numbers.who(key.who), key.outcome, program or 0, key.ending or "", key.p
        have = rows.setdefault(at, [0, 0, 0.0])
        for place, value in enumerate((tasks, runs, seconds / 3600)):
            have[place] += value
        self.count_job(found, number, since, at[1:])

    def count_part(self, signed, sign, day, who, outcome, program, ending, p, tasks, runs, hours):
        shown = 0 if outcome in division.HAD_BY_PROGRAMS else program
        have = signed.setdefault((day, who, outcome, shown), [0, 0, 0.0])
        for place, value in enumerate((1, tasks, hours)):
            have[place] += sign * value
        if ending:
            self.add_usage((day, who, program, ending, gather.RECORDED, p), sign,
                           (1, 0, hours, hours * hours if p < 1 and hours > 0 else 0.0, 0.0, max(hours, 0.0), None)
                           )  # fmt: skip
        elif outcome == "sampled" and program:
            self.add_usage((day, who, program, "", gather.LEFT_OUT, 1.0), sign, (1, runs, hours, 0.0, 0.0, 0.0, None))

    def count_job(self, found, number, since, key):
        """A job is active on the days of its parts, and ran those programs of which they have the paths."""
        day, who, outcome, program = key[:4]
        name = gather.job_name(self.numbers.person(who)[2], number, None, since)
        seen = program if outcome in division.HAD_BY_PROGRAMS else 0
        self.add_job(found, name, day, day, who, seen)

    def insert(self, table, rows):
        marks = ", ".join("?" * len(TABLES[table].split(", ")))
        self.database.executemany("INSERT INTO temp.new_%s VALUES (%s)" % (table, marks), rows)
        self.numbers.store()

    # ---- Saving

    def save(self):
        run = self.database.execute
        changed = self.changed_months()
        for table in ("who", "package_set", "program", "profile_member"):
            run("INSERT INTO main.{0} SELECT * FROM temp.new_{0}".format(table))
        run("DELETE FROM main.job_part WHERE number IN (SELECT number FROM temp.new_job_state)")
        run("INSERT INTO main.job_part SELECT * FROM temp.new_job_part")
        run("DELETE FROM main.span WHERE name IN (SELECT name FROM temp.new_job)")
        run("INSERT INTO main.span SELECT * FROM temp.new_span")
        for table in ("job", "job_state"):
            run("INSERT OR REPLACE INTO main.{0} SELECT * FROM temp.new_{0}".format(table))
        run(
            "INSERT INTO main.division SELECT * FROM temp.new_division WHERE true"
            " ON CONFLICT (day, who, outcome, program) DO UPDATE SET %s"
            % ", ".join("{0} = {0} + excluded.{0}".format(name) for name in DIVIDED)
        )
        run("DELETE FROM main.division WHERE parts = 0")
        run(
            "INSERT INTO main.usage SELECT * FROM temp.new_usage WHERE true"
            " ON CONFLICT (day, who, program, outcome, basis, p) DO UPDATE SET %s,"
            " largest = max(largest, excluded.largest),"
            " last = coalesce(max(last, excluded.last), last, excluded.last)"
            % ", ".join("{0} = {0} + excluded.{0}".format(name) for name in ADDED)
        )
        run(
            "DELETE FROM main.usage WHERE parts = 0 AND (day, who, program, outcome, basis, p) IN"
            " (SELECT day, who, program, outcome, basis, p FROM temp.new_usage)"
        )
        run("DELETE FROM main.job WHERE day = %d" % GONE)
        self.save_months(changed)
        self.save_pending()
        run("INSERT OR REPLACE INTO state VALUES ('last_run', ?)", (str(self.saved),))
        run("INSERT OR REPLACE INTO state VALUES ('last_package', ?)", (str(self.loaded),))
        for table in TABLES:
            run("DELETE FROM temp.new_" + table)
        run("COMMIT")
        run("ANALYZE")

    def changed_months(self):
        """Months of new sums and jobs, and those from which jobs move to an earlier one."""
        return [
            row[0]
            for row in self.database.execute(
                "SELECT {0} FROM temp.new_usage UNION SELECT {0} FROM temp.new_job UNION"
                " SELECT {0} FROM temp.new_division UNION"
                " SELECT {0} FROM main.job WHERE name IN (SELECT name FROM temp.new_job)".format(MONTH)
            )
        ]

    def save_months(self, changed):
        run = self.database.execute
        for month in changed:
            first, last = days.of_month(month)
            run("DELETE FROM usage_month WHERE month = ?", (month,))
            run(
                "INSERT INTO usage_month SELECT ?, who, program, {0}, {1}"
                " FROM main.usage WHERE day BETWEEN ? AND ? GROUP BY who, program, {0}".format(KIND, SUMMED),
                (month, first, last),
            )
            run("DELETE FROM people_month WHERE month = ?", (month,))
            run(
                "INSERT INTO people_month SELECT month, who, {0}, {1}"
                " FROM usage_month WHERE month = ? GROUP BY who, {0}".format(KIND, SUMMED),
                (month,),
            )
            run("DELETE FROM division_month WHERE month = ?", (month,))
            run(
                "INSERT INTO division_month SELECT ?, who, outcome, program, %s FROM main.division"
                " WHERE day BETWEEN ? AND ? GROUP BY who, outcome, program"
                % ", ".join("sum(%s)" % name for name in DIVIDED),
                (month, first, last),
            )
            run("DELETE FROM job_month WHERE month = ?", (month,))
            run(
                "INSERT INTO job_month SELECT ?, profile, who, count(*), sum(told) FROM main.job"
                " WHERE day BETWEEN ? AND ? GROUP BY profile, who",
                (month, first, last),
            )

    def save_pending(self):
        done = self.state("last_run")
        still = self.store.lookup("SELECT id FROM run WHERE is_start_only = 1 AND id > %d AND id <= %d" % (done, self.saved))
        run = self.database.executemany
        run("DELETE FROM pending WHERE run_id = ?", ((number,) for number in self.ended))
        run("INSERT OR IGNORE INTO pending VALUES (?)", still)


def literals(names):
    """A list for IN, of names that options.nodes() has checked."""
    return ", ".join("'%s'" % name for name in sorted(names))


def joined(times):
    """[(first day, last day)] in order, with a gap between any two."""
    found = []
    for first, last in sorted(times):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found
