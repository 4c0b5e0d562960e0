# SPDX-License-Identifier: LGPL-2.1-or-later
"""Divides what Slurm allocated to jobs: programs + uncertain + unseen + idle = allocation, by day.

The nodes' coverage records have been divided so already (jobtrail-record(5)). Here the parts of a job's nodes
come together: tasks that follow a task of another node get its run or its outcome, launchers' time goes to the
ranks, and the sum is compared with Slurm's accounting.
"""

import collections
import functools

from .. import ranks
from ..ranks import PROGRAMS
from ..store import again
from . import days
from .gather import ENDING, P, PACKAGES, PEOPLE, PROGRAM, outcome

UNCERTAIN, IDLE = "uncertain", "idle"
NO_RECORD, ASSUMED = "no_record", "assumed"
# of programs, of whose node or job nobody tells the allocation
NOT_ALLOCATED = "not_allocated"
HAD_BY_PROGRAMS = PROGRAMS + (NOT_ALLOCATED,)
# In the place of programs that were sampled out and found no room for a stub.
OTHERS = "(others)"

# `program` is None, a path, or (executable, set, build, packages) of the run that stands for these tasks. Then
# `ending` is how that run ended and `p` its probability; else they are None and 1.
Key = collections.namedtuple("Key", "day who outcome program ending p")

JOB = "job_id_raw, coalesce(cluster, ''), coalesce(restart_count, 0)"

# Rows without a day are of records that do not divide the allocation.
COVERAGE = (
    "SELECT {job}, {again}, cluster, job_id_raw, restart_count, proven, user, account, syshost, coverage.partition, node, day, outcome, program, step_id, leader,"
    " tasks, runs, core_seconds, start_time, end_time, others_runs FROM coverage"
    " WHERE {{where}} AND day IS NOT NULL"
).format(job=JOB, again=again("coverage", "job_start"))
AGAIN = ", %s AS again, proven" % again("run")
OWN = (
    "SELECT {job}{again}, {people}, node, core_day, sum(core_seconds) FROM run"
    " WHERE {{where}} AND core_day IS NOT NULL AND core_seconds > 0 GROUP BY {job}, again, proven, {people}, node, core_day"
).format(job=JOB, again=AGAIN, people=PEOPLE)
OWN_DAYS = (
    "SELECT {job}{again}, {people}, node, run_day.day, sum(run_day.core_seconds)"
    " FROM run_day JOIN run ON run.id = run_day.run_id WHERE {{where}} GROUP BY {job}, again, proven, {people}, node, run_day.day"
).format(job=JOB, again=AGAIN, people=PEOPLE)
RUN = "{program}, {{packages}}, {ending}, {p}".format(program=PROGRAM, ending=ENDING, p=P)
# The same by program.
OF_PROGRAM = "{people}, {{day}} AS day, {program}, {{{{packages}}}}, {ending}, {p} AS p, sum({{seconds}})".format(
    people=PEOPLE, program=PROGRAM, ending=ENDING, p=P
)
BY_PROGRAM = " GROUP BY {job}, again, proven, {people}, day, {program}, packages, {ending}, p".format(
    job=JOB, people=PEOPLE, program=PROGRAM, ending=ENDING
)
OWN_OF_PROGRAMS = (
    "SELECT " + JOB + AGAIN + ", " + OF_PROGRAM.format(day="core_day", seconds="core_seconds")
    + " FROM run WHERE {where} AND core_day IS NOT NULL AND core_seconds > 0" + BY_PROGRAM,
    "SELECT " + JOB + AGAIN + ", " + OF_PROGRAM.format(day="run_day.day", seconds="run_day.core_seconds")
    + " FROM run_day JOIN run ON run.id = run_day.run_id WHERE {where}" + BY_PROGRAM.replace(" day", " run_day.day"),
)  # fmt: skip
SLURM = (
    "SELECT {job}, {again}, user, account, slurm_job.partition, start_time, end_time, nodes, core_seconds FROM slurm_job"
    " WHERE {{where}} AND end_time > 0"
).format(job=JOB, again=again("slurm_job"))

Fact = collections.namedtuple(
    "Fact",
    "again cluster job_id_raw restart_count proven user account syshost partition node day outcome program step_id leader tasks runs"
    " core_seconds start_time end_time others_runs",
)
Run = collections.namedtuple("Run", "program ending p")
Allocation = collections.namedtuple("Allocation", "user account partition start end nodes seconds")


@functools.lru_cache(maxsize=4096)
def run_of(values):
    """`values`: the program's five, the ending's four, the probability."""
    return Run(tuple(values[:5]), outcome(*values[5:9]), float(values[9]))


@functools.lru_cache(maxsize=4096)
def day_of(text):
    return days.of_text(text)


class Parts(dict):
    """{Key: [tasks, runs, core seconds]}"""

    def add(self, key, tasks, runs, seconds):
        sums = self.setdefault(key, [0, 0, 0.0])
        sums[0] += tasks
        sums[1] += runs
        sums[2] += seconds

    def add_fact(self, fact, result, share=1.0, run=None, program=None):
        """A share of it."""
        who = fact.user, fact.account, fact.syshost, fact.partition
        if run:
            key = Key(day_of(fact.day), who, result, run.program, run.ending, run.p)
        else:
            key = Key(day_of(fact.day), who, result, program, None, 1.0)
        runs = int(fact.runs or 0) if result == "sampled" else 0
        self.add(key, int(fact.tasks) * share, runs, float(fact.core_seconds or 0) * share)


class Records:
    """What records say of a job: its facts, core seconds of its runs, and what facts with another outcome in the
    end are divided into."""

    def __init__(self):
        self.facts, self.own, self.resolved = [], {}, Parts()
        self.has_runs = False  # with core seconds, on any node

    def __bool__(self):
        return bool(self.facts or self.has_runs)

    def add_own(self, at, seconds):
        self.own[at] = self.own.get(at, 0.0) + seconds

    def add(self, other):
        self.facts += other.facts
        self.has_runs = self.has_runs or other.has_runs
        for at, seconds in other.own.items():
            self.add_own(at, seconds)
        for key, sums in other.resolved.items():
            self.resolved.add(key, *sums)


class Job:
    """What the store has of a job, with one number of restarts."""

    def __init__(self):
        self.proven, self.unproven, self.slurm = Records(), collections.defaultdict(Records), []

    def records(self, proven, user):
        return self.proven if proven else self.unproven[user]

    def divisions(self, *options):
        """Anybody can name any job in a record that is not proven. So proven records are the job's, and if there are
        none those that name the user whose job it is in Slurm's accounting. Each other user's stand
        apart: only their runs' own core time counts."""
        records, is_proven = self.proven, bool(self.proven)
        users = {row.user for row in self.slurm} - {""}
        if self.slurm and not users and len(self.unproven) == 1:
            users = set(self.unproven)  # sacct's host does not have the user's name
        for user in () if is_proven else users & self.unproven.keys():
            records.add(self.unproven.pop(user))
        if records or self.slurm:
            yield Division(records, self.slurm, is_proven, False, *options)
        is_apart = bool(records or self.slurm)
        for _, records in sorted(self.unproven.items(), key=lambda item: item[0] or ""):
            if is_apart:  # what they tell of the allocation is not believed
                records.facts, records.resolved = [], Parts()
            if records:
                yield Division(records, [], False, is_apart, *options)


class Division:
    """The parts of one job; `users`: whose it is; `is_apart`: records claim it, and do not count in the job's own;
    `cut`: the share that programs have less than the nodes say."""

    def __init__(self, records, slurm, is_proven, is_apart, syshost, is_chosen=None, nodes=None):
        """`syshost`: of the job's cluster, for a job of which Slurm alone knows. `is_chosen`: of a fact, if not the
        whole job is wanted. `nodes`: names of those that are wanted with what their runs have beside; None: all. With
        either, Slurm's accounting, which has no nodes or steps, is not compared with."""
        if nodes is not None:
            records.facts = [fact for fact in records.facts if fact.node in nodes]
        self.records, self.slurm, self.is_proven, self.is_apart = records, slurm, is_proven, is_apart
        self.cut = 0.0
        self.users = {fact.user for fact in records.facts} | {who[0] for who, _ in records.own}
        self.users.update(row.user for row in slurm)
        self.parts = Parts()
        self.add = self.parts.add
        for fact in records.facts:
            if fact.outcome not in ranks.DEFERRED and (is_chosen is None or is_chosen(fact)):
                # the records of these name their programs
                is_named = fact.outcome not in ("recorded", "static", UNCERTAIN, IDLE)
                self.parts.add_fact(fact, fact.outcome, program=fact.program if is_named else None)
        for key, sums in records.resolved.items():
            self.add(key, *sums)
        if is_chosen is not None:
            return
        self.add_others()
        self.who = self.find_who(syshost)
        self.add_own()
        if slurm and nodes is None:
            self.compare_with_slurm()

    # ---- Facts of the nodes

    def add_others(self):
        """Each node tells their number in all its facts."""
        found = {}
        for fact in self.records.facts:
            if fact.others_runs:
                at = fact.node, (fact.user, fact.account, fact.syshost, fact.partition)
                day, count = found.get(at, (fact.day, 0))
                found[at] = min(day, fact.day), max(count, fact.others_runs)
        for (_, who), (day, count) in found.items():
            self.add(Key(day_of(day), who, "sampled", OTHERS, None, 1.0), 0, count, 0.0)

    # ---- Whose it is, and runs of nodes of which there is no coverage record

    def find_who(self, syshost):
        """Slurm's accounting knows best."""
        people = [key.who for key in self.parts] + [who for who, _ in self.records.own]
        host = people[0][2] if people else syshost
        for row in self.slurm:
            if row.user:
                return row.user, row.account, host, row.partition
        return people[0] if people else ("", "", host, "")

    def add_own(self):
        known = {}
        for key, sums in self.parts.items():
            if key.outcome in ("recorded", "static") and key.program is None:
                known[key.day] = known.get(key.day, 0.0) + sums[2]
        for (who, day), seconds in sorted(self.records.own.items(), key=lambda item: item[0][1]):
            seen = min(known.get(day, 0.0), seconds)
            known[day] = known.get(day, 0.0) - seen
            if seconds - seen > 1e-3:
                result = "recorded" if self.slurm else NOT_ALLOCATED
                self.add(Key(day, who, result, None, None, 1.0), 0, 0, seconds - seen)

    # ---- Slurm's accounting

    def compare_with_slurm(self):
        """Slurm's allocation is spread over the job's time, suspensions too, as it does not say when these were. What
        the nodes know of days remains: a difference goes to those days that have less, or more, than in Slurm."""
        wanted = {}
        for row in self.slurm:
            for day, part in split(row.start, row.end):
                wanted[day] = wanted.get(day, 0.0) + part * row.seconds
        have = dict.fromkeys(wanted, 0.0)
        for key, sums in self.parts.items():
            have[key.day] = have.get(key.day, 0.0) + sums[2]
        difference = sum(row.seconds for row in self.slurm) - sum(have.values())
        less = {day: wanted.get(day, 0.0) - seconds for day, seconds in have.items()}
        if difference > 0:
            self.add_missing(difference, {day: value for day, value in less.items() if value > 0})
        else:
            self.take(-difference, sorted(less, key=lambda day: (less[day], day)))

    def add_missing(self, difference, less):
        """What Slurm gave to nodes that sent no coverage record is `no_record`: they died, or it has not come yet. Each
        node is taken to have the same part."""
        heard = len({fact.node for fact in self.records.facts})
        nodes = max(max(row.nodes for row in self.slurm), 1)
        missing = sum(row.seconds for row in self.slurm) * max(nodes - heard, 0) / nodes
        missing = min(missing, difference) if heard else difference
        whole = sum(less.values())
        for result, seconds in ((NO_RECORD, missing), (IDLE, difference - missing)):
            for day, value in less.items() if seconds > 0 else ():
                self.add(Key(day, self.who, result, None, None, 1.0), 0, 0, seconds * value / whole)

    def take(self, surplus, order):
        """From what is uncertain, then idle, then unseen; of days in this order. The rest comes after Slurm's end of
        the job, when what was to be killed still ran, or from a suspension that no node has seen: programs have less
        by the same share."""
        place = {day: at for at, day in enumerate(order)}
        rank = {UNCERTAIN: 0, IDLE: 1}
        keys = [key for key in self.parts if key.outcome not in HAD_BY_PROGRAMS]
        keys.sort(key=lambda key: (rank.get(key.outcome, 2), place[key.day], key.outcome, key.program or ""))
        for key in keys:
            part = min(self.parts[key][2], surplus)
            self.parts[key][2] -= part
            surplus -= part
        programs = [sums for key, sums in self.parts.items() if key.outcome in HAD_BY_PROGRAMS]
        whole = sum(sums[2] for sums in programs)
        self.cut = min(surplus / whole, 1.0) if surplus > 1e-6 and whole > 0 else 0.0
        for sums in programs:
            sums[2] -= sums[2] * self.cut

    def cut_runs(self, who, day, run, seconds):
        """The sums by program are made of the runs' records. These parts, which are nothing together, take from them
        what the job's programs have less."""
        part = seconds * self.cut
        self.add(Key(day, who, "recorded", run.program, run.ending, run.p), 0, 0, -part)
        self.add(Key(day, who, "recorded", None, None, 1.0), 0, 0, part)


def split(start, end):
    """[(day, part of the time)]"""
    first, last = days.of_time(start), days.of_time(end)
    if end <= start:
        return [(first, 1.0)]
    found = []
    for day in range(first, last + 1):
        begin, until = max(start, days.begin(day)), min(end, days.begin(day + 1))
        if until > begin:
            found.append((day, (until - begin) / (end - start)))
    return found


# ---- Reading


def by_job(rows):
    for row in rows:
        yield (row[1], int(row[0]), int(row[2]), row[3]), row[4:]


def read_facts(store, where, loaded, jobs, chosen, nodes):
    deferred = []
    for at, row in by_job(store.lookup(COVERAGE.format(where=where))):
        fact = Fact._make((at[3], *row))
        jobs[at].records(fact.proven, fact.user).facts.append(fact)
        if nodes is not None and fact.node not in nodes:
            continue
        if fact.outcome in ranks.DEFERRED and (chosen is None or (at, fact.node, fact.step_id) in chosen):
            deferred.append(fact._asdict())
    run = RUN.format(packages=PACKAGES.format(loaded=loaded))
    for values, result, runs in ranks.resolved(store, deferred, run):
        fact = Fact(**values)
        at = fact.cluster or "", int(fact.job_id_raw), int(fact.restart_count or 0), fact.again
        parts = jobs[at].records(fact.proven, fact.user).resolved
        for columns, share in runs.items():
            parts.add_fact(fact, result, share, run_of(columns))
        if not runs:
            parts.add_fact(fact, result, program=fact.program)


def read_own(store, where, jobs, nodes):
    for sql in (OWN, OWN_DAYS):
        for at, row in by_job(store.lookup(sql.format(where=where))):
            who = tuple(row[1:5])
            records = jobs[at].records(row[0], who[0])
            records.has_runs = True
            if nodes is None or row[5] in nodes:
                records.add_own((who, int(row[6])), float(row[7]))


def cut_runs(store, made, loaded):
    """`made`: [(job, Division)]"""
    cut = collections.defaultdict(list)
    for at, division in made:
        if division.cut:
            cut[at].append(division)
    for sql in OWN_OF_PROGRAMS if cut else ():
        asked = sql.format(where=among({at[1] for at in cut}), packages=PACKAGES.format(loaded=loaded))
        for at, row in by_job(store.lookup(asked)):
            who, day = tuple(row[1:5]), int(row[5])
            for division in cut.get(at, ()):
                if bool(row[0]) == division.is_proven and (who, day) in division.records.own:
                    division.cut_runs(who, day, run_of(row[6:16]), float(row[16]))


def read_slurm(store, where, jobs):
    for at, row in by_job(store.lookup(SLURM.format(where=where))):
        user, account, partition, start, end, nodes, seconds = row
        if seconds is not None and start:
            jobs[at].slurm.append(Allocation(user, account, partition, float(start), float(end), int(nodes), float(seconds)))


def among(found):
    return "job_id_raw IN (%s)" % ", ".join(map(str, sorted(found)))


SYSHOSTS = "SELECT cluster, min(syshost), max(syshost) FROM job_part WHERE cluster IS NOT NULL GROUP BY cluster"
PROVEN_SYSHOSTS = "SELECT cluster, min(syshost) FROM coverage WHERE proven = 1 AND cluster IS NOT NULL GROUP BY cluster"


def syshosts(store):
    """{cluster: syshost}; records that are not proven count only where no other does."""
    rows = store.lookup(SYSHOSTS)
    found = {cluster: host for cluster, host, _ in rows}
    if any(host != last for _, host, last in rows):
        found.update(store.lookup(PROVEN_SYSHOSTS))
    return found


AT_ONCE = 2000


def divisions(store, found, loaded, chosen=None, nodes=None):
    """Yields ((cluster, number, restarts, again()), Division) of the jobs with these numbers in Slurm, those apart after the
    job's own. `chosen`: {(job as here, node, step)} of the facts that are wanted; None: all, and what Slurm's
    accounting has beside them. `nodes`: names of those that are wanted; None: all."""
    found = sorted(found)
    hosts = syshosts(store) if found else {}
    for begin in range(0, len(found), AT_ONCE):
        some = found[begin : begin + AT_ONCE]
        jobs = collections.defaultdict(Job)
        where = among(some)
        read_facts(store, where, loaded, jobs, chosen, nodes)
        read_slurm(store, where, jobs)
        read_own(store, where, jobs, nodes)
        made = []
        for at in sorted(jobs):
            is_chosen = None if chosen is None else lambda fact, job=at: (job, fact.node, fact.step_id) in chosen
            made += ((at, division) for division in jobs[at].divisions(hosts.get(at[0], at[0]), is_chosen, nodes))
        cut_runs(store, made, loaded)
        yield from made


def divide(store, found, loaded, nodes):
    """Yields (number, again(), {Key: [tasks, runs, core seconds]}, whether their sum is that of Slurm's accounting, whose job it
    is as (user, account, syshost, partition), None: of records that stand apart) of the jobs with these numbers in
    Slurm; of a number that several clusters or restarts have more than once. `nodes` as for divisions()."""
    for at, division in divisions(store, found, loaded, None, nodes):
        yield at[1], at[3], division.parts, bool(division.slurm) and nodes is None, None if division.is_apart else division.who


FACTS = "SELECT job_id_raw, count(*) FROM coverage WHERE {where} AND job_id_raw IS NOT NULL GROUP BY job_id_raw"
SLURMS = (
    "SELECT job_id_raw, sum(core_seconds), sum(end_time) FROM slurm_job WHERE {where} AND job_id_raw IS NOT NULL"
    " GROUP BY job_id_raw"
)
GIVEN = "SELECT job_id_raw, count(*) FROM job_again WHERE {where} GROUP BY job_id_raw"


def states(store, since):
    """{number: (facts, core seconds and ends in Slurm's accounting, how often it came again)}: what changes with a job's rows. Of jobs with
    rows from that moment on; since 0: of all jobs."""
    where = "1 = 1"
    if since:
        # without DISTINCT, for which SQLite would read the whole index of the other column
        found = {row[0] for row in store.lookup("SELECT job_id_raw FROM coverage WHERE start_time >= ?", (since,))}
        found |= {row[0] for row in store.lookup("SELECT job_id_raw FROM slurm_job WHERE end_time >= ?", (since,))}
        found.discard(None)
        if not found:
            return {}
        where = among(found)
    known = {number: (int(count), 0.0, 0.0, 0) for number, count in store.lookup(FACTS.format(where=where))}
    for number, seconds, ends in store.lookup(SLURMS.format(where=where)):
        known[number] = known.get(number, (0,))[0], float(seconds or 0), float(ends or 0), 0
    for number, count in store.lookup(GIVEN.format(where=where)):
        known[number] = *known.get(number, (0, 0.0, 0.0))[:3], int(count)
    return known
