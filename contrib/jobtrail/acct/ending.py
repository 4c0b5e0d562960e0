# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a job ended, and why: decided here alone, for rows, pages, mails and the web. A run's own end is state.py's."""

import pwd
import signal

from ..text import cell, escape
from ..times import format_time
from .state import FAILED, REASONS

OWN_CODES = (None, 0, 1, 2)  # with which scripts end by themselves, hardly since a signal of that number killed a program
MOST_SHOWN = 10  # kinds of failures
# states of runs; the first one that a run of the job has is the job's
ORDER = ["RUNNING", "KILLED", "FAILED", "NOT_STARTED", "UNKNOWN", "OUTLIVED", "EXITED", "EXECED", "COMPLETED"]
BAD = set(FAILED) | REASONS | {"UNKNOWN"}  # or not known to be good
# what Slurm's states of a job mean
REASON = {
    "TIMEOUT": "it reached its time limit",
    "OUT_OF_MEMORY": "it used more memory than it had", "NODE_FAIL": "a node failed",
    "PREEMPTED": "it was preempted by another job",
    "DEADLINE": "its deadline passed",
    "BOOT_FAIL": "a node did not boot",
    "REQUEUED": "it was requeued",
    "REVOKED": "a sibling ran on another cluster",
}  # fmt: skip


def of(runs, row):
    """{"state", "cancelled_by", "exit": Slurm's, or else those of the run that ended worst, "failures", "failed_ranks": see
    below, "why": [TEXT], the cause first} of the job of these runs. `row`: Slurm's; None: it has none."""
    word, by, found_exit = state_of(runs, row)
    uid = by[3:] if by.startswith("by ") else None
    found = {"state": word, "exit": found_exit, "cancelled_by": uid and (user_of(uid) or uid)}
    found["failures"], found["failed_ranks"] = failures_of(runs), failed_ranks(runs, row)
    found["why"] = why(found, runs, row)
    return found


def state_of(runs, row):
    """(the state, what follows the word, the exit code): see of()"""
    worst = min(runs, key=lambda run: ORDER.index(run["state"]) if run["state"] in ORDER else -1, default=None)
    word, _, by = (row["State"] if row else worst["state"] if worst else "").partition(" ")
    return word or None, by, row["ExitCode"] if row else worst["exit"] if worst else None


def cause(job):
    """The first of `why` of a row of jobtrail-acct; nothing of what ended well."""
    parts, row = job.get("parts"), job["slurm"]
    found = of(parts, row)["why"] if parts else of([job], None)["why"]
    return found[0] if found else None


def user_of(uid):
    try:
        return pwd.getpwuid(int(uid)).pw_name
    except (KeyError, ValueError, OverflowError):
        return None


def failures_of(runs):
    """Runs that did not end well, equal ones as one, the latest first."""
    groups = {}
    for run in sorted(runs, key=lambda run: run["end_time"] or 0, reverse=True):
        if run["state"] in BAD:
            key = run["step_id"], run["exec_path"], run["state"], run["exit"], run.get("missing_library")
            groups.setdefault(key, []).append(run)
    names = ("step_id", "exec_path", "state", "exit", "exit_code", "signal", "node", "task_id", "uuid")
    return [
        dict({name: some[0][name] for name in names}, missing_library=some[0].get("missing_library"), runs=len(some))
        for some in groups.values()
    ]


def failed_ranks(runs, row):
    """Summaries (rank_summary.py) of ranks of which one failed before the program's run, rank 0, and before Slurm ended the
    job; the first one first."""
    found = {}
    until = row["end"] if row and row["State"].partition(" ")[0] in REASONS else None
    for run in runs:
        ranks, end = run["ranks"], run["end_time"] if run["state"] in BAD else None
        ends = [end for end in (end, until) if end is not None]
        if ranks and ranks["failed_end"] and all(ranks["failed_time"] < end - 1 for end in ends):
            found[run["step_id"], run["exec_path"]] = ranks
    return sorted(found.values(), key=lambda ranks: ranks["failed_time"])


def signal_text(number):
    try:
        return "signal %d (%s)" % (number, signal.Signals(number).name)
    except ValueError:
        return "signal %d" % number


def end_text(code, number):
    return "was killed by " + signal_text(number) if number else "ended with exit code %d" % code


def rank_text(ranks):
    code, _, number = ranks["failed_end"].partition(":")
    which = "a rank" if ranks["failed_task"] is None else "rank %d" % ranks["failed_task"]
    return "step %s: %s of %s on %s failed first, at %s: it %s; %d of %d ranks failed" % (
        cell(ranks["step_id"]), which, cell(ranks["program"]), cell(ranks["failed_node"]), format_time(ranks["failed_time"]),
        end_text(int(code), int(number)), ranks["ended_code"] + ranks["ended_signal"], ranks["ranks"])  # fmt: skip


def failure_text(run):
    """How a run ended."""
    path = cell(run["exec_path"] or "?")
    if run["state"] == "NOT_STARTED":
        if run["missing_library"]:
            text = "did not start: %s is missing or too old" % cell(run["missing_library"])
        elif run["exit_code"] == 127:
            text = "did not start: a library is missing or too old"
        else:
            text = "did not start: it does not exist or cannot be executed"
        text += " (exit code %s)" % run["exit_code"]
    elif run["signal"] or run["exit_code"]:
        text = end_text(run["exit_code"], run["signal"])
    else:
        text = "ended; exit code and signal are not known"
    if run["state"] in REASON:
        text += ": " + REASON[run["state"]]
    many = " (%d times)" % run["runs"] if run["runs"] > 1 else ""
    where = " on " + cell(run["node"]) if run["node"] else ""
    return "step %s%s: %s %s%s" % (cell(run["step_id"]), where, path, text, many)


def of_slurm(found, runs):
    """What Slurm tells of the job's end, other than that a program failed."""
    if found["state"] in REASON:
        return "Slurm's reason: %s." % REASON[found["state"]]
    if found["state"] != "CANCELLED":
        return None
    by = found["cancelled_by"]
    return "It was cancelled by %s." % ("somebody" if by is None else "its own user" if runs and by == runs[0]["user"] else escape(by))


def script_text(exit_code):
    code, _, number = exit_code.partition(":")
    if number not in ("", "0"):
        return "Its batch script was killed by %s." % signal_text(int(number))
    return None if code == "0" else "Its batch script ended with exit code %s." % escape(code)


def why(found, runs, row):
    """The first rank that failed, since it made others wait and end; then Slurm's reason, or of a script that failed the programs
    for which Slurm has one, or whose end is the script's; the script, and whatever else failed."""
    texts = [rank_text(ranks) for ranks in found["failed_ranks"][:MOST_SHOWN]]
    texts += [of_slurm(found, runs)] if row else []
    shown = found["failures"][:MOST_SHOWN]
    if row and found["state"] == "FAILED":
        same = [run for run in shown if run["exit"] == found["exit"]]
        number = end_number(found["exit"])
        same = same or [run for run in shown if number not in OWN_CODES and end_number(run["exit"]) == number]
        causes = [run for run in shown if run["state"] in REASON]
        causes += [run for run in same if run not in causes]
        texts += [failure_text(run) for run in causes] + [script_text(found["exit"])]
        shown = [run for run in shown if run not in causes]
    texts += [failure_text(run) for run in shown]
    more = len(found["failures"]) - MOST_SHOWN
    return list(filter(None, texts)) + (["and %d more kinds of failures" % more] if more > 0 else [])


def end_number(text):
    """9 of "0:9", and of "137:0", with which a shell ends after a program that a signal has killed: sacct has "9:0" of 9 and of 137."""
    code, _, number = text.partition(":")
    if not (code.isdecimal() and number.isdecimal()):
        return None
    return int(number) or int(code) % 128
