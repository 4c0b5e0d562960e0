# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of what programs used of what they were given: processor time and memory, as the kernel told of each run."""

from . import days
from .changes_page import runs_of
from .columns import COUNT, HOURS, SHARE, TEXT, Page, top

MIB = 1048576
# software is what the rows are by
UNFIT = ("exec", "lib", "module", "pkg")
NOTE = (
    "Runs that the kernel's witness measured, which are records that are there, without weights; of the others nothing is told"
    " here. Processor time and bytes are those of the run's own process with its threads, and of processes that it forked and"
    " that executed nothing; runs of which there may have been more such processes are counted as least ones. Each thread's"
    " last tick may be missing. Given is run time times the CPUs of a task. Memory is that of the largest of these processes"
    " at its peak; its share is of the memory that a task has of its step, where Slurm bounds that."
)
COLUMNS = [
    ("executable", "Executable", TEXT),
    ("measured_runs", "# Measured", COUNT),
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
IS_GIVEN = "run.user_cpu IS NOT NULL AND run.cpus_alloc > 0 AND run.num_tasks > 0 AND run.run_time > 0"
MEMORY = "CASE WHEN run.forked_max_rss > run.max_rss THEN run.forked_max_rss ELSE run.max_rss END"
SHARE_OF_MEMORY = (
    "CASE WHEN run.mem_alloc > 0 AND run.num_tasks > 0 AND run.num_nodes > 0"
    " THEN 1.0 * (" + MEMORY + ") * run.num_tasks / run.num_nodes / run.mem_alloc END"
)
# of a process of several programs the last run has the numbers
SELECT = (
    "SELECT run.executable_id, count(run.user_cpu), count(*),"
    " sum(CASE WHEN run.user_cpu IS NOT NULL AND (run.forked IS NULL OR run.forked_least <> 0) THEN 1 ELSE 0 END),"
    " sum(CASE WHEN {0} THEN 1.0 * run.run_time * run.cpus_alloc / run.num_tasks ELSE 0 END),"
    " sum(CASE WHEN {0} THEN run.user_cpu + run.system_cpu + coalesce(run.forked_cpu, 0) ELSE 0 END),"
    " sum({3}), max({3}), count({1}), sum({1}), max({1}),"
    " sum(run.disk_read + coalesce(run.forked_read, 0)), sum(run.disk_write + coalesce(run.forked_write, 0))"
    " FROM run WHERE {2} AND run.start_time >= ? AND run.start_time < ? AND run.is_start_only = 0"
    " AND run.job_id_raw IS NOT NULL AND (run.end_source IS NULL OR run.end_source <> 'exec') GROUP BY run.executable_id"
)
LARGEST = (6, 9)  # of these columns behind the executable


class Used:
    """Sums of the columns of SELECT behind the executable."""

    def __init__(self):
        self.values = [0.0] * 12

    def add(self, values):
        for at, value in enumerate(values):
            known = float(value or 0)
            self.values[at] = max(self.values[at], known) if at in LARGEST else self.values[at] + known

    def cells(self):
        measured, runs, least, given, used, memory, largest, bounded, shares, largest_share, read, written = self.values
        return [
            int(measured), int(runs - measured), int(least), given / 3600, used / 3600, used / given if given else None,
            round(memory / measured / MIB), round(largest / MIB), int(bounded), shares / bounded if bounded else None,
            largest_share if bounded else None, read / MIB / 1024, written / MIB / 1024,
        ]  # fmt: skip


def efficiency_page(model, options):
    selection = runs_of(options)
    period = [days.begin(model.first), days.begin(model.last + 1)]
    sql = SELECT.format(IS_GIVEN, SHARE_OF_MEMORY, selection.sql(), MEMORY)
    found = {}
    for executable, *values in model.store.lookup(sql, tuple(selection.values + period)):
        found.setdefault(model.executable_name(executable), Used()).add(values)
    rows = [[name] + used.cells() for name, used in found.items() if used.values[0] > 0]
    rows.sort(key=lambda row: (row[5] - row[4], row[0]))
    rows, left_out = top(rows, options)
    note = NOTE if rows else "No run of this time was measured: no kernel's witness listened. " + NOTE
    return Page("efficiency", "What programs used of what they were given, the most unused time first", COLUMNS, rows,
                note=note, left_out=left_out)  # fmt: skip
