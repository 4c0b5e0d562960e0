# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report page of time in MPI: how much of their time programs spend there, and in which routines, by profiles of steps
(see profile_summary.py)."""

from .. import ranks
from ..report import days
from ..report.chosen import runs_of
from ..report.columns import BESIDE, COUNT, HOURS, SHARE, TEXT, Page, top
from ..store import again
from . import profile_summary

MPI_OF = ("executables", "routines")
# software is what the rows are by
UNFIT = ("exec", "lib", "module", "pkg")
AT_ONCE = 500
COLUMNS = ("id", "uuid", "cluster", "job_id_raw", "restart_count", "user", "step_id", "proven", "num_tasks", "leads", "executable_id", "core_seconds",
           "run_time", "num_cores", "again")  # fmt: skip
RUNS = (
    "SELECT " + ", ".join("run." + name for name in COLUMNS[:-1]) + ", " + again("run") + " FROM run WHERE {where} AND run.start_time >= ? AND run.start_time < ?"
    " AND run.num_tasks > 1 AND run.is_start_only = 0"
    " AND run.job_id_raw IN (SELECT profile.job_id_raw FROM profile WHERE profile.mpi_ranks > 0) ORDER BY run.id"
)
NOTE = (
    "Records of runs whose ranks counted their calls of MPI ([profile]), without weights. The share is of the time of these ranks, weighted by core hours; core hours"
    " in MPI are that share of the runs' core hours. Ranks and times are what the processes reported. Bounds: runs with calls that were not counted, ranks that are missing, or"
    " ranks that ran longer than is known; where a row has other runs, shares, hours in MPI and imbalance are of these alone. Imbalance: by how much the rank with the most time outside of MPI is above the mean; of several runs by the mean, weighted by core"
    " hours, of the share of this time that a mean rank lacks."
)
HEADS = {
    "executables": [("executable", "Executable", TEXT), ("mpi_share", "In MPI", SHARE)],
    "routines": [("executable", "Executable", TEXT), ("routine", "Routine", TEXT), ("mpi_share", "In it", SHARE)],
}
COUNTED = [
    ("mpi_core_hours", "CoreHrs in it", HOURS),
    ("core_hours", "CoreHrs", HOURS),
    ("inclusive_core_hours", "Inclusive", BESIDE),
    ("runs", "# Runs", COUNT),
    ("bounds", "# Bounds", COUNT),
    ("users", "# Users", COUNT),
]
MORE = {"executables": [("imbalance", "Imbalance", SHARE), ("routine", "Most in", TEXT), ("routine_share", "Its part", SHARE)], "routines": []}


class Row:
    """Sums of some runs. Parts of 1 are weighted by core hours, which users do not tell: times of ranks are their users' word. What has
    no upper end, as calls have not, is not added up: one run's word would be that of all. Bounds are added to bounds alone, and count where
    nothing else is known."""

    def __init__(self):
        self.hours = self.inclusive = 0.0
        self.runs = self.bounds = 0
        self.users = set()
        self.begin(is_bound=True)

    def begin(self, is_bound):
        self.is_bound = is_bound
        self.in_mpi = self.shares = self.weight = self.waits = self.imbalanced = 0.0
        self.routines = {}

    def add(self, run, mpi, seconds):
        weight = run["hours"] or run["inclusive"]
        self.hours, self.inclusive = self.hours + run["hours"], self.inclusive + run["inclusive"]
        self.runs, self.bounds = self.runs + 1, self.bounds + run["is_bound"]
        self.users.add(run["user"])
        if self.is_bound and not run["is_bound"]:
            self.begin(is_bound=False)
        if run["is_bound"] and not self.is_bound:
            return
        self.in_mpi += run["hours"] * seconds / mpi["elapsed"]
        self.shares, self.weight = self.shares + weight * seconds / mpi["elapsed"], self.weight + weight
        if mpi["imbalance"] is not None:
            self.waits, self.imbalanced = self.waits + weight * mpi["imbalance"] / (100 + mpi["imbalance"]), self.imbalanced + weight
        for one in mpi["routines"]:
            self.routines[one["routine"]] = self.routines.get(one["routine"], 0.0) + weight * one["seconds"] / mpi["elapsed"]

    def share(self):
        return self.shares / self.weight if self.weight else 0.0

    def cells(self):
        return [self.share(), self.in_mpi, self.hours, self.inclusive, self.runs, self.bounds, len(self.users - {None})]

    def more(self, of):
        if of == "routines":
            return []
        name, shares = max(sorted(self.routines.items()), key=lambda item: item[1], default=(None, None))
        return [
            self.waits / (self.imbalanced - self.waits) if self.imbalanced > self.waits else None,
            name, None if name is None or not self.weight else shares / self.weight,
        ]  # fmt: skip


def read(model, options):
    """(runs with their time in MPI, and their hours; of how many ranks cannot be distinguished from another one's, or no times are known)"""
    selection = runs_of(options)
    values = [*selection.values, days.begin(model.first), days.begin(model.last + 1)]
    runs = [dict(zip(COLUMNS, row)) for row in model.store.lookup(RUNS.format(where=selection.sql()), values)]
    found, left_out = [], 0
    for at in range(0, len(runs), AT_ONCE):
        some = runs[at : at + AT_ONCE]
        profiles, added = profile_summary.of_runs(model.store, some), ranks.added(model.store, some)
        for run in some:
            run["profile"] = profiles.get(run["id"])
            mpi = profile_summary.own_mpi(run)
            if mpi is None or mpi["share"] is None:
                left_out += bool(run["profile"] and run["profile"]["mpi"])
                continue
            add_hours(run, added.get(run["id"], 0.0))
            program = run["profile"]["mpi"]  # of which the imbalance is
            run["is_bound"] = program["missed"] > 0 or program["open"] or not mpi["is_whole"]
            found.append((run, mpi))
    return found, left_out


def add_hours(run, added):
    """Core hours: exclusive ones where they are known; else inclusive ones."""
    is_known = run["core_seconds"] is not None
    run["hours"] = (run["core_seconds"] + added) / 3600 if is_known else 0.0
    run["inclusive"] = 0.0 if is_known else (run["run_time"] or 0) * (run["num_cores"] or 0) / 3600


def gather(model, options, of):
    """({what a row is of: Row}, how many runs could not be distinguished)"""
    found, (runs, left_out) = {}, read(model, options)
    for run, mpi in runs:
        name = model.executable_name(run["executable_id"])
        if of == "executables":
            found.setdefault((name,), Row()).add(run, mpi, mpi["seconds"])
        for one in mpi["routines"] if of == "routines" else ():
            found.setdefault((name, model.text(one["routine"])), Row()).add(run, mpi, one["seconds"])
    return found, left_out


def mpi_page(model, options):
    of = options.of if options.of in MPI_OF else "executables"
    found, left_out = gather(model, options, of)
    items = sorted(found.items(), key=lambda item: (-item[1].in_mpi, -item[1].share(), item[0]))
    items, others = top(items, options)
    rows = [[*key, *row.cells(), *row.more(of)] for key, row in items]
    note = NOTE if found else "No step counted calls of MPI in this time. " + NOTE
    if left_out:
        note += " %d runs are not included: their ranks cannot be separated from other runs' ranks, or have no times." % left_out
    title = "Time in routines of MPI, by program" if of == "routines" else "Programs by their time in MPI"
    return Page("mpi", title, HEADS[of] + COUNTED + MORE[of], rows, note=note, left_out=others)
