# SPDX-License-Identifier: LGPL-2.1-or-later
"""What became of tasks that another task's record stands for: rows of the table `coverage` with the outcomes
`follower` and `launcher`. A node's flush does not have the other nodes' records, the store has them all.

A follower's time is the leader's run's, if that run leads, or if ranks records say that all tasks of the step ran its
program, which had nine tenths or more of the leader's programs' time. Else, if the leader's task is recorded, the time is
`assumed`: what the follower ran is not known. Otherwise it has the leader's own outcome.
The time of a launcher on another node is that of the runs of the job with several tasks that overlap it,
in equal parts, as it has started their ranks.
"""

import bisect
import collections
import itertools

from . import extensions
from .store import again

AT_ONCE = 500
DEFERRED = ("follower", "launcher")
# outcomes of which the time is a program's; all others, but for those two, are unseen
PROGRAMS = ("recorded", "static", "sampled")
NOT_UNSEEN = ("uncertain", "idle")
# what resolved() needs of a row
NEEDED = ("outcome", "cluster", "job_id_raw", "restart_count", "proven", "step_id", "leader", "start_time",
          "end_time", "core_seconds", "again")  # fmt: skip

JOB = "coalesce(cluster, ''), job_id_raw, coalesce(restart_count, 0), "
OF_FACT = again("coverage", "job_start")
LEADING = "SELECT {job}, step_id, task_id, proven, {{run}} FROM run WHERE {{where}} AND leads = 1".format(job=JOB + again("run"))
SEVERAL = (
    "SELECT {job}, start_time, coalesce(end_time_max, end_time), proven, {{run}} FROM run"
    " WHERE {{where}} AND num_tasks > 1 AND is_start_only = 0"
    " ORDER BY start_time"
).format(job=JOB + again("run"))
LEADERS = (
    "SELECT {job}, step_id, leader, proven, outcome FROM coverage"
    " WHERE {{where}} AND leader IS NOT NULL AND outcome NOT IN ('follower', 'uncertain')"
    " ORDER BY tasks = 0, first_task <> leader, first_task, day"
).format(job=JOB + OF_FACT)
RAN = (
    "SELECT {job}, step_id, task_id, proven, core_seconds, (SELECT path FROM executable WHERE executable.id = run.executable_id),"
    " {{run}} FROM run WHERE {{where}} AND core_seconds > 0"
).format(job=JOB + again("run"))
LEADING_SHARE = 0.9  # as in submit/facts/division_had.c
FACTS = (
    "SELECT " + ", ".join(NEEDED[:-1] + (OF_FACT,)) + " FROM coverage WHERE {where} AND outcome IN ('follower', 'launcher')"
)


def job_of(row):
    return row["cluster"] or "", row["job_id_raw"], row["restart_count"] or 0, row["again"]


def step_of(row):
    """Whose step it is, and which."""
    return (*job_of(row), row["user"] or "", row["step_id"] or "")


def of_jobs(jobs):
    return "job_id_raw IN (%s)" % ", ".join("?" * len(jobs))


def part_of(outcome):
    """One of "programs", "uncertain", "idle", "unseen", for an outcome as resolved() yields it."""
    if outcome in NOT_UNSEEN:
        return outcome
    return "programs" if outcome in PROGRAMS else "unseen"


class Intervals:
    """Values with a start and an end. All are added in the order of their starts, before any is looked for."""

    def __init__(self):
        self.starts, self.ends, self.values, self.last = [], [], [], []

    def add(self, start, end, value):
        self.starts.append(start)
        self.ends.append(end)
        self.values.append(value)
        self.last.append(max(end, self.last[-1]) if self.last else end)

    def overlapping(self, start, end):
        at = bisect.bisect_left(self.starts, end)
        while at > 0 and self.last[at - 1] > start:
            at -= 1
            if self.ends[at] > start:
                yield self.values[at]


NO_INTERVALS = Intervals()


class Jobs:
    """Runs and leaders of some jobs. Rows that are proven are resolved by such, and those that are not by the others:
    neither has anything of the other."""

    def __init__(self, store, facts, run):
        self.leading, self.several, self.leaders, self.shares, self.ran, self.alike = {}, {}, {}, {}, {}, {}
        self.load(store, facts, "follower", LEADING, run, self.add_leading)
        led = {(at, proven) for at, runs in self.leading.items() for proven, _ in runs}
        unled = [fact for fact in facts if ((job_of(fact), fact["step_id"], fact["leader"]), fact["proven"]) not in led]
        if extensions.is_here("witness"):
            jobs = {fact["job_id_raw"] for fact in unled if fact["outcome"] == "follower"} - {None}
            self.alike = extensions.question("coverage_door", "programs_of_all")(store, jobs)
        alike = {at[1] for at in self.alike}
        self.load(store, [fact for fact in unled if fact["job_id_raw"] in alike], "follower", RAN, run, self.add_ran)
        self.load(store, facts, "follower", LEADERS, run, self.add_leader)
        self.load(store, facts, "launcher", SEVERAL, run, self.add_several)

    @staticmethod
    def load(store, facts, outcome, sql, run, add):
        jobs = {fact["job_id_raw"] for fact in facts if fact["outcome"] == outcome} - {None}
        if jobs:
            for row in store.lookup(sql.format(where=of_jobs(jobs), run=run), sorted(jobs)):
                add(tuple(row[:4]), *row[4:])

    def add_leading(self, job, step, task, proven, *run):
        self.leading.setdefault((job, step, task), []).append((proven, run))

    def add_leader(self, job, step, leader, proven, outcome):
        self.leaders.setdefault((job, step, leader), []).append((proven, outcome))

    def add_several(self, job, start, end, proven, *run):
        if start is not None and end is not None:
            self.several.setdefault((job, proven), Intervals()).add(start, end, run)

    def add_ran(self, job, step, task, proven, seconds, path, *run):
        is_of = self.alike.get((*job, step, bool(proven)))
        if is_of is not None:
            mine = self.ran.setdefault((job, step, task, proven), ([0.0], collections.Counter()))
            mine[0][0] += seconds
            mine[1][run] += seconds if is_of(path) else 0.0

    def of_alike(self, leader, proven):
        """Of programs in the leader's task that all tasks of the step ran, {run: its share}."""
        whole, runs = self.ran.get((*leader, proven), ([0.0], {}))
        of_it = sum(runs.values())
        is_it = of_it > 0 and of_it >= LEADING_SHARE * whole[0]
        return {run: seconds / of_it for run, seconds in runs.items() if seconds} if is_it else {}

    def of_follower(self, fact):
        leader = job_of(fact), fact["step_id"], fact["leader"]
        for proven, run in self.leading.get(leader, ()):
            if proven == fact["proven"]:
                return "recorded", {run: 1.0}
        alike = self.of_alike(leader, fact["proven"])
        if alike:
            return "recorded", alike
        for proven, outcome in self.leaders.get(leader, ()):
            if proven == fact["proven"]:
                return "assumed" if outcome in ("recorded", "launch") else outcome, {}
        return "follower", {}

    def of_launcher(self, fact):
        at = (job_of(fact), fact["proven"]), fact["start_time"], fact["end_time"]
        if at not in self.shares:
            several = self.several.get(at[0], NO_INTERVALS)
            self.shares = {at: shares_of(several.overlapping(*at[1:]))}  # rows of one time stand together
        shares = self.shares[at]
        return ("recorded", shares) if shares else ("launcher", {})


def shares_of(runs):
    """Of equal runs, which may be many, one stands for all."""
    counts = collections.Counter(runs)
    whole = sum(counts.values())
    return {run: count / whole for run, count in counts.items()}


def resolved(store, facts, run="id"):
    """Yields (fact, outcome, runs) for each of the facts, dicts with NEEDED at least: the outcome that it has
    in the end, and {run: its share} of those that have its time, as tuples of these columns of `run`. There are
    no runs where the flush has counted the time already, or where nothing is known of it."""
    facts = iter(facts)
    while True:
        batch = list(itertools.islice(facts, AT_ONCE))
        if not batch:
            return
        jobs = Jobs(store, batch, run)
        for fact in batch:
            if fact["outcome"] == "follower":
                yield (fact,) + jobs.of_follower(fact)
            elif fact["outcome"] == "launcher":
                yield (fact,) + jobs.of_launcher(fact)
            else:
                yield fact, fact["outcome"], {}


def added(store, runs):
    """{id: core seconds} that tasks of other nodes add to these runs, dicts of the columns of `run`."""
    jobs = sorted({run["job_id_raw"] for run in runs if run["leads"] or (run["num_tasks"] or 0) > 1} - {None})
    found = {}
    for at in range(0, len(jobs), AT_ONCE):
        some = jobs[at : at + AT_ONCE]
        rows = store.lookup(FACTS.format(where=of_jobs(some)), some)
        facts = [dict(zip(NEEDED, row)) for row in rows]
        for fact, _, of in resolved(store, facts):
            for (number,), share in of.items():
                found[number] = found.get(number, 0.0) + (fact["core_seconds"] or 0.0) * share
    return found
