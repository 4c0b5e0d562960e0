# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiles of programs: each node reports its own files (profile records, see jobtrail-record-profile(5)), of each
executable of each MPI program that is in them, and here they are added up, over nodes, steps and components of a
heterogeneous job: mpirun may have started a program's ranks in two steps, and srun in two components. Where the files are
is root's word; what is in them, and so whose they are and the time in MPI, is what the job's processes claim of themselves.
"""

import itertools
import re

from ..pattern import Pattern
from ..ranks import step_of
from ..store import again

AT_ONCE = 500  # numbers of jobs in a query

COLUMNS = (
    "cluster", "job_id_raw", "het_job_id", "restart_count", "user", "step_id", "step_tasks", "step_nodes", "node", "path", "bytes", "end_time",
    "joined", "program", "executable", "programs", "runs", "mpi_runs", "run_uuids", "mpi_size",
    "ranks", "mpi_ranks", "mpi_calls", "mpi_time", "mpi_elapsed", "mpi_outside_max", "mpi_outside_rank", "mpi_missed", "mpi_untimed",
    "mpi_open", "mpi_routines", "proven", "again",
)  # fmt: skip
ROWS = "SELECT " + ", ".join(COLUMNS[:-1]) + ", " + again("profile", "end_time") + " FROM profile WHERE "
OF_JOBS = ROWS + "job_id_raw IN (%s)"
# the index is of job_id_raw; Slurm has at most 128 components, whose numbers follow the job's
OF_COMPONENTS = ROWS + "het_job_id = ? AND job_id_raw BETWEEN ? AND ?"
COMPONENTS = 128
PARALLEL = (
    "SELECT cluster, job_id_raw, restart_count, " + again("run") + " AS again, user, step_id, proven, count(*) FROM run"
    " WHERE num_tasks > 1 AND job_id_raw IN (%s) GROUP BY cluster, job_id_raw, restart_count, again, user, step_id, proven"
)
# as jobtrail-load takes it; rows of before may have another text
ROUTINE = Pattern(r"([A-Za-z0-9_]+)=([0-9]{1,18}):([0-9]{1,18}(?:\.[0-9]{0,17})?):([0-9]{1,18})", re.ASCII)
OF_STEP = ("cluster", "job_id_raw", "restart_count", "again", "user", "step_id")
# steps of Slurm's that are on one node, and of which the plugin is told no number
ON_ONE_NODE = ("batch", "extern", "interactive")


def routine_name(text):
    """As C calls it, also where Fortran does: mpi_allreduce_ is MPI_Allreduce."""
    bare = text.lower().strip("_")
    return "MPI_" + bare[4:].capitalize() if bare.startswith("mpi_") and bare[4:] else text


def routines(rows):
    """[{routine, calls, seconds, open}] of what nodes have reported, the most time first."""
    found = {}
    for row in rows:
        for word in (row["mpi_routines"] or "").split():
            told = ROUTINE.fullmatch(word)
            if told is None:
                continue
            name, calls, seconds, open_ranks = told.groups()
            name = routine_name(name)
            one = found.setdefault(name, {"routine": name, "calls": 0, "seconds": 0.0, "open": 0})
            one["calls"], one["seconds"], one["open"] = one["calls"] + int(calls), one["seconds"] + float(seconds), one["open"] + int(open_ranks)
    return sorted(found.values(), key=lambda one: (-one["seconds"], one["routine"]))


def runs_of(rows, of):
    """(how many runs have processes in it, or called MPI; the uuids of the first ones of each row)"""
    told = [(row["run_uuids"] or "").split()[: row[of] or 0] for row in rows]
    uuids = sorted(set(itertools.chain.from_iterable(told)))
    return sum(row[of] or 0 for row in rows) - sum(map(len, told)) + len(uuids), uuids


def time_in_mpi(rows):
    """Of ranks whose calls were counted; None: there is none. `share` and `imbalance`: None where no time is known. The imbalance is by
    how much the rank with most time outside of MPI, which is `slowest`, is above the mean, in per cent."""
    rows = [row for row in rows if row["mpi_ranks"]]
    if not rows:
        return None
    ranks = sum(row["mpi_ranks"] for row in rows)
    seconds, elapsed = sum(row["mpi_time"] for row in rows), sum(row["mpi_elapsed"] for row in rows)
    mean = (elapsed - seconds) / ranks
    most = max(rows, key=lambda row: row["mpi_outside_max"])
    untimed = any(row["mpi_untimed"] for row in rows)
    number, uuids = runs_of(rows, "mpi_runs")
    return {
        "ranks": ranks,
        "runs": number,
        "run_uuids": uuids,
        "calls": sum(row["mpi_calls"] for row in rows),
        "seconds": seconds,
        "elapsed": elapsed,
        "share": seconds / elapsed if elapsed > 0 and not untimed else None,
        "imbalance": max(100 * (most["mpi_outside_max"] / mean - 1), 0.0) if mean > 0 and not untimed else None,
        "slowest": None if untimed else {"rank": most["mpi_outside_rank"], "node": most["node"]},
        "missed": sum(row["mpi_missed"] for row in rows),
        "untimed": untimed,
        "open": any(row["mpi_open"] for row in rows),
        "routines": routines(rows),
    }


class Step:
    """What nodes have sent of a step: its files, whose programs are reported in rows."""

    def __init__(self, rows):
        own = [row for row in rows if not row["joined"]]
        self.name = rows[0]["step_id"] or ""
        self.nodes = len({row["node"] for row in own})
        self.of = max(row["step_nodes"] or 0 for row in rows) or (1 if self.name in ON_ONE_NODE else None)
        self.tasks = max(row["step_tasks"] or 0 for row in rows)
        self.joined = next((row for row in rows if row["joined"]), None)
        self.programs = sum({row["node"]: row["programs"] or 0 for row in own}.values())
        self.untold = self.programs - len(own)


def shares(rows, program, has_all_nodes):
    """{uuid of a run: the time in MPI of its own ranks}, as far as these can be distinguished from those of the program's other runs: by their executable,
    and the component of a heterogeneous job. The imbalance is the whole program's. `is_whole`: all ranks are there, and each is a run's."""
    parts = runs_parts(rows)
    if not parts:
        return {}
    is_one = len({part_of(row) for row in rows if row["mpi_ranks"]}) == 1
    size, ranks = program["size"], program["mpi"]["ranks"]
    of_program = {name: program["mpi"][name] for name in ("imbalance", "slowest")}
    of_program["is_whole"] = ranks == size and all(part["runs"] == 1 for part in parts) and (is_one or has_all_nodes)
    # ranks that ran one executable after the other are those of each
    if len(parts) > 1 and (ranks > (size or 0) or any(part["ranks"] == size for part in parts)):
        own = [dict(part, is_whole=part["ranks"] == size and part["runs"] == 1) for part in parts]
    else:
        own = [dict(part, **of_program) for part in parts]
    return {part["run_uuids"][0]: part for part in own if part["runs"] == len(part["run_uuids"]) == 1}


def runs_parts(rows):
    """[what time_in_mpi() has of a part of a program's ranks]. Parts that name the same one run are one."""
    parts = {}
    for key, some in itertools.groupby(sorted(rows, key=part_of), part_of):
        some = list(some)
        number, uuids = runs_of([row for row in some if row["mpi_ranks"]], "mpi_runs")
        parts.setdefault(uuids[0] if number == len(uuids) == 1 else key, []).extend(some)
    return [part for part in map(time_in_mpi, parts.values()) if part is not None]


def part_of(row):
    return row["job_id_raw"], row["executable"] or ""


def whose(row):
    """Components of a heterogeneous job are one."""
    since = 0 if row["het_job_id"] else row["again"]
    return row["cluster"] or "", row["het_job_id"] or row["job_id_raw"], since, row["restart_count"] or 0, row["user"] or "", -row["proven"]


def place_of(row):
    return row["job_id_raw"], row["step_id"] or ""


def program_of(row):
    """Ranks of which the program is not known are their step's."""
    return (row["program"], 0, "") if row["program"] else ("", *place_of(row))


def files_of(rows):
    """One dict for each file, in which there may be several executables of the program."""
    files = {}
    for row in rows:
        new = {name: row[name] for name in ("step_id", "node", "path", "bytes")}
        file = files.setdefault((row["node"], row["path"]), dict(new, ranks=0))
        file["ranks"] += row["ranks"]
    return list(files.values())


def of_program(rows, steps):
    """One dict of what nodes have sent of a program, in these steps: {place_of(): Step}."""
    parts = [steps[place] for place in sorted({place_of(row) for row in rows})]
    number, uuids = runs_of(rows, "runs")
    size = max(row["mpi_size"] or 0 for row in rows)
    return {
        "program": rows[0]["program"] or None,
        "user": rows[0]["user"],
        "proven": bool(rows[0]["proven"]),
        "steps": sorted({part.name for part in parts}),
        "size": (size if size > 1 else sum(part.tasks for part in parts)) or None,
        "nodes": sum(part.nodes for part in parts),
        "step_nodes": None if any(part.of is None for part in parts) else sum(part.of for part in parts),
        "ranks": sum(row["ranks"] for row in rows),
        "runs": number,
        "run_uuids": uuids,
        "files": files_of(rows),
        "joined": [{name: part.joined[name] for name in ("step_id", "path", "bytes")} for part in parts if part.joined],
        # what to read: files that were joined instead of their parts
        "paths": [part.joined["path"] for part in parts if part.joined]
        + sorted({row["path"] for row in rows if steps[place_of(row)].joined is None}),
        "programs": max(row["programs"] or 0 for row in rows),
        "untold": sum(part.untold for part in parts),
        "mpi": time_in_mpi(rows),
    }


class Job:
    """What nodes have reported of a job's profiles, with all its components. What is proven and what is not are never added up."""

    def __init__(self, rows):
        rows = sorted(rows, key=lambda row: (*place_of(row), row["node"]))
        self.steps = {place: Step(list(group)) for place, group in itertools.groupby(rows, place_of)}
        self.of_uuid, unnamed = {}, {}
        for _, group in itertools.groupby(sorted((row for row in rows if not row["joined"]), key=program_of), program_of):
            some = list(group)
            program = of_program(some, self.steps)
            own = shares(some, program, self.has_all_nodes(some))
            for uuid in program["run_uuids"]:
                self.of_uuid.setdefault(uuid, dict(program, is_own=True, own=own.get(uuid)))
            if program["runs"] == 0 or program["runs"] > len(program["run_uuids"]):
                for row in some:
                    unnamed.setdefault(place_of(row), []).append(row)
        self.of_step = {place: of_any(of_program(some, self.steps)) for place, some in unnamed.items()}

    def has_all_nodes(self, rows):
        """Of the steps of these rows. mpirun's other nodes are in other steps, of which nothing tells how many there are."""
        steps = [self.steps[place_of(row)] for row in rows]
        return all(step.nodes == step.of and step.name not in ON_ONE_NODE for step in steps)

    def of_run(self, run):
        """What has processes of the run; else what of its step does not name all its runs, as of static programs; else None."""
        return self.of_uuid.get(run["uuid"]) or self.of_step.get(place_of(run))


def of_any(program):
    """Of which runs it is, is not known."""
    mpi = program["mpi"]
    return dict(program, is_own=False, own=mpi and dict(mpi, is_whole=mpi["ranks"] == program["size"]))


def rows_of(store, jobs):
    """What nodes have sent of jobs of these numbers, and of all components of those that are heterogeneous."""
    rows, jobs = [], sorted(jobs)
    for at in range(0, len(jobs), AT_ONCE):
        some = jobs[at : at + AT_ONCE]
        rows += [dict(zip(COLUMNS, row)) for row in store.lookup(OF_JOBS % ", ".join("?" * len(some)), some)]
    found = [row for row in rows if row["het_job_id"] is None]
    for job in sorted({row["het_job_id"] for row in rows} - {None}):
        found += [dict(zip(COLUMNS, row)) for row in store.lookup(OF_COMPONENTS, [job, job, job + COMPONENTS - 1])]
    return found


def of_jobs(store, jobs):
    """{step_of() of a step without its name, and whether it is proven: Job}, of jobs of these numbers."""
    found = {}
    for _, group in itertools.groupby(sorted(rows_of(store, jobs), key=whose), whose):
        rows = list(group)
        job = Job(rows)
        found.update((step_of(row)[:-1] + (bool(row["proven"]),), job) for row in rows)
    return found


def parallel_runs(store, jobs):
    """{(step, whether they are proven): how many runs of several tasks it has}"""
    found = {}
    for at in range(0, len(jobs), AT_ONCE):
        some = jobs[at : at + AT_ONCE]
        for *values, proven, number in store.lookup(PARALLEL % ", ".join("?" * len(some)), some):
            key = step_of(dict(zip(OF_STEP, values))), bool(proven)
            found[key] = found.get(key, 0) + number
    return found


def of_runs(store, runs):
    """{id of a run: what is known of its program's profiles}. `is_own`: the run's processes are in it; else they may be, and `runs` is how many
    runs of several tasks its step has. What is not proven is of no run that is."""
    jobs = of_jobs(store, {run["job_id_raw"] for run in runs} - {None})
    found = {}
    for run in runs:
        of_job = step_of(run)[:-1]
        for proven in (True, False):
            job = jobs.get(of_job + (proven,)) if proven >= bool(run["proven"]) else None
            summary = job and job.of_run(run)
            if summary:
                found.setdefault(run["id"], dict(summary))
    unsure = [run for run in runs if run["id"] in found and not found[run["id"]]["is_own"]]
    numbers = parallel_runs(store, sorted({run["job_id_raw"] for run in unsure}))
    for run in unsure:
        summary = found[run["id"]]
        summary["runs"] = sum(numbers.get((step_of(run), proven), 0) for proven in {True, summary["proven"]})
    return found


def own_mpi(run):
    """The time in MPI of the run's own ranks: None where it is not known, or is of several runs."""
    profile = run["profile"]
    if profile is None:
        return None
    return profile["own"] if profile["is_own"] or (profile["runs"] == 1 and (run["num_tasks"] or 0) > 1) else None
