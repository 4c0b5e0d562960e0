# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of runs and of jobs, the latest first: rows of the store, as many as are shown."""

from ... import slurm
from ...acct import amounts, details, ending, fields, runs
from ...acct import main as acct
from ...acct.select import JOB, Selection, ids, job_condition, select_day, select_place, select_software
from ...acct.state import recorded_state
from ...program import Failure
from ...report import days
from ...report.columns import COUNT, DATE, HOURS, TEXT, Page
from ...store import PACKAGE_OF_RUN, again
from ...times import format_elapsed, format_time
from .request import as_asked

WHOLE_MAX = 200000  # rows of CSV and JSON
FEW = 20000  # runs that are looked up one by one
VALUES = {name: value for name, _, value in fields.FIELDS}
RUN_COLUMNS = [
    ("job", "Job", TEXT, "JobID"),
    ("user", "User", TEXT, "User"),
    ("account", "Account", TEXT, "Account"),
    ("cluster", "Cluster", TEXT, "Cluster"),
    ("executable", "Executable", TEXT, "ExecPath"),
    ("state", "State", TEXT, "State"),
    ("exit_code", "Exit", TEXT, "ExitCode"),
    ("node", "Node", TEXT, "Node"),
    ("start", "Start", DATE, "Start"),
    ("elapsed", "Elapsed", DATE, "Elapsed"),
    ("core_hours", "CoreHrs", HOURS, None),
    ("run", "Run", TEXT, "UUID"),
]
# of a row of JOBS, and what says whose end it is
OF_JOB = ("job_id_raw", "job_id", "array_job_id", "array_task_id", "het_job_id", "het_offset", "cluster", "user", "account", "first", "last",
          "number", "used", "again", "nodes", "environment_id")  # fmt: skip
OF_END = ("job_id_raw", "cluster", "user", "account", "again")
EXECUTABLE = " LEFT JOIN executable ON executable.id = run.executable_id"
FOUND_IN = ("run.user", "run.account", "executable.path", "run.node", "run.job_id", "run.uuid")
RUNS_BY = {
    "job": "run.job_id_raw", "user": "run.user", "account": "run.account", "cluster": "run.cluster",
    "executable": "executable.path", "node": "run.node", "start": "run.start_time", "elapsed": "run.run_time",
    "core_hours": "run.core_seconds",
}  # fmt: skip
JOB_COLUMNS = [
    ("job", "Job", TEXT),
    ("name", "Name", TEXT),
    ("state", "State", TEXT),
    ("user", "User", TEXT),
    ("account", "Account", TEXT),
    ("cluster", "Cluster", TEXT),
    ("nodes", "# Nodes", COUNT),
    ("start", "First start", DATE),
    ("end", "Last end", DATE),
    ("elapsed", "Elapsed", DATE),
    ("runs", "# Records", COUNT),
    ("core_hours", "CoreHrs", HOURS),
]
JOBS = (
    "SELECT run.job_id_raw, run.job_id, run.array_job_id, run.array_task_id, run.het_job_id, run.het_offset, run.cluster,"
    " run.user, run.account, min(run.start_time) AS first, max(run.end_time) AS last, count(*) AS number,"
    " sum(run.core_seconds) AS used, " + again("run") + " AS again, max(run.num_nodes) AS nodes, min(run.environment_id) AS environment_id FROM run WHERE %s GROUP BY run.job_id_raw, run.job_id, run.array_job_id,"
    " run.array_task_id, run.het_job_id, run.het_offset, run.cluster, run.user, run.account, again ORDER BY %s LIMIT %d OFFSET %d"
)
ENDS = (
    "SELECT DISTINCT run.job_id_raw, run.cluster, run.user, run.account, %s, coalesce(run.restart_count, 0) AS restart, run.is_start_only,"
    " run.signal, run.exit_code, run.end_source, run.outlived FROM run WHERE %%s ORDER BY restart" % again("run")
)
JOBS_BY = {"job": "run.job_id_raw", "user": "run.user", "account": "run.account", "cluster": "run.cluster",
           "start": "first", "end": "last", "runs": "number", "core_hours": "used"}  # fmt: skip


class TooMany(Failure):
    """The rows are more than a page, or a file, of this kind has."""


class Wanted:
    """Arguments of acct's runs.read()."""

    def __init__(self, context, facts):
        self.now = context.now
        self.duplicates, self.divided, self.qos = True, facts, None
        self.packages = self.facts = self.names = facts
        self.doors = fields.DOORS if facts else []
        self.is_extra = False
        self.fitting = ()
        self.accounting = context.accounting


class Part:
    """Rows of a long table, as tables.Shown: `table` has those that are shown. How many there are in all is not counted,
    since that would take longer than to show them."""

    total = None

    def __init__(self, table, view, has_more, sorted_by):
        self.table, self.view, self.has_more, self.sorted_by = table, view, has_more, sorted_by
        self.rows = self.fitting = table.rows

    def can_sort(self, key):
        return key in self.sorted_by

    def counted(self):
        first = (self.view.page - 1) * self.view.rows + 1
        return "Rows {:,} to {:,}".format(first, first + len(self.rows) - 1) if self.rows else ""


def contains(text):
    """A value for LIKE ? ESCAPE '!'."""
    for special in "!%_":
        text = text.replace(special, "!" + special)
    return "%" + text + "%"


def select_find(selection, find, columns):
    if find:
        sql = " OR ".join("%s LIKE ? ESCAPE '!'" % column for column in columns)
        selection.add("(%s)" % sql, *[contains(find)] * len(columns))


def select_days(selection, model):
    """Runs that began on one of the days."""
    selection.add("run.start_time >= ?", days.begin(model.first))
    selection.add("run.start_time < ?", days.begin(model.last + 1))


def select_filters(selection, context, names):
    """The filters of these names, as jobtrail-acct has them."""
    arguments = ["--%s=%s" % (name, context.get(name)) for name in names]
    with as_asked():
        options = acct.parser(context.asker).parse_args(arguments)
        options.allusers, options.asker = True, context.asker.user
        select_place(selection, options)
        select_software(selection, options, context.store)


def select_programs(selection, model):
    """Runs of the programs that the model has chosen."""
    found = [model.programs()[number] for number in model.programs_wanted]
    selection.add("run.executable_id IN (%s)" % ids({program[0] for program in found if program[0] is not None}))
    selection.add("run.object_set_id IN (%s)" % ids({program[1] for program in found if program[1] is not None}))


def select_sets(selection, model):
    """Runs that load what these programs load."""
    found = [model.programs()[number] for number in model.programs_wanted]
    selection.add("run.object_set_id IN (%s)" % ids({program[1] for program in found if program[1] is not None}))


def select_packages(selection, store, name, program):
    found = store.lookup("SELECT id FROM package WHERE name = ? AND program = ?", (name, program))
    listed = ids(number for number, in found)
    of_runs = "SELECT run_uuid FROM run_package WHERE package_id IN (%s)" % listed
    (number,), = store.lookup("SELECT count(*) FROM (%s LIMIT %d) AS found" % (of_runs, FEW + 1))
    if number <= FEW:  # of more, the latest are found sooner from the latest runs on
        selection.add("run.uuid IN (%s)" % of_runs)
    selection.add("EXISTS (SELECT 1 FROM run_package WHERE %s AND package_id IN (%s))" % (PACKAGE_OF_RUN, listed))


def select_owner(selection, context):
    """On which cluster, whose, and which attempt of a job that was requeued: as far as the address says so."""
    for name, column in (("cluster", "run.cluster"), ("owner", "run.user"), ("restart", "coalesce(run.restart_count, 0)")):
        if context.get(name):
            selection.add(column + " = ?", int(context.get(name)) if name == "restart" else context.get(name))


def select_job(selection, text, context):
    sql, values = job_condition(text)
    selection.add(sql, *values)
    select_owner(selection, context)


def select_numbers(selection, numbers, text, context):
    """Facts of the jobs of these numbers, which their table has an index for. `text`: what was asked for."""
    selection.add("run.job_id_raw IN (%s)" % ids(numbers))
    if JOB.match(text)["step"]:
        selection.add("run.step_id = ?", JOB.match(text)["step"])
    select_day(selection, text)
    select_owner(selection, context)


def order_of(sort, columns, default):
    """SQL of ORDER BY, of a column's key with - before it or without; nothing of what was asked for is in it."""
    column = columns.get(sort.lstrip("-"))
    return default if column is None else column + (" DESC" if sort.startswith("-") else " ASC")


def span(view, whole):
    """(LIMIT, OFFSET): a row more than is shown tells whether others follow."""
    return (WHOLE_MAX + 1, 0) if whole else (view.rows + 1, (view.page - 1) * view.rows)


def cut(rows, view, whole):
    limit = WHOLE_MAX if whole else view.rows
    if whole and len(rows) > limit:
        raise TooMany("There are more than {:,} rows. Ask for a shorter period.".format(WHOLE_MAX))
    return rows[:limit], len(rows) > limit


def run_table(context, selection, view, whole):
    """Part of the selected runs."""
    select_find(selection, view.find, FOUND_IN)
    order = order_of(view.sort, RUNS_BY, "run.start_time DESC") + ", run.id"
    # a table that is joined, and of which no column is read, is refused to users who see a part of the store
    join = EXECUTABLE if view.find or "executable" in order else ""
    limits = " ORDER BY %s LIMIT %d OFFSET %d" % ((order,) + span(view, whole))
    rows = context.store.lookup("SELECT run.id FROM run" + join + " WHERE " + selection.sql() + limits, selection.values)
    numbers, more = cut([number for number, in rows], view, whole)
    found = {run["id"]: run for run in read(context, numbers)}
    rows = [row_of(found[number]) for number in numbers if number in found]
    table = Page("runs", "Runs", [column[:3] for column in RUN_COLUMNS], rows)
    return Part(table, view, more, RUNS_BY)


def read(context, numbers, facts=False):
    """Runs of these ids, as acct's runs.read() has them."""
    for at in range(0, len(numbers), runs.AT_ONCE):
        selection = Selection()
        selection.add("run.id IN (%s)" % ids(numbers[at : at + runs.AT_ONCE]))
        yield from runs.read(context.store, selection, Wanted(context, facts))


def row_of(run):
    seconds = run["core_seconds"]
    hours = None if seconds is None else seconds / 3600
    return [hours if field is None else VALUES[field](run) for _, _, _, field in RUN_COLUMNS]


def job_table(context, selection, view, whole):
    """Part of the jobs of the selected runs."""
    selection.add("run.job_id_raw IS NOT NULL")
    select_find(selection, view.find, ("run.user", "run.account", "run.cluster", "run.job_id"))
    order = order_of(view.sort, JOBS_BY, "first DESC") + ", run.job_id_raw"
    sql = JOBS % ((selection.sql(), order) + span(view, whole))
    rows, more = cut(context.store.lookup(sql, selection.values), view, whole)
    jobs = [dict(zip(OF_JOB, row), step_id=None) for row in rows]
    days_of = runs.days_of(context.store, {(job["job_id_raw"], job["cluster"], job["again"]): job["first"] for job in jobs})
    rows = []
    for at in range(0, len(jobs), runs.AT_ONCE):
        some = jobs[at : at + runs.AT_ONCE]
        add_ends(context, selection, some)
        for job in some:
            job["job_day"] = days_of.get((job["job_id_raw"], job["cluster"], job["again"]))
            rows.append(job_row(job))
    return Part(Page("jobs", "Jobs", JOB_COLUMNS, rows), view, more, JOBS_BY)


def add_ends(context, selection, jobs):
    """`name`, `row`: Slurm's of their last start, and `state`, Slurm's or that of their runs. No `state` where sacct takes long."""
    ends, some = {}, Selection()
    some.add(selection.sql(), *selection.values)
    some.add("run.job_id_raw IN (%s)" % ids({job["job_id_raw"] for job in jobs}))
    for *job, restart, started, number, code, source, outlived in context.store.lookup(ENDS % some.sql(), some.values):
        word = "OUTLIVED" if outlived else recorded_state(started, number, code, source)
        known, words = ends.get(tuple(job), (restart, []))
        ends[tuple(job)] = restart, (words if known == restart else []) + [word]
    names = details.variable(context.store, jobs, runs.JOB_NAME)
    accounting = context.accounting
    is_slow = accounting is not None and accounting.seconds > slurm.EXTRA_SECONDS
    if accounting and not is_slow:
        accounting.prefetch(jobs)
    for job in jobs:
        at = dict(job, start_time=job["first"] if job["last"] is None else job["last"])
        job["row"] = row = accounting.of(at, step=False) if accounting and not is_slow else None
        words = [{"state": word, "exit": None} for word in ends.get(tuple(job[name] for name in OF_END), (0, []))[1]]
        job["state"] = None if is_slow else ending.state_of(words, row)[0]
        job["name"] = row["JobName"] if row else names.get(job["environment_id"])


def job_row(job):
    """Of a row of JOBS with what add_ends() adds."""
    row, first, last = job["row"], job["first"], job["last"]
    hours = None if job["used"] is None else float(job["used"]) / 3600
    nodes = amounts.whole(amounts.resources(row["AllocTRES"]).get("node")) if row else job["nodes"]
    elapsed = amounts.seconds(row["Elapsed"]) if row else None if None in (first, last) else last - first
    return [
        str(fields.job_id(job)), job["name"], job["state"], job["user"], job["account"], job["cluster"], nodes, format_time(first),
        format_time(last), format_elapsed(elapsed), job["number"], hours,
    ]  # fmt: skip
