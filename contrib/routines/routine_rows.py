# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --routines: the routines of designated libraries that runs called, one row each."""

import argparse
import itertools

from .. import glob
from ..acct import fields
from ..acct.select import parts_of
from ..acct.selected import selected_runs
from ..hints import tell
from ..times import format_time
from . import run_routines
from .select_door import ROUTINE_NAMED

DEFAULT = "JobID,Exec,Library,Version,Routine%-20,FirstCall,Calls"
# options that can be used with it
GOES_WITH = {
    "account", "allusers", "built_by", "built_by_others", "changed", "cluster", "compiler", "container",
    "csv", "cwd", "delimiter", "duplicates", "endtime", "env", "exec", "format", "function", "gpus", "hash",
    "helpformat", "jobs", "json", "lib", "module", "name", "ncpus", "nnodes", "no_sacct", "node", "noheader", "ntasks",
    "parsable", "partition", "pkg", "qos", "routine", "routines", "sort", "starttime", "states", "store",
    "top", "user", "uuid",
}  # fmt: skip
# of runs, that have what rows need
COLUMNS = [field for field in fields.FIELDS if field[0] == "State"]


def calls_text(row):
    """>=7 where there may have been more."""
    return row["calls"] and fields.bounded(row["calls"], ">=" if row["calls_at_least"] else "")


def column(name):
    return lambda row: row[name]


FIELDS = [
    ("BuildID", 40, column("build_id")),
    ("Calls", 10, calls_text),
    ("Cluster", 10, column("cluster")),
    ("Exec", 20, column("exec")),
    ("ExecPath", 40, column("exec_path")),
    ("FirstCall", 19, lambda row: format_time(row["first_call"])),
    ("JobID", -16, column("job")),
    ("JobIDRaw", -16, column("job_raw")),
    ("Library", 15, column("library")),
    ("LibraryPath", 40, column("library_path")),
    ("Missed", 6, column("missed")),
    ("Module", 20, column("library_module")),
    ("Node", 15, column("node")),
    ("Proven", 6, lambda row: "yes" if row["proven"] else "no"),
    ("Routine", 20, column("routine")),
    ("Start", 19, lambda row: format_time(row["start_time"])),
    ("State", 10, column("state")),
    ("Step", 11, column("step_id")),
    ("Task", 6, column("task_id")),
    ("Unnamed", 7, column("unnamed")),
    ("User", 9, column("user")),
    ("UUID", 36, column("uuid")),
    ("Version", 12, column("library_version")),
]
SORTED_BY = {"FirstCall": column("first_call"), "Start": column("start_time"), "Calls": column("calls")}


def rows_of(run):
    """Those of a run whose routines are known."""
    shared = {name: run[name] for name in ("uuid", "job", "user", "cluster", "node", "task_id", "exec_path", "start_time", "state")}
    shared.update(
        job_raw=fields.job_id(run, raw=True),
        step_id=fields.known(run["step_id"] or ""),
        exec=fields.executables(run),
        proven=bool(run["proven"]),
        missed=run["routines"]["missed"],
        unnamed=run["routines"]["unnamed"],
    )
    return [dict(shared, **called) for called in run["routines"]["called"]]


class Seen:
    """What is said of runs whose list says less than it could."""

    def __init__(self):
        self.runs = self.known = self.incomplete = self.unnamed = 0

    def add(self, run):
        self.runs += 1
        self.known += run["routines"] is not None
        self.incomplete += bool(run["routines"] and run["routines"]["missed"] and run["routines"]["called"])
        self.unnamed += bool(run["routines"] and run["routines"]["unnamed"])

    def tell(self):
        if self.incomplete:
            tell("not all calls of %s were watched (Missed): there may be more" % self.part(self.incomplete))
        if self.unnamed:
            tell("not all routines of %s have names (Unnamed): the store takes a bounded number of new ones from a user" % self.part(self.unnamed))
        if self.runs > self.known:
            tell("%s loaded no library that [routines] designates: their routines are not known" % self.part(self.runs - self.known))

    def part(self, number):
        return "%d of %d run%s" % (number, self.runs, "" if self.runs == 1 else "s")


def wanted_routines(options):
    """SQL for those that --routine names, and its values; else for all."""
    patterns = [glob.whole(part) for text in options.routine or () for part in parts_of(text)]
    return "(%s)" % (" OR ".join([ROUTINE_NAMED] * len(patterns)) or "1 = 1"), patterns


def read(store, options, now):
    """Of each routine that a selected run called, in the order of the first calls."""
    of_runs = argparse.Namespace(**dict(vars(options), sort=None, format=None, json=False))
    which, values = wanted_routines(options)
    runs, seen = iter(selected_runs(store, of_runs, COLUMNS, now)), Seen()
    while True:
        some = list(itertools.islice(runs, run_routines.AT_ONCE))
        if not some:
            break
        found = run_routines.read(store, some, which, values)
        for run in some:
            run["routines"] = found.get(run["id"])
            seen.add(run)
            yield from rows_of(run) if run["routines"] else ()
    seen.tell()
