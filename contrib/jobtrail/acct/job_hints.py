# SPDX-License-Identifier: LGPL-2.1-or-later
"""What users can do better next time, by the facts of a job: each hint names its numbers, and none is a guess.

A function of HINTS takes the dict of job_summary.summary(), the job's runs and the store, and returns the text of a
hint, or None.
"""

from ..times import format_elapsed
from .amounts import size_text
from .state import FAILED

TIMES = 10  # so many times more than was used is too much
LEAST_SECONDS = 10  # of a job's time that says something about its CPUs
SAMPLED_SECONDS = 120  # of each step that say the same about memory: Slurm takes a sample each 30 seconds by default
LEAST_CPUS = 4  # fewer may be the threads of one core, which a job with one task gets all
LEAST_MEMORY = 1 << 27  # asked for: less is not worth a word
LEAST_UNUSED = 3600  # seconds of the time limit
SIGILL = 4
# ends in which Slurm has accounted all of what the processes used
WHOLE = ("COMPLETED", "FAILED")


def words_of(names):
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def memory(found, runs, _):
    asked, most, elapsed = found["memory"]["asked"], found["memory"]["sampled_at_most"], found["time"]["elapsed"]
    if found["job"]["state"] not in WHOLE or any(run["state"] == "OUT_OF_MEMORY" for run in runs):
        return None
    if None in (asked, most, elapsed) or asked < LEAST_MEMORY or most * TIMES > asked:
        return None
    if any(of["elapsed"] is None or of["elapsed"] < SAMPLED_SECONDS for of in found["memory"]["steps"]):
        return None
    return "The job had %s of memory, and Slurm's samples %s at the most: ask for less (--mem)." % (
        size_text(asked),
        size_text(most),
    )


def out_of_memory(found, runs, _):
    steps = {run["step_id"] for run in runs if run["state"] == "OUT_OF_MEMORY"}
    for of in found["memory"]["steps"]:
        if of["step"] in steps and of["asked"]:
            return "%s of memory was too little for step %s: ask for more (--mem, --mem-per-cpu)." % (
                size_text(of["asked"]),
                of["step"],
            )
    return None


def cpus(found, _, __):
    of = found["cpus"]
    elapsed, busy, allocated = found["time"]["elapsed"], of["seconds"], of["allocated"]
    if found["job"]["state"] not in WHOLE or None in (elapsed, busy, allocated):
        return None
    if elapsed < LEAST_SECONDS or allocated < LEAST_CPUS or not busy:
        return None
    cores = busy / elapsed
    if cores > max(1.1, allocated / TIMES):
        return None
    return "%.1f of %d CPUs were busy on average: does the program use more than one thread or task?" % (
        cores,
        allocated,
    )


def time_limit(found, _, __):
    limit = found["time"]["limit"]
    if found["job"]["state"] != "TIMEOUT" or limit is None:
        return None
    return "The limit of %s was too short: ask for more (--time), or save the state before." % format_elapsed(limit)


def too_much_time(found, _, __):
    limit, elapsed = found["time"]["limit"], found["time"]["elapsed"]
    if found["job"]["state"] != "COMPLETED" or not limit or not elapsed:
        return None
    if elapsed * TIMES > limit or limit - elapsed < LEAST_UNUSED:
        return None
    return "The job took %s of the %s that it asked for: with a shorter limit (--time) it may start sooner." % (
        format_elapsed(elapsed),
        format_elapsed(limit),
    )


def unnoticed(found, _, __):
    number = sum(run["runs"] for run in found["failures"] if run["state"] in FAILED)
    if found["job"]["state"] != "COMPLETED" or not number:
        return None
    words = "a program" if number == 1 else "%d programs" % number
    return (
        "The job is COMPLETED, and %s in it ended with an error. If that was not meant: after `set -e` the batch script"
        " ends at a command that fails." % words
    )


def not_started(_, runs, __):
    ended = [run for run in runs if run["state"] == "NOT_STARTED" and run["exit_code"] == 127]
    for run in ended:
        if run.get("missing_library"):
            return "Load the modules with which %s was linked: it needs %s." % (run["exec_path"], run["missing_library"])
    names = sorted({run["exec_path"] for run in ended if run["exec_path"]})
    if not names:
        return None
    return "`ldd %s` on the node, with the job's modules, shows which library is missing." % names[0]


def other_processor(_, runs, store):
    """An illegal instruction, of a file that ended well on another node: the records show no more."""
    for run in runs:
        if run["signal"] != SIGILL or run["executable_id"] is None or not run["node"]:
            continue
        rows = store.lookup(
            "SELECT DISTINCT node FROM run WHERE executable_id = ? AND exit_code = 0 AND coalesce(signal, 0) = 0 AND node <> ?"
            " ORDER BY node LIMIT 4",
            (run["executable_id"], run["node"]),
        )
        if rows:
            return "%s has an instruction that %s cannot execute, and ended well on %s: build it for both." % (
                run["exec_path"],
                run["node"],
                words_of([node for node, in rows]),
            )
    return None


HINTS = (out_of_memory, time_limit, not_started, other_processor, unnoticed, memory, cpus, too_much_time)


def hints(found, runs, store):
    """[{"hint": NAME, "text": TEXT}]"""
    told = ((hint.__name__, hint(found, runs, store)) for hint in HINTS)
    return [{"hint": name, "text": text} for name, text in told if text]
