# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a job used of memory and of processor time: decided here alone, of what the kernel reported of its runs and of what
Slurm's accounting has. Each of them misses some: Slurm's samples come between, and it counts no killed process; the kernel
witness tells of recorded programs. So the larger number is the better one, and it is said whose it is."""

from . import amounts

SLURM, WITNESS = "Slurm's accounting", "the kernel witness"


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
    """{"asked", "used": bytes, of the largest process or task, "source", "step": whose and where it was, ...: see summary()}. A
    step without a sample is not known, other than that of the prolog, which runs no program of the job's."""
    tasks = {run["step_id"]: run["num_tasks"] for run in runs}
    told = {}
    for run in runs:
        told[run["step_id"]] = max(told.get(run["step_id"], 0), most_of_process(run))
    of_steps = [step_memory(step, row, tasks.get(step), told.get(step)) for step, row in steps.items() if step != "extern"]
    sampled = {of["step"]: of["largest_task"] for of in of_steps if of["largest_task"] is not None}
    is_whole = bool(of_steps) and all(of["most"] is not None for of in of_steps)
    has = amounts.resources(job["AllocTRES"]) if job else {}
    cpus, nodes = amounts.whole(has.get("cpu")), amounts.whole(has.get("node"))
    task, process = max(sampled.values(), default=None), max(told.values(), default=0) or None
    used, source, steps_told = (process, WITNESS, told) if (process or 0) > (task or 0) else (task, SLURM, sampled)
    return {
        "asked": amounts.size(has.get("mem")) or (amounts.size(job["ReqMem"], cpus, nodes) if job else None) or None,
        "used": used,
        "source": used and source,
        "step": used and max(steps_told, key=steps_told.get),
        "largest_task": task,
        "largest_process": process,
        "sampled_at_most": sum(of["most"] for of in of_steps) if is_whole else None,
        "steps": of_steps,
    }


def cpus_of(job, runs, elapsed):
    """{"allocated", "seconds", "bound": ">=" where the kernel has not told of all of the runs, "source", "efficiency": 0 to 1}"""
    allocated = amounts.whole(amounts.resources(job["AllocTRES"]).get("cpu")) if job else None
    own, busy = {}, amounts.seconds(job["TotalCPU"]) if job else None
    add_used(own, runs)
    told = None if own["run_cpu"] is None else own["run_cpu"] + (own["forked_cpu"] or 0)
    is_told = told is not None and (busy is None or told > busy)
    seconds = told if is_told else busy
    source = None if seconds is None else WITNESS if is_told else SLURM
    share = seconds / (elapsed * allocated) if elapsed and allocated and seconds is not None else None
    return {"allocated": allocated, "seconds": seconds, "bound": own["ranks_bound"] if is_told else "", "source": source, "efficiency": share}


def of_row(job):
    """(what memory_of(), what cpus_of() makes) of a row of jobtrail-acct; of a run that Slurm's accounting has no part in."""
    runs = job.get("parts")
    row = job["slurm"] if runs else None
    return memory_of(row, job.get("steps") or {}, runs or [job]), cpus_of(row, runs or [job], None)


def memory_text(job):
    return amounts.size_text(of_row(job)[0]["used"])


def cpu_text(job):
    found = of_row(job)[1]
    return None if found["seconds"] is None else found["bound"] + amounts.cpu_time(found["seconds"])


USED = ("user_cpu", "system_cpu", "disk_read", "disk_write")
FORKED = ("forked", "forked_signaled", "forked_cpu", "forked_read", "forked_write")


def add_used(job, runs):
    """What the processes used, as the kernel reported. The last run of a process has it."""
    known = [run for run in runs if run["user_cpu"] is not None]
    for name in USED:
        job[name] = sum(run[name] for run in known) if known else None
    counted = [run for run in known if run["forked"] is not None]
    for name in FORKED:
        job[name] = sum(run[name] for run in counted) if counted else None
    for name in ("max_rss", "forked_max_rss"):
        job[name] = max((run[name] for run in known if run[name] is not None), default=None)
    job["forked_least"] = any(run["forked_least"] for run in counted)
    is_whole = all(run["user_cpu"] is not None or run["end_source"] == "exec" for run in runs)
    is_of_ranks = any((run["num_tasks"] or 0) > 1 for run in runs)
    job["used_bound"] = "" if is_whole and not is_of_ranks else ">="
    add_ranks(job, runs)


def add_ranks(job, runs):
    """Processor time and largest memory of all ranks: a run of several tasks has those of its own, and the summary of the
    program's ranks, one in a step, those of all that were measured."""
    job["ranks_bound"], cpu, largest, summed = "", [], [job["max_rss"]], {}
    for run in runs:
        of, found, is_last = (run["step_id"], run["exec_path"]), run["ranks"], run["end_source"] != "exec"
        own, is_whole = run["run_cpu"], run["run_cpu"] is not None or not is_last
        if is_last and found and found["measured"] and of not in summed:
            own, summed[of] = found["cpu_mean"] * found["measured"], run["node"]
            largest.append(found["memory_max"])
            is_whole = found["measured"] >= run["num_tasks"] and not found["unseen"] and found["nodes"] >= (found["step_nodes"] or 1)
        elif summed.get(of, run["node"]) != run["node"]:
            continue  # the summary is of this node, too
        elif is_last and (run["num_tasks"] or 0) > 1:
            is_whole = False
        cpu += [] if own is None else [own]
        job["ranks_bound"] = job["ranks_bound"] if is_whole else ">="
    job["run_cpu"] = sum(cpu) if cpu else None
    job["max_rss"] = max((size for size in largest if size is not None), default=None)
