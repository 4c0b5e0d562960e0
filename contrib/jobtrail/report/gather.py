# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums of the runs in the store, as summary.sql has them."""

from ..acct.state import recorded_state
from ..store import PACKAGE_OF_RUN, again
from . import days

# What a sum is made of: records with exclusive core time, and tasks that follow their run; runs that sampling left
# out, of which number and core time are known; records without exclusive core time (XALT's, and older ones).
RECORDED, LEFT_OUT, INCLUSIVE = range(3)

# A record without Slurm's count of CPUs has XALT's: tasks, and the threads of each. num_cores is the
# larger one where mpirun has started the ranks: rank 0 then stands for those on other nodes as well.
CORES = (
    "CASE WHEN cpus_alloc IS NULL THEN coalesce(num_cores, 1) *"
    " CASE WHEN num_threads > 1 THEN num_threads ELSE 1 END"
    " WHEN num_cores > cpus_alloc THEN num_cores ELSE cpus_alloc END"
)
# Of an exclusive one that lies on several days `run_day` has the hours.
HOURS = (
    "(CASE WHEN core_seconds IS NULL THEN coalesce(run_time, 0) * (%s)"
    " WHEN core_day IS NULL THEN 0 ELSE core_seconds END / 3600.0)" % CORES
)
UNCERTAIN = "(CASE WHEN core_seconds_max > core_seconds THEN core_seconds_max - core_seconds ELSE 0 END / 3600.0)"
BASIS = "CASE WHEN core_seconds IS NULL THEN %d ELSE %d END" % (INCLUSIVE, RECORDED)
P = "CASE WHEN probability > 0 AND probability <= 1 THEN probability ELSE 1 END"
# XALT's records have the partition as the queue.
PARTITION = "CASE WHEN coalesce(run.partition, '') IN ('', 'unknown') THEN run.queue ELSE run.partition END"
PEOPLE = "user, account, syshost, " + PARTITION
# the last one: whether the set lacks libraries that were loaded; NULL: not known
PROGRAM = "executable_id, object_set_id, build_id, unlisted > 0"
DATE = "substr(run.date, 1, 10)"
# Only rows that were loaded before: packages may be loaded long after the record of their run.
PACKAGES = (
    "(SELECT group_concat(package_id) FROM run_package WHERE "
    + PACKAGE_OF_RUN
    + " AND run_package.id <= {loaded}) AS packages"
)
ENDING = "is_start_only, `signal`, CASE WHEN exit_code > 0 THEN 1 ELSE exit_code END, end_source"

RUNS = (
    "SELECT {date}, {people}, {program}, {{packages}}, {ending}, {basis} AS basis, {p} AS p, core_day,"
    " count(*), sum({hours}), sum({hours} * {hours}), max({hours}), sum({uncertain}), max(start_time)"
    " FROM run WHERE ({{where}}) AND run.date IS NOT NULL"
    " GROUP BY {date}, {people}, {program}, packages, {ending}, basis, p, core_day"
).format(date=DATE, people=PEOPLE, program=PROGRAM, ending=ENDING, basis=BASIS, p=P, hours=HOURS,
         uncertain=UNCERTAIN)  # fmt: skip

# Each day has its part of the square of the run's hours. So a sum of some of the days is never less than the square of
# their hours.
RUN_DAYS = (
    "SELECT run_day.day, {people}, {program}, {{packages}}, {ending}, {p} AS p, count(*),"
    " sum(run_day.core_seconds / 3600.0),"
    " sum(CASE WHEN probability < 1 THEN run_day.core_seconds * run.core_seconds ELSE 0 END / 12960000.0),"
    " max(run_day.core_seconds / 3600.0)"
    " FROM run_day JOIN run ON run.id = run_day.run_id WHERE ({{where}}) AND run.date IS NOT NULL"
    " GROUP BY run_day.day, {people}, {program}, packages, {ending}, p"
).format(people=PEOPLE, program=PROGRAM, ending=ENDING, p=P)

JOBS = (
    "SELECT job_id_raw, job_id, {again} AS again, {date}, {people}, {program}, {{packages}}, max(end_time)"
    " FROM run WHERE ({{where}}) AND run.date IS NOT NULL"
    " GROUP BY job_id_raw, job_id, again, {date}, {people}, {program}, packages"
).format(again=again("run"), date=DATE, people=PEOPLE, program=PROGRAM)

RUNNING = (
    "SELECT {people}, {program}, {{packages}}, start_time, {cores}, job_id_raw, cluster, restart_count, {again}, node, proven"
    " FROM run WHERE ({{where}}) AND is_start_only = 1 AND start_time > 0"
).format(people=PEOPLE, program=PROGRAM, cores=CORES, again=again("run"))


def outcome(*ending):
    """The state, with KILLED the signal's number too."""
    state = recorded_state(*ending)
    return "KILLED %d" % ending[1] if state == "KILLED" else state


def asked(sql, where, loaded):
    return sql.format(where=where, packages=PACKAGES.format(loaded=loaded))


def numbers(values):
    return [float(value or 0) for value in values]


def usage(store, where, loaded):
    """Yields ((day, (user, account, syshost, partition), (executable, set, build, lacks, packages), outcome, basis, p), (parts, n,
    hours, squares, uncertain, largest, last)) of the runs, with those of their packages that have been loaded up
    to that number."""
    _, rows = store.query(asked(RUNS, where, loaded))
    for row in rows:
        key = row[1:5], row[5:10], outcome(*row[10:14]), row[14], float(row[15])
        count, hours, squares, largest, uncertain = numbers(row[17:22])
        day = days.of_text(str(row[0]))
        if row[16] is None or row[16] == day:
            yield (day,) + key, (count, count, hours, squares, uncertain, largest, row[22])
        else:
            yield (day,) + key, (count, count, 0.0, 0.0, uncertain, 0.0, row[22])
            yield (row[16],) + key, (count, 0.0, hours, squares, 0.0, largest, None)
    _, rows = store.query(asked(RUN_DAYS, where, loaded))
    for row in rows:
        key = row[0], row[1:5], row[5:10], outcome(*row[10:14]), RECORDED, float(row[14])
        count, hours, squares, largest = numbers(row[15:19])
        yield key, (count, 0.0, hours, squares, 0.0, largest, None)


def job_name(syshost, raw, job, since):
    """`since`: again(). None: of no job."""
    name = raw if raw is not None else job
    return None if name in (None, "", "unknown") else "%s/%s/%s" % (syshost, name, since)


def jobs(store, where, loaded):
    """Yields (name of the job, its number in Slurm, first day, last day, (user, account, syshost, partition),
    (executable, set, build, lacks, packages))."""
    _, rows = store.query(asked(JOBS, where, loaded))
    for raw, job, since, date, *rest in rows:
        who, program, end = tuple(rest[:4]), tuple(rest[4:9]), rest[9]
        name = job_name(who[2], raw, job, since)
        if name is not None:
            first = days.of_text(str(date))
            yield name, raw, first, max(first, days.of_time(end)) if end else first, who, program


# Without a word of Slurm a run is taken to go on for so long: its node may have been lost with its records.
RUNNING_DAYS = 60


def running(store, where, loaded, now):
    """[((user, account, syshost, partition), (executable, set, build, lacks, packages), start, cores)] of runs that go on: their node
    has sent no facts of their job that are as well proven, and Slurm does not say that it ended."""
    rows = store.lookup(asked(RUNNING, where, loaded))
    found = {row[11] for row in rows if row[11] is not None}
    listed = ", ".join(map(str, sorted(found))) or "NULL"
    flushed = dict(
        (row[:5], row[5])
        for row in store.lookup(
            "SELECT job_id_raw, cluster, restart_count, %s AS again, node, max(proven) FROM coverage WHERE job_id_raw IN (%s)"
            " GROUP BY job_id_raw, cluster, restart_count, again, node" % (again("coverage", "job_start"), listed)
        )
    )
    told = store.lookup(
        "SELECT job_id_raw, cluster, restart_count, %s, end_time FROM slurm_job WHERE job_id_raw IN (%s)"
        % (again("slurm_job"), listed)
    )
    ended = {row[:4]: row[4] is not None for row in told}
    return [
        (row[:4], row[4:9], float(row[9]), float(row[10]))
        for row in rows
        if flushed.get(row[11:16], -1) < row[16] and not ended.get(row[11:15], row[9] < now - RUNNING_DAYS * 86400)
    ]
