# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of how runs ended."""

import signal

from .columns import BESIDE, BETWEEN, COUNT, ESTIMATE, HOURS, RANGE, SHARE, TEXT, Page, top
from .sums import SumsByName

ENDING_COLUMNS = [
    ("core_hours", "CoreHrs", HOURS),
    ("core_hours", BETWEEN, RANGE),
    ("inclusive_core_hours", "Inclusive", BESIDE),
    ("inclusive_core_hours", BETWEEN, RANGE),
]


def ending_cells(estimates, sums):
    """Of ENDING_COLUMNS"""
    return list(estimates.hours(sums, False)) + list(estimates.inclusive(sums))


def endings_page(model, options):
    estimates = model.estimates()
    found, users = SumsByName(), {}
    for outcome, who, *sums in model.endings("who"):
        found[outcome].add_row(model.bits_of[who], *sums)
        users.setdefault(outcome, set()).add(model.people[who][0])
    runs = {outcome: estimates.runs(sums, False) for outcome, sums in found.items()}
    whole = sum(value for value, _ in runs.values()) or 1
    columns = [
        ("outcome", "Ended", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("share", "Share", SHARE),
    ] + ENDING_COLUMNS + [("users", "# Users", COUNT)]  # fmt: skip
    rows = [
        [outcome_text(outcome), *value, value[0] / whole, *ending_cells(estimates, found[outcome]), len(users[outcome])]
        for outcome, value in sorted(runs.items(), key=lambda item: (-item[1][0], item[0]))
    ]
    return Page("endings", "How runs ended", columns, rows, "runs",
                note="EXITED: exit code unknown. UNKNOWN: end not seen. Records are weighted: they also stand for runs that sampling"
                " left out.")  # fmt: skip


def outcome_text(outcome):
    """KILLED 9 as KILLED by SIGKILL"""
    word, _, number = outcome.partition(" ")
    if not number:
        return word
    try:
        return "%s by %s" % (word, signal.Signals(int(number)).name)
    except ValueError:
        return "%s by signal %s" % (word, number)


FAILED = ("FAILED", "KILLED", "NOT_STARTED")
NOT_SEEN = "UNKNOWN"


def failures_page(model, options):
    """Programs by core hours of runs that failed or were killed. An end that nobody saw is no failure."""
    programs, estimates = model.programs(), model.estimates()
    found, failed, unknown = SumsByName(), SumsByName(), SumsByName()
    for outcome, program, *sums in model.endings("program"):
        name = model.executable_name(model.executable_of(programs[program]))
        word = outcome.split(" ")[0]
        found[name].add_row((0, 0), *sums)
        if word in FAILED:
            failed[name].add_row((0, 0), *sums)
        elif word == NOT_SEEN:
            unknown[name].add_row((0, 0), *sums)
    rows = []
    for name, sums in failed.items():
        runs, whole = estimates.runs(sums, False), estimates.runs(found[name], False)[0]
        share = min(runs[0] / whole, 1.0) if whole else 0.0
        not_seen = estimates.runs(unknown[name], False) if name in unknown else (0.0, None)
        rows.append([name, *runs, share, *ending_cells(estimates, sums), *not_seen])
    rows.sort(key=lambda row: (-row[4], -row[6], row[0]))
    rows, left_out = top(rows, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("failed_runs", "# Failed", ESTIMATE),
        ("failed_runs", BETWEEN, RANGE),
        ("share", "Of its runs", SHARE),
    ]
    columns += [("failed_" + key, title, kind) for key, title, kind in ENDING_COLUMNS]
    columns += [("unknown_runs", "# Unknown", ESTIMATE), ("unknown_runs", BETWEEN, RANGE)]
    return Page("failures", "Programs that failed or were killed", columns, rows, "failed_core_hours",
                "Unknown: the end was not seen. These are not counted as failed.", left_out)  # fmt: skip
