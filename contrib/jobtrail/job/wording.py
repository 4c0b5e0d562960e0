# SPDX-License-Identifier: LGPL-2.1-or-later
"""What summary.summary() returned, in words: for a terminal and for mails."""

from ..acct import amounts, used
from ..acct.left_out import unseen_text
from ..text import cell, cut, escape
from ..times import format_elapsed, format_time
from .diff import fact_text, value_text

MOST_RUNS = 20000  # of a job that are read
MOST_SHOWN = 10  # programs, failures, changes
VALUE_SHOWN = 80  # characters
# states of jobs that have not ended
LIVE = {"COMPLETING", "CONFIGURING", "PENDING", "RESIZING", "RUNNING", "STAGE_OUT", "STOPPED", "SUSPENDED"}


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
    if found["job"]["state"] not in LIVE | {"COMPLETED", "FAILED"} and found["cpus"]["source"] == used.SLURM:
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
    if of["used"] is not None:
        what = "process" if of["source"] == used.WITNESS else "task"
        text = "%s in the largest %s (step %s), by %s" % (amounts.size_text(of["used"]), what, cell(of["step"]), of["source"])
    if of["asked"] is not None:
        text += "; the job had %s" % amounts.size_text(of["asked"])
    return text


def cpu_text(of):
    if of["seconds"] is None:
        return "not known"
    text = "%s%s CPU time" % (of["bound"], format_elapsed(of["seconds"]))
    if of["efficiency"] is not None:
        number = "one CPU" if of["allocated"] == 1 else "%d CPUs" % of["allocated"]
        text += ", %s%.0f %% of %s" % (of["bound"], 100 * of["efficiency"], number)
    return text + ", by " + of["source"]


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
