# SPDX-License-Identifier: LGPL-2.1-or-later
"""What summary.summary() returned, in words: for a terminal and for mails."""

import signal

from ..acct import amounts
from ..text import cell, cut, escape
from ..times import format_elapsed, format_time
from .diff import fact_text, unseen_text, value_text

MOST_RUNS = 20000  # of a job that are read
MOST_SHOWN = 10  # programs, failures, changes
VALUE_SHOWN = 80  # characters
# states of jobs that have not ended
LIVE = {"COMPLETING", "CONFIGURING", "PENDING", "RESIZING", "RUNNING", "STAGE_OUT", "STOPPED", "SUSPENDED"}
# what Slurm's states of a job mean
REASON = {
    "TIMEOUT": "it reached its time limit",
    "OUT_OF_MEMORY": "it used more memory than it had",
    "NODE_FAIL": "a node failed",
    "PREEMPTED": "it was preempted by another job",
    "DEADLINE": "its deadline passed",
    "BOOT_FAIL": "a node did not boot",
    "REQUEUED": "it was requeued",
    "REVOKED": "a sibling ran on another cluster",
}


def signal_text(number):
    try:
        return "signal %d (%s)" % (number, signal.Signals(number).name)
    except ValueError:
        return "signal %d" % number


def end_text(code, number):
    return "was killed by " + signal_text(number) if number else "ended with exit code %d" % code


def rank_text(of):
    code, _, number = of["failed_end"].partition(":")
    which = "a rank" if of["failed_task"] is None else "rank %d" % of["failed_task"]
    return "step %s: %s of %s on %s failed first, at %s: it %s; %d of %d ranks failed" % (
        cell(of["step_id"]), which, cell(of["program"]), cell(of["failed_node"]), format_time(of["failed_time"]),
        end_text(int(code), int(number)), of["ended_code"] + of["ended_signal"], of["ranks"])  # fmt: skip


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


def why(found):
    """Why the job ended as it did, as far as Slurm and the records tell."""
    job, texts = found["job"], []
    if job["state"] in REASON:
        texts.append("Slurm's reason: %s." % REASON[job["state"]])
    elif job["state"] == "CANCELLED":
        by = job["cancelled_by"]
        who = "somebody" if by is None else "its own user" if by == job["user"] else escape(by)
        texts.append("It was cancelled by %s." % who)
    elif job["state"] == "FAILED" and job["of_slurm"]:
        code, _, number = job["exit"].partition(":")
        if number not in ("", "0"):
            texts.append("Its batch script was killed by %s." % signal_text(int(number)))
        elif code != "0":
            texts.append("Its batch script ended with exit code %s." % escape(code))
    texts += map(rank_text, found["failed_ranks"][:MOST_SHOWN])
    shown = found["failures"][:MOST_SHOWN]
    texts += [failure_text(run) for run in shown]
    if len(found["failures"]) > len(shown):
        texts.append("and %d more kinds of failures" % (len(found["failures"]) - len(shown)))
    return texts


def unknown(found):
    if not found["job"]["of_slurm"]:
        yield "Slurm's accounting does not have the job, or was not asked: state and time are from the records"
        return
    if found["time"]["limit"] is None:
        yield "time limit: not in Slurm's accounting"
    if found["memory"]["asked"] is None:
        yield "memory of the job: not in Slurm's accounting"
    without = [of["step"] for of in found["memory"]["steps"] if (of["largest_task"], of["largest_process"]) == (None, None)]
    if without:
        yield "memory of step %s: Slurm took no sample" % ", ".join(map(escape, without))
    if any(run["state"] == "OUT_OF_MEMORY" for run in found["failures"]) and found["memory"]["largest_process"] is None:
        yield "memory at the end: Slurm's last sample is older"
    if found["job"]["state"] not in LIVE | {"COMPLETED", "FAILED"}:
        yield "CPU time is too low: killed processes are not counted"


def percent(part, whole):
    return "" if part is None or not whole else " (%.0f %%)" % (100 * part / whole)


def time_text(of):
    text = format_elapsed(of["elapsed"]) or "not known"
    if of["limit"] is None:
        return text
    return "%s of %s%s" % (text, format_elapsed(of["limit"]), percent(of["elapsed"], of["limit"]))


def memory_text(of):
    text = "not known"
    if (of["largest_process"] or 0) > (of["largest_task"] or 0):
        text = "%s in the largest process (step %s)" % (amounts.size_text(of["largest_process"]), cell(of["process_step"]))
    elif of["largest_task"] is not None:
        text = "%s in the largest task (step %s)" % (amounts.size_text(of["largest_task"]), escape(of["largest_step"]))
    if of["asked"] is not None:
        text += "; the job had %s" % amounts.size_text(of["asked"])
    return text


def cpu_text(of):
    if of["seconds"] is None:
        return "not known"
    text = "%s CPU time" % format_elapsed(of["seconds"])
    if of["efficiency"] is None:
        return text
    number = "one CPU" if of["allocated"] == 1 else "%d CPUs" % of["allocated"]
    return text + ", %.0f %% of %s" % (100 * of["efficiency"], number)


def program_text(of):
    many = of["runs"] > 1
    states = ", ".join(("%d " % count if many else "") + cell(state) for state, count in of["states"].items())
    took = None if of["elapsed"] is None else of["elapsed_bound"] + format_elapsed(of["elapsed"])
    if many and took:
        took = "longest " + took
    core = None if of["core_seconds"] is None else "%.0f core seconds" % of["core_seconds"]
    tasks = "%d tasks" % of["tasks"] if (of["tasks"] or 0) > 1 else None
    runs = "%d runs" % of["runs"] if many else None
    return "  ".join(filter(None, (cell(of["exec_path"] or "?"), runs, tasks, states, took, core)))


def gpu_text(of):
    text = "%d allocated; " % of["allocated"]
    if of["programs"]:
        return text + "a library for GPUs was loaded by " + ", ".join(map(cell, of["programs"][:MOST_SHOWN]))
    return text + "no program loaded a library for GPUs" + ("" if of["is_whole"] else ", as far as the lists go")


def mpi_text(of):
    imbalance = ", imbalance " + of["imbalance"] if of["imbalance"] else ""
    return "%s  %s of its time%s (%s ranks)" % (cell(of["exec_path"] or "?"), of["share"], imbalance, cell(of["ranks"]))


def coverage_text(of):
    text = "of %s core hours programs had %.1f %%" % ("{:,.1f}".format(of["allocation"] / 3600), 100 * of["programs"])
    parts = ["%.1f %% %s" % (100 * of[part], word) for part, word in (
        ("uncertain", "may be theirs"), ("unseen", "has no record"), ("idle", "was idle")) if of[part] >= 0.0005]  # fmt: skip
    return ", ".join([text] + parts)


def since_texts(of):
    """What is different from the last good run of the same script."""
    yield "since job %s of %s, which completed" % (cell(of["job"]), format_time(of["time"]))
    for fact in of["changes"][:MOST_SHOWN]:
        then, now = value_text(fact["a"]), value_text(fact["b"])
        yield "%s, %s: %s, now %s" % (fact["section"], cell(fact["what"]), cut(then, VALUE_SHOWN, "..."), cut(now, VALUE_SHOWN, "..."))
    if not of["changes"]:
        yield "no recorded fact differs"
    if len(of["changes"]) > MOST_SHOWN:
        yield "and %d more: jobtrail-job diff %s" % (len(of["changes"]) - MOST_SHOWN, cell(" ".join(of["diff"])))
    for name, what, text in (("elapsed", "time", format_elapsed), ("core_seconds", "core time", format_elapsed), ("memory", "memory of a process", amounts.size_text)):
        then, now = of[name]
        if None not in (then, now) and text(then) != text(now):
            yield "%s: %s, now %s" % (what, text(then), text(now))


def lines(found):
    """The summary as lines of text: (name, [values]), or a head alone."""
    job = found["job"]
    name = " (%s)" % cell(job["name"]) if job["name"] else ""
    who = "%s, account %s" % (cell(job["user"]), cell(job["account"])) if job["account"] else cell(job["user"])
    where = ", ".join(filter(None, (cell(job["partition"]), cell(job["nodes"] or job["first_node"]))))
    yield "job", [cell(job["job"]) + name]
    yield "user", [who]
    yield "where", [where]
    yield "when", ["%s to %s" % (format_time(job["start"]) or "?", format_time(job["end"]) or "now, or not known")]
    by = " by " + cell(job["cancelled_by"]) if job["cancelled_by"] else ""
    yield "state", ["%s%s, exit code %s" % (cell(job["state"]) or "not known", by, cell(job["exit"]))]
    if found["why"]:
        yield "why", found["why"]
    yield "time", [time_text(found["time"])]
    yield "memory", [memory_text(found["memory"])]
    yield "CPUs", [cpu_text(found["cpus"])]
    if found["gpus"]["allocated"]:
        yield "GPUs", [gpu_text(found["gpus"])]
    if found["mpi"]:
        yield "time in MPI", list(map(mpi_text, found["mpi"][:MOST_SHOWN]))
    steps, programs = {}, [of for of in found["programs"] if of["kind"] is None]
    for of in programs[:MOST_SHOWN]:
        steps.setdefault(of["step"], []).append(program_text(of))
    for step, texts in steps.items():
        yield "step " + (step or "?"), texts
    if len(programs) > MOST_SHOWN:
        yield "programs", ["and %d more: jobtrail-acct -j %s" % (len(programs) - MOST_SHOWN, cell(job["job"]))]
    for kind in sorted({of["kind"] for of in found["programs"]} - {None}):
        yield "beside", ["%d %s" % (sum(of["runs"] for of in found["programs"] if of["kind"] == kind), kind)]
    if found["cut"]:
        yield "programs", ["the job has more than %d runs, of which these were read" % MOST_RUNS]
    if found["unseen"]:
        yield "without a record", list(map(unseen_text, found["unseen"]))
    if found["coverage"]:
        yield "coverage", [coverage_text(found["coverage"])]
    if found["since"]:
        yield "changed", list(since_texts(found["since"]))
    if found["advice"]:
        yield "advice", list(map(cell, found["advice"]))
    if found["unknown"]:
        yield "not known", found["unknown"]


def text_of(found):
    return "".join(fact_text(name, values) for name, values in lines(found))
