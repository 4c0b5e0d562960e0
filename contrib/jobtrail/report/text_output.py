# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages as text, CSV and JSON."""

import json
import sys

from ..text import cell, csv_row, fit, places
from .chosen import FILTERS
from .columns import BESIDE, COUNT, DATE, ESTIMATE, HOURS, HOURS_PLACES, LIST, RANGE, ROUNDED, SHARE, TEXT
from .model import UNKNOWN
from .numbers import PARTS, add_up, places_for

WIDEST = 60
LISTED = 4


def written(value, kind):
    """A value for people to read."""
    if value is None:
        return ""
    if kind == TEXT or kind == DATE:
        return cell(value)
    if kind == LIST:
        names = value.split(", ")
        more = ["%d more" % (len(names) - LISTED)] if len(names) > LISTED + 1 else []
        return cell(", ".join(names[:LISTED] + more if more else names))
    if kind == SHARE:
        return "%.1f%%" % (100 * value)
    if kind == RANGE:
        return between(*value)
    if kind >= ROUNDED:
        return "{:,.{}f}".format(value, kind - ROUNDED)
    if kind in (HOURS, BESIDE):
        return "{:,.{}f}".format(value, HOURS_PLACES if value < 100 else 0)
    return "{:,.0f}".format(value)


def between(low, high):
    """Two numbers as people read them, or the lower one."""
    if high is None:
        return "%s or more" % rounded(low)
    return "%s to %s" % (rounded(low), rounded(high))


def rounded(value):
    return "{:,.1f}".format(value) if value < 100 and value != int(value) else "{:,.0f}".format(value)


def percent(share):
    return "not known" if share is None else "%.1f %%" % (100 * share)


def numbers_line(numbers):
    """The five numbers, so rounded that they add up."""
    if numbers["allocation"] is None:
        return of_programs_line(numbers)
    if not numbers["allocation"]:
        return "Allocation: not known (no coverage records)"
    if numbers["coverage"] is None:
        return "Allocation: not known (no coverage records). Programs %s core hours" % written(numbers["programs"], HOURS)
    places = places_for(numbers["allocation"])
    whole, parts = add_up([numbers[name] for name in PARTS], places)
    sums = " + ".join("%s %s" % (name, "{:,.{}f}".format(value, places)) for name, value in zip(PARTS, parts))
    return "Allocation %s core hours = %s. Coverage %s" % (
        "{:,.{}f}".format(whole, places), sums, percent(numbers["coverage"]))  # fmt: skip


def of_programs_line(numbers):
    """Where programs are chosen."""
    text = "Programs %s core hours" % written(numbers["programs"], HOURS)
    if numbers["programs_low"] is not None:
        text += " (95 %% interval: %s)" % between(numbers["programs_low"], numbers["programs_high"])
    return text + ". Allocation and coverage cannot be given for selected programs"


def filters_line(head):
    """What a report is of, if not of all; None: of all."""
    parts = []
    for _, one, several in FILTERS:
        names = head["filters"].get(several)
        if names is not None:
            parts.append("%s %s" % (one if len(names) == 1 else several, cell(", ".join(names))))
    return "Of " + "; ".join(parts) if parts else None


def source_line(numbers):
    """Who says what was allocated; None: nobody."""
    if numbers["coverage"] is None:
        return None
    jobs, told = numbers["jobs"], numbers["jobs_in_accounting"]
    if jobs and told == jobs:
        return "Allocated time by Slurm's accounting"
    nodes = "as seen by the nodes, short suspensions included"
    if not told:
        return "Allocated time %s" % nodes
    return "Allocated time by Slurm's accounting for {:,} of {:,} jobs, else {}".format(told, jobs, nodes)


def beside_line(numbers):
    """What is not among the five; None: nothing."""
    found = []
    if numbers["not_allocated"]:
        found.append("%s core hours of programs whose allocation is not known" % written(numbers["not_allocated"], HOURS))
    if numbers["inclusive"]:
        text = "%s inclusive core hours" % written(numbers["inclusive"], HOURS)
        if numbers["inclusive_low"] is not None:
            text += " (95 %% interval: %s)" % between(numbers["inclusive_low"], numbers["inclusive_high"])
        found.append(text + ", in which programs running at the same time count in full")
    if numbers["running"]:
        found.append("%s core hours so far of runs that are still running" % written(numbers["running"], HOURS))
    return "Not included: " + "; ".join(found) if found else None


def days_line(numbers):
    return "%s to %s, days of %s" % (numbers["first"], numbers["last"], cell(numbers["timezone"]))


def weight_line(head):
    if head["raw"]:
        return "Records are counted without weights (--raw)"
    if not head["sampled"]:
        return "No run was left out by sampling"
    return (
        "Short runs are sampled: intervals hold the true value in 95 % of cases, numbers without one are exact. Users, jobs"
        " and accounts are those with records"
    )


def not_told_lines(head):
    """Of runs of which what was chosen by is not known."""
    if head["runs_not_told"]:
        yield "Sampling left out %s more runs; whether they belong here is not known" % written(head["runs_not_told"], COUNT)
    if head["lists_lack"]:
        yield head["lists_lack"]


def runs_text(head):
    text = "%s runs" % written(head["runs"], COUNT)
    if head["runs_low"] is not None:
        text += " (95 %% interval: %s)" % between(head["runs_low"], head["runs_high"])
    return text


def print_text(head, pages):
    numbers = head["numbers"]
    print("%s  %s" % (cell(head["store"]), days_line(numbers)))
    counts = ["%s %s" % (written(head[name], COUNT), name) for name in ("jobs", "users", "accounts")]
    print(", ".join([runs_text(head)] + counts))
    for line in head["findings"]:
        print(cell(line))
    print(weight_line(head))
    for line in filter(None, (head["left_out"], head["pseudonyms"], *not_told_lines(head))):
        print(line)
    for page in pages:
        print()
        print_page(page.for_people(numbers), head)


def nothing_line(head):
    """Of an empty page."""
    numbers, of = head["numbers"], filters_line(head)
    return "Nothing from %s to %s%s" % (numbers["first"], numbers["last"], " of" + of[2:] if of else "")


def print_page(page, head):
    numbers = head["numbers"]
    print("%s, %s" % (page.title, days_line(numbers)))
    lines = filters_line(head), numbers_line(numbers), source_line(numbers), beside_line(numbers)
    for line in filter(None, lines):
        print(line)
    if not page.rows:
        print(nothing_line(head))
        if page.note:
            print(page.note)
        return
    kinds = [kind for _, _, kind in page.columns]
    rows = page.rows + ([page.total] if page.total else [])
    rows = [[written(value, kind) for value, kind in zip(row, kinds)] for row in rows]
    titles = [title for _, title, _ in page.columns]
    widths = [min(max(places(text) for text in column), WIDEST) for column in zip(titles, *rows)]
    last = len(widths) - 1
    for row in [titles, ["-" * width for width in widths]] + rows:
        line = "  ".join(
            aligned(text, width, kind, at == last)
            for at, (text, width, kind) in enumerate(zip(row, widths, kinds))
        )
        print(line.rstrip())
    if page.left_out:
        print("... and %d more (--top 0: all)" % page.left_out)
    if page.note:
        print(page.note)


def aligned(text, width, kind, is_last):
    if is_last:
        width = max(width, places(text))
    return fit(text, -width if kind in (TEXT, DATE, LIST) else width)


def exact(value, kind):
    """A value for programs: counts are whole numbers where nothing was weighted."""
    if isinstance(value, float):
        value = round(value, 6)
        if kind in (COUNT, ESTIMATE, RANGE) and value == int(value):
            return int(value)
    return value


def exact_columns(page):
    """[(place in the row, key, kind)]: an interval becomes two columns."""
    for at, (key, _, kind) in enumerate(page.columns):
        if kind == RANGE:
            yield at, key + "_low", 0
            yield at, key + "_high", 1
        else:
            yield at, key, None


def exact_row(page, row):
    return [
        exact(row[at], page.columns[at][2]) if end is None else exact(row[at] and row[at][end], page.columns[at][2])
        for at, _, end in exact_columns(page)
    ]


def print_table(head, page, form):
    """One table, "csv" or "jsonl", of rows alone. What it lacks is said on the standard error."""
    words = list(not_told_lines(head))
    if page.left_out:
        words.append("--top leaves out %d more rows" % page.left_out)
    for line in words:
        print("jobtrail-report: %s" % line, file=sys.stderr)
    rows = (named(page, row) for row in page.rows)
    if form == "csv":
        print(csv_row(key for _, key, _ in exact_columns(page)))
    for row in rows:
        print(json.dumps(row) if form == "jsonl" else csv_row("" if value is None else value for value in row.values()))


def print_json(head, pages):
    document = {name: value for name, value in head.items() if name != "numbers"}
    document["pages"] = [
        {
            "name": page.name,
            "title": page.title,
            "numbers": head["numbers"],
            "note": page.note,
            "left_out": page.left_out,
            "rows": [named(page, row) for row in page.rows],
            "total": named(page, page.total) if page.total else None,
        }
        for page in pages
    ]
    print(json.dumps(document, indent=1))


def named(page, row):
    """null is what is not known."""
    values = (None if value == UNKNOWN else value for value in exact_row(page, row))
    return dict(zip((key for _, key, _ in exact_columns(page)), values))
