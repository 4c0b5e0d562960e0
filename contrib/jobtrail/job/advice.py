# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a user can do about a job, by rules: see job-advice.conf."""

import fnmatch
import os

from ..program import Failure, os_trouble
from ..text import escape

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("/etc/jobtrail/job-advice.conf", os.path.join(HERE, "job-advice.conf"))
LONG_S, LARGE = 600, 4 << 30
SIGILL, SIGKILL = 4, 9


def is_limit(found, _):
    """The limit is the cause only where no rank had failed before."""
    return found["job"]["state"] == "TIMEOUT" and not found["failed_ranks"]


def is_memory(found, _):
    of = found["memory"]
    used = of["used"] or 0
    killed = any(run["signal"] == SIGKILL for run in found["failures"])
    words = {found["job"]["state"]} | {run["state"] for run in found["failures"]}
    return "OUT_OF_MEMORY" in words or bool(killed and of["asked"] and used > 0.95 * of["asked"])


def is_long(found):
    return (found["time"]["elapsed"] or 0) >= LONG_S and found["job"]["state"] == "COMPLETED"


def is_roomy(found, _):
    of = found["memory"]
    most = of["sampled_at_most"]  # of all tasks together
    return bool(is_long(found) and most and (of["asked"] or 0) > LARGE and max(most, of["largest_process"] or 0) < of["asked"] / 4)


def is_singleton(_, runs):
    """Several runs of one step that loaded MPI: each took itself for rank 0 of one."""
    steps = {}
    for run in runs:
        if any(os.path.basename(lib["path"]).startswith(("libmpi.so", "libmpich.so")) for lib in run["libs"] or []):
            steps.setdefault((run["step_id"], run["exec_path"]), []).append(run)
    return any(len({run["task_id"] for run in of}) == len(of) == (of[0]["num_tasks"] or 0) > 1 for of in steps.values())


CAUSES = {
    "time-limit": is_limit,
    "memory": is_memory,
    "missing-library": lambda found, _: any(run["missing_library"] for run in found["failures"]),
    "illegal-instruction": lambda found, _: any(run["signal"] == SIGILL for run in found["failures"]),
    "cpus-idle": lambda found, _: is_long(found) and found["cpus"]["efficiency"] is not None and found["cpus"]["efficiency"] < 0.5,
    "memory-unused": is_roomy,
    "gpus-unused": lambda found, _: bool(found["gpus"]["allocated"] and found["gpus"]["is_whole"] and not found["gpus"]["programs"]),
    "singletons": is_singleton,
}


def read(path):
    """{(cause, glob of programs): text} of a file; a text that is empty takes a rule away."""
    rules = {}
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                name, equals, text = line.partition("=")
                words = name.split()
                if not line.strip() or line.lstrip().startswith("#"):
                    continue
                if not equals or not 1 <= len(words) <= 2 or words[0] not in CAUSES:
                    causes = ", ".join(CAUSES)
                    raise Failure("%s:%d: write CAUSE [PROGRAM] = TEXT, with a cause of %s" % (escape(path), number, causes))
                rules[words[0], (words + ["*"])[1]] = text.strip()
    except OSError as error:
        raise Failure(os_trouble(error)) from None
    except UnicodeDecodeError:
        raise Failure("%s: is not UTF-8" % escape(path)) from None
    return rules


def rules_here():
    rules = {}
    for path in reversed(FILES):
        if os.path.exists(path):
            rules.update(read(path))
    return rules


def of(found, runs):
    """[TEXT] for what summary.summary() found of the job that has these runs."""
    names = {os.path.basename(run["exec_path"] or "") for run in runs}
    true = {cause for cause, is_true in CAUSES.items() if is_true(found, runs)}
    return [
        text
        for (cause, pattern), text in rules_here().items()
        if text and cause in true and (pattern == "*" or fnmatch.filter(names, pattern))
    ]
