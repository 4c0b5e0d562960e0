# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums of the runs and of the coverage in the store, as summary.sql has them."""

from ..acct.state import recorded_state
from ..store import LEADER_OUTCOME, PACKAGE_OF_RUN
from . import days

# A record without Slurm's count of CPUs has XALT's: tasks, and the threads of each. num_cores is the
# larger one where mpirun has started the ranks: rank 0 then stands for those on other nodes as well.
CORES = (
    "CASE WHEN cpus_alloc IS NULL THEN coalesce(num_cores, 1) *"
    " CASE WHEN num_threads > 1 THEN num_threads ELSE 1 END"
    " WHEN num_cores > cpus_alloc THEN num_cores ELSE cpus_alloc END"
)
HOURS = "(coalesce(run_time, 0) * (%s) / 3600.0)" % CORES
# What may have to be added to them: run_time is the lower bound where nobody saw the end.
UNCERTAIN = "(uncertain_time * (%s) / 3600.0)" % CORES
P = "(CASE WHEN probability > 0 AND probability <= 1 THEN probability ELSE 1 END)"
PLACE = "substr(run.date, 1, 10), user, account, syshost, executable_id, object_set_id, build_id"
# Only rows that were loaded before: packages may be loaded long after the record of their run.
PACKAGES = (
    "(SELECT group_concat(package_id) FROM run_package WHERE "
    + PACKAGE_OF_RUN
    + " AND run_package.id <= {loaded}) AS packages"
)
ENDING = "is_start_only, `signal`, CASE WHEN exit_code > 0 THEN 1 ELSE exit_code END, end_source"

RUNS = (
    "SELECT {place}, {{packages}}, {ending}, count(*), sum(1.0 / {p}), sum((1.0 - {p}) / {p} / {p}),"
    " sum({hours}), sum({hours} / {p}), sum({hours} * {hours} * (1.0 - {p}) / {p} / {p}),"
    " sum({uncertain}), sum({uncertain} / {p}), max(start_time)"
    " FROM run WHERE ({{where}}) AND run.date IS NOT NULL"
    " GROUP BY {place}, packages, {ending}"
).format(place=PLACE, ending=ENDING, p=P, hours=HOURS, uncertain=UNCERTAIN)

JOBS = (
    "SELECT DISTINCT job_id_raw, job_id, " + PLACE + ", {packages}"
    " FROM run WHERE ({where}) AND run.date IS NOT NULL"
)


def outcome(*ending):
    """The state, with KILLED the signal's number too."""
    state = recorded_state(*ending)
    return "KILLED %d" % ending[1] if state == "KILLED" else state


def asked(sql, where, loaded):
    return sql.format(where=where, packages=PACKAGES.format(loaded=loaded))


def usage(store, where, loaded):
    """Yields ((day, user, account, syshost, executable, set, build, packages, outcome), sums) of the
    runs, with those of their packages that have been loaded up to that number."""
    _, rows = store.query(asked(RUNS, where, loaded))
    for row in rows:
        key = (days.of_text(str(row[0])),) + tuple(row[1:8]) + (outcome(*row[8:12]),)
        yield key, [float(value or 0) for value in row[12:20]] + [row[20]]


def job_name(syshost, raw, job):
    """None: of no job."""
    name = raw if raw is not None else job
    return None if name in (None, "", "unknown") else "%s/%s" % (syshost, name)


def jobs(store, where, loaded):
    """Yields (name of the job, day, (user, account, syshost), (executable, set, build, packages))."""
    _, rows = store.query(asked(JOBS, where, loaded))
    for raw, job, date, user, account, syshost, *program in rows:
        name = job_name(syshost, raw, job)
        if name is not None:
            yield name, days.of_text(str(date)), (user, account, syshost), program


HOUR = "round(start_time / 3600.0 - 0.5)"
FACTS = (
    "SELECT {hour}, count(*) FROM coverage WHERE start_time >= ? AND start_time IS NOT NULL"
    " GROUP BY {hour}"
).format(hour=HOUR)

COVERAGE = """
    SELECT hour, user, account, syshost, coalesce(leader_outcome, outcome) AS final,
           sum(tasks), sum(CASE WHEN outcome = 'uncertain' THEN 0 ELSE core_seconds END),
           sum(CASE WHEN outcome = 'uncertain' THEN core_seconds ELSE 0 END), count(*)
    FROM (SELECT {hour} AS hour, fact.user, fact.account, fact.syshost, fact.outcome, fact.tasks,
                 fact.core_seconds, {leader}
          FROM coverage AS fact
          WHERE fact.start_time >= ? AND fact.start_time < ?) AS resolved
    GROUP BY hour, user, account, syshost, final
""".format(hour=HOUR.replace("start_time", "fact.start_time"), leader=LEADER_OUTCOME.format("fact"))


def coverage_facts(store, since):
    """The number of facts of each day from that moment on."""
    counts = {}
    for hour, count in store.lookup(FACTS, (since,)):
        day = days.of_time(hour * 3600)
        counts[day] = counts.get(day, 0) + count
    return counts


def coverage(store, day):
    """{(user, account, syshost, outcome): [tasks, core hours, core hours that may be more, facts]} of a day."""
    found = {}
    period = days.begin(day), days.begin(day + 1)
    for _, user, account, syshost, result, tasks, seconds, uncertain, facts in store.lookup(COVERAGE, period):
        sums = found.setdefault((user, account, syshost, result), [0, 0.0, 0.0, 0])
        sums[0] += int(tasks)
        sums[1] += float(seconds or 0) / 3600
        sums[2] += float(uncertain or 0) / 3600
        sums[3] += int(facts)
    return found
