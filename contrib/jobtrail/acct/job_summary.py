# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --job-summary JOB: what a job ran, on what, how it ended and why, and what it used of what it had
asked for. Facts are the store's and Slurm's accounting's; what neither tells is said to be unknown."""

import argparse
import collections
import itertools
import json
import pwd
import signal

from .. import program, slurm
from ..pattern import Pattern
from ..store import SCHEMA_VERSION
from ..text import cell, cut, escape
from ..times import format_elapsed, format_time
from . import amounts, fields
from .allocations import ORDER
from .diff import fact_text, starts_first, unseen, unseen_text
from .runs import latest
from .select import JOB
from .selected import selected_runs
from .state import FAILED, JOB_SECONDS, REASONS

OPTION = "job_summary"
GOES_WITH = {"mail", "subject", "json"}
OWN = {"mail", "subject"}
IN_VAIN = 3  # exit status: to ask again later does not help
MOST_RUNS = 20000  # of a job that are read
MOST_SHOWN = 10  # programs, and failures, in the text
BAD = set(FAILED) | REASONS | {"UNKNOWN"}  # or not known to be good
# or several, with commas. Fewer than mail itself knows: no word that a reader of mails decodes (=?...?=), nothing in quotes.
ADDRESS = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+%~!#$&'*/^`{}-]|=(?!\?))*(?:@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)?"
MAIL_ADDRESS = Pattern(r"(?=.{1,254}\Z)%s(?:,%s)*\Z" % (ADDRESS, ADDRESS))
SUBJECT_MAX = 900  # characters
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


def add_options(add):
    add("--job-summary", metavar="JOB", help="what a job ran, how it ended and why, what it used")
    add("--mail", metavar="ADDRESS")
    add("--subject", metavar="TEXT", help="with --job-summary: as a mail, for sendmail -t; with --mail: its subject")


# ---- Facts


def of_job(options):
    """The options that select its runs."""
    match = JOB.match(options.job_summary)
    if match is None or match["step"]:
        text = "jobtrail-acct: --job-summary: %s is no job" % escape(options.job_summary)
        raise program.Failure(text, status=IN_VAIN)
    wanted = argparse.Namespace(**vars(options))
    wanted.jobs, wanted.json = options.job_summary, True
    return wanted


def runs_of(store, wanted, now):
    """(its runs, whether there are more)"""
    runs = list(itertools.islice(selected_runs(store, wanted, [], now), MOST_RUNS + 1))
    proven = [run for run in runs if run["proven"]]
    runs = proven if is_certain(wanted, runs) else proven or runs
    # the controller mails about the last one of all
    runs = latest(runs, lambda run: run["job_id_raw"]) if wanted.mail else latest(runs)
    jobs = sorted({(run["job"].split(".")[0], run["user"], run["cluster"] or "") for run in runs if run["job"]})
    if len(jobs) > 1:
        shown = ", ".join(map(one_of_several, jobs[:5])) + (", ..." if len(jobs) > 5 else "")
        raise program.Failure(
            "jobtrail-acct: --job-summary: %s is several jobs: %s" % (escape(wanted.jobs), shown), status=IN_VAIN
        )
    return runs[:MOST_RUNS], len(runs) > MOST_RUNS


def is_certain(wanted, runs):
    """Whether nothing is said without Slurm's word: the controller sends mails about others' jobs."""
    return bool(wanted.mail) and any(run["user"] != wanted.asker for run in runs)


def one_of_several(job):
    name, user, cluster = map(escape, job)
    return "%s of %s" % (name, user) + (" on %s" % cluster if cluster else "")


def slurm_rows(wanted, runs):
    """(Slurm's row of the job, {step: row}, the runs of that row), without the rows where Slurm is not asked or
    knows nothing. A job that was requeued has several rows, as have two jobs with one number: the last one with runs
    counts. Where is_certain(), it must be the last of all and must have ended: Failure where it has not."""
    first, certain = runs[0], is_certain(wanted, runs)
    if wanted.no_sacct or first["job_id_raw"] is None:
        if certain:
            raise program.Failure("jobtrail-acct: --mail about another user's job needs Slurm's accounting")
        return None, {}, runs
    needed_by = "--mail" if certain else None
    accounting = slurm.Accounting(["--units=K"], False, wanted.scopes, ("Elapsed", "NTasks"), needed_by)
    accounting.prefetch([first])
    rows = accounting.rows.get((first["cluster"], first["job_id_raw"], ""), [])
    rows = sorted(rows, key=lambda row: float("inf") if row["start"] is None else row["start"], reverse=True)
    for row in rows[:1] if certain else rows:
        mine = [run for run in runs if slurm.distance(row, run["start_time"]) <= JOB_SECONDS]
        if mine and (has_ended(row) or not certain):
            return row, steps_of(accounting, first, row), mine
    if certain:
        raise program.Failure("jobtrail-acct: --mail: the job runs, or its last start has no runs in the store")
    row = accounting.of(first, step=False)
    return row, steps_of(accounting, first, row), runs


def has_ended(row):
    return row["end"] is not None and row["State"].partition(" ")[0] not in LIVE


def steps_of(accounting, run, job):
    """{step: row} of the job's row"""
    steps = {}
    for (cluster, number, step), rows in sorted(accounting.rows.items(), key=lambda item: item[0][2]):
        found = [row for row in rows if belongs(row, job)]
        if step and found and (cluster, number) == (run["cluster"], run["job_id_raw"]):
            steps[step] = found[-1]
    return steps


def belongs(row, job):
    """Whether the step is of this attempt of a job that was requeued."""
    if job is None or None in (row["start"], job["start"]):
        return True
    return row["start"] >= job["start"] and (job["end"] is None or row["start"] <= job["end"])


def user_of(uid):
    try:
        return pwd.getpwuid(int(uid)).pw_name
    except (KeyError, ValueError, OverflowError):
        return None


def step_memory(step, row, tasks, process):
    """{"step", "elapsed": seconds, "asked", "largest_task", "largest_process": bytes, "tasks", "most": bytes that its tasks
    can have had together, by the samples}"""
    largest = amounts.size(row["MaxRSS"]) or None
    asked = amounts.size(amounts.resources(row["AllocTRES"]).get("mem"))
    number = amounts.whole(row["NTasks"]) or tasks
    most = None if largest is None or number is None else largest * number
    elapsed = amounts.seconds(row["Elapsed"])
    found = {"step": step, "elapsed": elapsed, "asked": asked, "largest_task": largest, "tasks": number, "most": most}
    return dict(found, largest_process=process or None)


def most_of_process(run):
    """Bytes that a process of the run, of its ranks or of what it forked had at the most, as the kernel reported."""
    return max(run["max_rss"] or 0, run["forked_max_rss"] or 0, run["ranks"] and run["ranks"]["memory_max"] or 0)


def memory_of(job, steps, runs):
    """A step without a sample is not known, other than that of the prolog, which runs no program of the job's."""
    tasks = {run["step_id"]: run["num_tasks"] for run in runs}
    told = {}
    for run in runs:
        told[run["step_id"]] = max(told.get(run["step_id"], 0), most_of_process(run))
    of_steps = [step_memory(step, row, tasks.get(step), told.get(step)) for step, row in steps.items() if step != "extern"]
    known = [of for of in of_steps if of["largest_task"] is not None]
    largest = max(known, key=lambda of: of["largest_task"], default=None)
    is_whole = bool(of_steps) and all(of["most"] is not None for of in of_steps)
    has = amounts.resources(job["AllocTRES"]) if job else {}
    cpus, nodes = amounts.whole(has.get("cpu")), amounts.whole(has.get("node"))
    return {
        "asked": amounts.size(has.get("mem")) or (amounts.size(job["ReqMem"], cpus, nodes) if job else None) or None,
        "largest_task": largest and largest["largest_task"],
        "largest_step": largest and largest["step"],
        "largest_process": max(told.values()) or None,
        "process_step": max(told, key=told.get),
        "sampled_at_most": sum(of["most"] for of in of_steps) if is_whole else None,
        "steps": of_steps,
    }


def cpus_of(job, elapsed):
    allocated = amounts.whole(amounts.resources(job["AllocTRES"]).get("cpu")) if job else None
    busy = amounts.seconds(job["TotalCPU"]) if job else None
    share = None
    if elapsed and allocated and busy is not None:
        share = busy / (elapsed * allocated)
    return {"allocated": allocated, "seconds": busy, "efficiency": share}


def job_facts(run, runs, row):
    """`exit` and `state`: Slurm's, or else those of the run that ended worst."""
    worst = min(runs, key=lambda of: ORDER.index(of["state"]) if of["state"] in ORDER else -1, default=None)
    word, _, by = (row["State"] if row else worst["state"] if worst else "").partition(" ")
    uid = by[3:] if by.startswith("by ") else None
    last = [of["end_time"] for of in runs if of["end_time"] is not None]
    return {
        "job": run["job"].partition("@")[0].split(".")[0],
        "job_id_raw": run["job_id_raw"],
        "cluster": run["cluster"],
        "user": run["user"],
        "account": fields.known(run["account"] or ""),
        "partition": fields.known(run["partition"] or run["queue"] or ""),
        "qos": fields.known((row or {}).get("QOS") or run["qos"] or ""),
        "name": fields.known(row["JobName"]) if row else None,
        "nodes": fields.known(row["NodeList"]) if row else None,
        "first_node": fields.known(run["node"] or ""),
        "state": word or None,
        "cancelled_by": uid and (user_of(uid) or uid),
        "exit": row["ExitCode"] if row else worst["exit"] if worst else None,
        "reason": fields.known(row["Reason"], "None") if row else None,
        "start": row["start"] if row else run["start_time"],
        "end": row["end"] if row else max(last, default=None),
        "of_slurm": row is not None,
    }


def programs_of(runs):
    """What ran, with most core time first."""
    groups = {}
    for run in runs:
        groups.setdefault((run["step_id"], run["exec_path"]), []).append(run)
    found = []
    for (step, path), of in groups.items():
        known = [run["core_seconds"] for run in of if run["core_seconds"] is not None]
        longest = max(of, key=lambda run: fields.elapsed(run) or 0)
        found.append({
            "step": step,
            "exec_path": path,
            "module": of[0]["module"],
            "runs": len(of),
            "tasks": max((run["num_tasks"] for run in of if run["num_tasks"] is not None), default=None),
            "states": dict(collections.Counter(run["state"] for run in of)),
            "core_seconds": sum(known) if len(known) == len(of) else None,
            "elapsed": fields.elapsed(longest),
            "elapsed_bound": fields.end_bound(longest),
        })  # fmt: skip
    return sorted(found, key=lambda of: (-(of["core_seconds"] or 0), -(of["elapsed"] or 0), of["exec_path"] or ""))


def failures_of(runs):
    """Runs that did not end well, equal ones as one, the latest first."""
    groups = {}
    for run in sorted(runs, key=lambda run: run["end_time"] or 0, reverse=True):
        if run["state"] in BAD:
            key = run["step_id"], run["exec_path"], run["state"], run["exit"], run.get("missing_library")
            groups.setdefault(key, []).append(run)
    names = ("step_id", "exec_path", "state", "exit", "exit_code", "signal", "node", "task_id", "uuid")
    return [
        dict({name: of[0][name] for name in names}, missing_library=of[0].get("missing_library"), runs=len(of))
        for of in groups.values()
    ]


def failed_ranks(runs):
    """Summaries (rank_summary.py) of ranks of which one failed before the program's run, rank 0; the first one first."""
    found = {}
    for run in runs:
        of, end = run["ranks"], run["end_time"] if run["state"] in BAD else None
        if of and of["failed_end"] and (end is None or of["failed_time"] < end - 1):
            found[run["step_id"], run["exec_path"]] = of
    return sorted(found.values(), key=lambda of: of["failed_time"])


def elapsed_of(row, runs):
    if row is not None:
        return amounts.seconds(row["Elapsed"])
    starts = [run["start_time"] for run in runs if run["start_time"] is not None]
    ends = [run["end_time"] for run in runs if run["end_time"] is not None]
    return max(ends) - min(starts) if starts and ends else None


def summary(store, options, now):
    """What there is to say of options.job_summary:

        {"job": see job_facts(), "why": [TEXT],
         "time": {"elapsed", "limit"}: seconds,
         "memory": {"asked", "largest_task", "sampled_at_most", "largest_process": bytes, "largest_step", "process_step",
                    "steps": see step_memory()},
         "cpus": {"allocated", "seconds", "efficiency": 0 to 1},
         "programs": see programs_of(), "failures": see failures_of(), "failed_ranks": see failed_ranks(),
         "unseen": [{"step", "outcome", "tasks", "runs"}], "cut": whether there are more runs, "unknown": [TEXT]}

    A number is None where it is not known. `options` are those of jobtrail-acct. Failure where there is no run."""
    wanted = of_job(options)
    runs, is_cut = runs_of(store, wanted, now)
    if runs:  # others have jobs of this number, too
        wanted.user, wanted.cluster = runs[0]["user"], runs[0]["cluster"] or wanted.cluster
    not_seen = unseen(store, wanted, runs)
    if not runs:
        whose = "" if options.allusers or options.user else "of your own "
        text = "the store has no run %sof job %s" % (whose, escape(options.job_summary))
        text += "".join("; " + unseen_text(row) for row in not_seen)
        raise program.Failure("jobtrail-acct: --job-summary: " + text)
    row, steps, runs = slurm_rows(wanted, sorted(runs, key=starts_first))
    first = runs[0]
    found = {"job": job_facts(first, runs, row)}
    found["time"] = {
        "elapsed": elapsed_of(row, runs), "limit": amounts.seconds(row["Timelimit"]) if row else None}  # fmt: skip
    found["memory"] = memory_of(row, steps, runs)
    found["cpus"] = cpus_of(row, found["time"]["elapsed"])
    found["programs"], found["failures"], found["failed_ranks"] = programs_of(runs), failures_of(runs), failed_ranks(runs)
    found.update(unseen=not_seen, cut=is_cut)
    found["why"] = why(found)
    found["unknown"] = list(unknown(found))
    return found


# ---- Words


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
    steps = {}
    for of in found["programs"][:MOST_SHOWN]:
        steps.setdefault(of["step"], []).append(program_text(of))
    for step, texts in steps.items():
        yield "step " + (step or "?"), texts
    if len(found["programs"]) > MOST_SHOWN:
        yield "programs", ["and %d more: jobtrail-acct -j %s" % (len(found["programs"]) - MOST_SHOWN, cell(job["job"]))]
    if found["cut"]:
        yield "programs", ["the job has more than %d runs, of which these were read" % MOST_RUNS]
    if found["unseen"]:
        yield "without a record", list(map(unseen_text, found["unseen"]))
    if found["unknown"]:
        yield "not known", found["unknown"]


def subject(found):
    """In Slurm's own form, as users' filters know it."""
    job = found["job"]
    word = "Ended" if job["state"] == "COMPLETED" else "Failed"
    took = format_elapsed(found["time"]["elapsed"]) or "unknown"
    name = "" if job["name"] is None else " Name=" + cell(job["name"])
    return "Slurm Job_id=%s%s %s, Run time %s, %s, ExitCode %s" % (
        job["job"], name, word, took, job["state"], job["exit"])  # fmt: skip


def header(text):
    """One line of ASCII, or words that readers of mails decode. What looks like such a word in the text is none: it could
    become lines of the head."""
    text = cut(text, SUBJECT_MAX, "...")
    if "=?" not in text and all(" " <= char <= "~" for char in text):
        return text
    import email.header  # as in mail()

    # RFC 2047 allows 76 characters in a line, and the library does not count the blank at its start
    return email.header.Header(text, "utf-8", maxlinelen=75, header_name="Subject").encode(linesep="\n")


def mail(found, to, title, text):
    """`to`: fits MAIL_ADDRESS; `title`: without control characters."""
    import email.message  # slow to load, and needed for mails alone
    import email.policy

    message = email.message.EmailMessage(policy=email.policy.SMTP.clone(linesep="\n", max_line_length=998))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text, cte="quoted-printable")
    # the library would decode words in these, and read the text that comes out
    return "To: %s\nSubject: %s\n%s" % (to, header(title), message.as_string())


def text_of(found):
    return "".join(fact_text(name, values) for name, values in lines(found))


def run(store, options, now):
    if options.subject is not None and not options.mail:
        raise program.Failure("--subject goes with --mail only", status=IN_VAIN)
    if options.mail is not None and not MAIL_ADDRESS.match(options.mail):
        raise program.Failure("jobtrail-acct: --mail: %s is no address" % escape(options.mail), status=IN_VAIN)
    found = summary(store, options, now)
    if options.mail and found["job"]["state"] in LIVE:
        raise program.Failure("jobtrail-acct: --mail: the job has not ended")
    if options.json:
        meta = {"store": options.store, "schema": SCHEMA_VERSION, "time": now}
        print(json.dumps(dict(meta=meta, **found), indent=1))
    elif options.mail:
        title = subject(found) if options.subject is None else cell(options.subject)
        print(mail(found, options.mail, title, text_of(found)), end="")
    else:
        print(text_of(found), end="")
