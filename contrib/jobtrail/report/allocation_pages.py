# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of what was allocated, and what became of it."""

from .. import coverage_told
from . import days
from .columns import COUNT, HOURS, ROUNDED, SHARE, TEXT, Page, top
from .division import ASSUMED, HAD_BY_PROGRAMS, IDLE, NO_RECORD, NOT_ALLOCATED, UNCERTAIN
from .model import UNKNOWN
from .numbers import EXACT_PLACES, PARTS, places_for

# What the outcomes of coverage mean, and the reports' own ones.
WHY = {
    "recorded": "has a record, or follows a task that has one",
    "static": "static program, recorded from what root knows",
    "sampled": "left out by sampling; their number and time are known",
    NOT_ALLOCATED: "recorded; the allocation is not known",
    UNCERTAIN: "a program may have been running: its end was not seen",
    IDLE: "CPUs without a task, or of a batch script that waited",
    NO_RECORD: "nodes without a record of the job, or a job without a step",
    ASSUMED: "follows a task below a script: perhaps it ran the same",
    "follower": "follows a task that has no record",
    "launch": "before, between or after the programs of a recorded task",
    "script": "a shell or a wrapper, and what it ran without a record",
    "launcher": "a launcher's daemon, whose ranks are not known",
    "policy": "left out by the site's rules",
    "excluded": "the site leaves out this partition or account",
    "opted_out": "left out by the user",
    "setuid": "set-user-id: the loader ignores the library",
    "container": "in a container without the library",
    "missing": "the program was not found afterwards",
    "spool": "no room in the spool",
    "not_started": "ended before its loader was done",
    "killed": "killed before its program had started",
    "unknown": "for an unknown reason",
}


ALLOCATED_BY = ("clusters", "partitions", "users", "accounts", "fields", "days")


def allocation_page(model, options):
    """The five numbers, by what --of says. Each row adds up as it is written."""
    of = options.of if options.of in ALLOCATED_BY else "clusters"
    if of == "days":
        found = [(days.text(day), numbers) for day, numbers in sorted(model.numbers_by_day().items())]
        jobs = {days.text(day): count for day, count in model.jobs_by_day().items()}
    else:
        name_of = allocated_name(model, of)
        found = sorted(model.numbers_by(name_of).items(), key=lambda item: (-item[1].allocation, item[0]))
        jobs = {}
        for who, count in model.jobs_by("who").items():
            jobs[name_of(who)] = jobs.get(name_of(who), 0) + count
    whole = model.numbers()
    places = EXACT_PLACES if options.form not in (None, "html") else places_for(whole.allocation)
    outcomes = sorted(whole.unseen_by, key=lambda name: (-whole.unseen_by[name], name))
    kind = ROUNDED + places
    columns = [(of[:-1], of[:-1].capitalize(), TEXT), ("allocation", "Allocation", kind)]
    columns += [(name, name.capitalize(), kind) for name in PARTS]
    columns += [("coverage", "Coverage", SHARE), ("jobs", "# Jobs", COUNT)]
    columns += [("unseen_" + name, "Unseen: " + name, kind) for name in outcomes]

    def cells(name, numbers, count):
        rounded = numbers.rounded(places)
        unseen = numbers.unseen_rounded(rounded["unseen"], places)
        return (
            [name, rounded["allocation"]] + [rounded[part] for part in PARTS] + [numbers.coverage, count]
            + [unseen.get(name, 0.0) for name in outcomes]
        )  # fmt: skip

    items, left_out = top(found, options) if of != "days" else (found, 0)
    rows = [cells(name, numbers, jobs.get(name, 0)) for name, numbers in items]
    total = cells("Total", whole, model.all_jobs())
    return Page("allocation", "Allocation by " + of[:-1], columns, rows, "allocation",
                "Core hours: allocation = programs + uncertain + unseen + idle, and unseen is the sum of its columns."
                " Each row adds up as it is written; a column may differ from its total by rounding.",
                left_out, total)  # fmt: skip


def allocated_name(model, of):
    if of == "clusters":
        return lambda who: model.people[who][2] or UNKNOWN
    return lambda who: model.person_name(of, model.people[who])


def coverage_page(model, options):
    numbers = model.numbers()
    whole = numbers.allocation or 1
    found = {}
    for outcome, path, tasks, hours in model.coverage():
        path = None if "executables" in options.without else path
        have = found.setdefault((outcome, None if outcome in HAD_BY_PROGRAMS else path), [0, 0.0])
        have[0] += tasks
        have[1] += hours
    known = [item for item in found.items() if is_known(item[0][0])]
    unseen = [item for item in found.items() if not is_known(item[0][0])]
    of_outcome = numbers.unseen_by
    unseen.sort(key=lambda item: (-of_outcome.get(item[0][0], 0), item[0][0], -item[1][1], item[0][1] or ""))
    known.sort(key=lambda item: (-item[1][1], item[0][0]))
    unseen, left_out = top(unseen, options)
    columns = [
        ("outcome", "Outcome", TEXT),
        ("program", "Program", TEXT),
        ("tasks", "# Tasks", COUNT),
        ("core_hours", "CoreHrs", HOURS),
        ("share", "Share", SHARE),
        ("meaning", "Meaning", TEXT),
    ]
    rows = [
        [outcome, path, round(tasks), hours, hours / whole, WHY.get(outcome, "")]
        for (outcome, path), (tasks, hours) in known + unseen
    ]
    tasks = round(sum(tasks for tasks, _ in found.values()))
    total = ["Total", None, tasks, numbers.allocation, 1.0 if numbers.allocation else None, None]
    return Page("coverage", "Coverage: what became of the allocated time", columns, rows, "core_hours",
                "Programs: recorded, static and sampled. Unseen: all but these, uncertain and idle. A task counts once, in the row"
                " with most of its time; its uncertain time counts as that of programs."
                + "".join(" %s." % line for line in coverage_told.lines(model.coverage_told())), left_out, total)  # fmt: skip


def is_known(outcome):
    return outcome in HAD_BY_PROGRAMS or outcome in (UNCERTAIN, IDLE)
