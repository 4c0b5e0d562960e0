# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report page of what programs used of what they were given: processor time and memory, as measured by the kernel."""

from ..report import days
from ..report.chosen import runs_of
from ..report.columns import COUNT, HOURS, SHARE, TEXT, Page, top
from ..store import again
from . import rank_summary

MIB = 1048576
# software is what the rows are by
UNFIT = ("exec", "lib", "module", "pkg")
NOTE = (
    "Records of runs that the kernel witness measured, without weights. Given is run time times the CPUs of a task, for each rank."
    " Used is CPU time of the run's process, and of processes that it forked and that executed nothing; of several tasks, of all"
    " measured ranks and of what the first one forked. The last tick of a thread may be missing. Runs that may have used more have"
    " a bound. A process that executed several programs is not measured: its use cannot be divided. Memory is the peak of the"
    " largest process, and the mean of all ranks; its share is of the memory that a task has of its step, where Slurm limits it."
    " Bytes are those of the first rank."
)
COLUMNS = [
    ("executable", "Executable", TEXT),
    ("measured_runs", "# Measured", COUNT),
    ("ranks", "# Ranks", COUNT),
    ("other_runs", "# Others", COUNT),
    ("least_runs", "# Least", COUNT),
    ("given_cpu_hours", "Given CPU hrs", HOURS),
    ("used_cpu_hours", "Used CPU hrs", HOURS),
    ("cpu_share", "CPU used", SHARE),
    ("mean_memory_mib", "Mean MiB", COUNT),
    ("largest_memory_mib", "Largest MiB", COUNT),
    ("bounded_runs", "# With a bound", COUNT),
    ("mean_memory_share", "Mean of it", SHARE),
    ("largest_memory_share", "Largest of it", SHARE),
    ("read_gib", "Read GiB", HOURS),
    ("written_gib", "Written GiB", HOURS),
]
IS_MEASURED = "run.user_cpu IS NOT NULL AND earlier.pid IS NULL"
IS_GIVEN = IS_MEASURED + " AND run.cpus_alloc > 0 AND run.num_tasks > 0 AND run.run_time > 0"
MEMORY = "CASE WHEN run.forked_max_rss > run.max_rss THEN run.forked_max_rss ELSE run.max_rss END"
# of the step's memory, what a task has
SHARE_OF_MEMORY = (
    "CASE WHEN run.mem_alloc > 0 AND run.num_tasks > 0 AND run.num_nodes > 0"
    " THEN 1.0 * (" + MEMORY + ") * run.num_tasks / run.num_nodes / run.mem_alloc END"
)
IS_OF_RANKS = (
    "run.num_tasks > 1 AND EXISTS (SELECT 1 FROM ranks WHERE ranks.job_id_raw = run.job_id_raw AND ranks.step_id = run.step_id"
    " AND ranks.owner = run.owner AND ranks.measured > 0)"
)


def measured(what):
    return "CASE WHEN " + IS_MEASURED + " THEN " + what + " END"


# of a process of several programs the last run has the numbers of all
NUMBERS = (
    "count({measured}), count({measured}), count(*),"
    " sum(CASE WHEN {is_measured} AND (run.forked IS NULL OR run.forked_least <> 0) THEN 1 ELSE 0 END),"
    " sum(CASE WHEN {is_given} THEN 1.0 * run.run_time * run.cpus_alloc / run.num_tasks ELSE 0 END),"
    " sum(CASE WHEN {is_given} THEN run.user_cpu + run.system_cpu + coalesce(run.forked_cpu, 0) ELSE 0 END),"
    " sum({memory}), max({memory}), count({share}), sum({share}), max({share}), sum({read}), sum({written})"
).format(
    measured=measured("1"), is_measured=IS_MEASURED, is_given=IS_GIVEN, memory=measured(MEMORY), share=measured(SHARE_OF_MEMORY),
    read=measured("run.disk_read + coalesce(run.forked_read, 0)"),
    written=measured("run.disk_write + coalesce(run.forked_write, 0)"),
)  # fmt: skip
FROM = (
    " FROM run LEFT JOIN (SELECT DISTINCT run.owner, run.pid, " + again("run") + " AS since FROM run WHERE run.end_source = 'exec'"
    " AND run.pid IS NOT NULL) AS earlier ON earlier.owner = run.owner AND earlier.pid = run.pid AND earlier.since = " + again("run")
)
WHERE = (
    " WHERE {where} AND run.start_time >= ? AND run.start_time < ? AND run.is_start_only = 0"
    " AND run.job_id_raw IS NOT NULL AND (run.end_source IS NULL OR run.end_source <> 'exec') AND "
)
OF_ALL = "SELECT run.executable_id, " + NUMBERS + FROM + WHERE + "NOT (" + IS_OF_RANKS + ") GROUP BY run.executable_id"
# what rank_summary wants of a run, and what is given to each task
RUN = ("executable_id", "id", "cluster", "job_id_raw", "restart_count", "user", "step_id", "proven", "num_tasks", "num_nodes", "cpus_alloc",
       "mem_alloc", "forked", "forked_cpu")  # fmt: skip
OF_RANKS = (
    "SELECT " + ", ".join("run." + name for name in RUN) + ", " + again("run") + " AS again, executable.path, " + NUMBERS + FROM
    + " JOIN executable ON executable.id = run.executable_id" + WHERE + IS_OF_RANKS
    + " GROUP BY " + ", ".join("run." + name for name in RUN) + ", again, executable.path"
)  # fmt: skip
LARGEST = (7, 10)  # of NUMBERS
AT_ONCE = 500


class Used:
    """Sums of NUMBERS."""

    def __init__(self):
        self.values = [0.0] * 13

    def add(self, values):
        for at, value in enumerate(values):
            known = float(value or 0)
            self.values[at] = max(self.values[at], known) if at in LARGEST else self.values[at] + known

    def cells(self):
        measured, ranks, runs, least, given, used, memory, largest, bounded, shares, most, read, written = self.values
        return [
            int(measured), int(ranks), int(runs - measured), int(least),
            given / 3600, used / 3600, used / given if given else None,
            round(memory / measured / MIB), round(largest / MIB), int(bounded), shares / bounded if bounded else None,
            most if bounded else None, read / MIB / 1024, written / MIB / 1024,
        ]  # fmt: skip


def of_all_ranks(run, values, summary):
    """NUMBERS of a run, with its ranks' in place of the first one's. `summary`: as rank_summary.of_runs() has it."""
    measured, _, runs, least, _, _, _, largest, bounded, _, _, read, written = values
    count = summary["measured"]
    if not measured or not run["cpus_alloc"] or None in (summary["elapsed_mean"], summary["cpu_mean"], summary["memory_mean"]):
        return values
    is_all = count == summary["ranks"] == summary["timed"] and not summary["unseen"]
    is_whole = is_all and summary["nodes"] == summary["step_nodes"]
    mean, most = summary["memory_mean"], max(summary["memory_max"], largest or 0)
    of_task = run["mem_alloc"] * run["num_nodes"] / run["num_tasks"] if bounded else None
    return [
        1, count, runs, 1 if least or not is_whole or run["forked"] else 0,
        summary["elapsed_mean"] * count * run["cpus_alloc"] / run["num_tasks"],
        summary["cpu_mean"] * count + (run["forked_cpu"] or 0), mean, most,
        bounded, mean / of_task if bounded else None, most / of_task if bounded else None, read, written,
    ]  # fmt: skip


def parallel(model, where, values):
    """(executable, NUMBERS) of each run whose step has ranks."""
    width = len(RUN) + 2
    rows = model.store.lookup(OF_RANKS.format(where=where), values)
    for at in range(0, len(rows), AT_ONCE):
        some = rows[at : at + AT_ONCE]
        runs = [dict(zip(RUN + ("again", "exec_path"), row)) for row in some]
        summaries = rank_summary.of_runs(model.store, runs)
        for run, row in zip(runs, some):
            summary = summaries.get(run["id"])
            yield run["executable_id"], row[width:] if summary is None else of_all_ranks(run, row[width:], summary)


def efficiency_page(model, options):
    selection = runs_of(options)
    values = [*selection.values, days.begin(model.first), days.begin(model.last + 1)]
    found = {}
    for executable, *numbers in model.store.lookup(OF_ALL.format(where=selection.sql()), values):
        found.setdefault(model.executable_name(executable), Used()).add(numbers)
    for executable, numbers in parallel(model, selection.sql(), values):
        found.setdefault(model.executable_name(executable), Used()).add(numbers)
    rows = [[name] + used.cells() for name, used in found.items() if used.values[0] > 0]
    rows.sort(key=lambda row: (row[6] - row[5], row[0]))
    rows, left_out = top(rows, options)
    note = NOTE if rows else "A kernel witness has measured none of these runs. " + NOTE
    return Page("efficiency", "What programs used of what they were given, the most unused time first", COLUMNS, rows,
                note=note, left_out=left_out)  # fmt: skip
