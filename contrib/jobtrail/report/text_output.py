# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages as text, CSV and JSON."""

import json

from ..text import cell, csv_row, fit, places
from .pages import COUNT, DATE, ERROR, ESTIMATE, HOURS, LIST, SHARE, TEXT, UNCERTAIN

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
    if kind in (HOURS, ERROR, UNCERTAIN):
        return "{:,.1f}".format(value) if value < 100 else "{:,.0f}".format(value)
    return "{:,.0f}".format(value)


def compact(value):
    """A number in a few characters: 12,345, 123 k, 4.05 M, 12.3 G."""
    if value < 100000:
        return written(value, HOURS if value < 100 and value != int(value) else COUNT)
    for unit, size in (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
        if value < 999.5 * size:
            break
    return "%.3g %s" % (value / size, unit)


def percent(share):
    return "not known" if share is None else "%.1f %%" % (100 * share)


def coverage_line(head):
    if head["coverage"]["share"] is None:
        return "Coverage: not known (no coverage records)"
    return "Coverage: %s of %s core hours that Slurm launched" % (
        percent(head["coverage"]["share"]),
        written(head["coverage"]["core_hours"], HOURS),
    )


def weight_line(head):
    if head["raw"]:
        return "Counts of records as they are (--raw)"
    if not head["sampled"]:
        return "No run was sampled"
    return "Weighted by sampling probability; ± is the standard error. Users, jobs, accounts: those seen"


def uncertain_line(head):
    """None where all ends are known well enough."""
    if not head["core_hours_uncertain"]:
        return None
    more = written(head["core_hours_uncertain"], HOURS)
    return (
        "Core hours are those known to be used, or those at the most where the last moment is told; "
        "at most %s more where nobody saw the end"
        % more
    )


def print_text(head, pages):
    print("%s  %s to %s" % (cell(head["store"]), head["first"], head["last"]))
    print(
        "%s runs, %s core hours, %s jobs, %s users, %s accounts"
        % tuple(written(head[name], HOURS if name == "core_hours" else COUNT)
                for name in ("runs", "core_hours", "jobs", "users", "accounts"))  # fmt: skip
    )
    print(weight_line(head))
    if uncertain_line(head):
        print(uncertain_line(head))
    for page in pages:
        print()
        print_page(page.without_empty_errors())
        print(coverage_line(head))


def print_page(page):
    print(page.title)
    kinds = [kind for _, _, kind in page.columns]
    rows = page.rows + ([page.total] if page.total else [])
    rows = [[written(value, kind) for value, kind in zip(row, kinds)] for row in rows]
    titles = [title for _, title, _ in page.columns]
    widths = [
        min(max(places(text) for text in column), WIDEST) for column in zip(titles, *rows)
    ]
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
        if kind in (COUNT, ESTIMATE) and value == int(value):
            return int(value)
    return value


def exact_row(page, row):
    return [exact(value, kind) for value, (_, _, kind) in zip(row, page.columns)]


def print_csv(head, pages):
    """Pages with an empty line between; the last column is the coverage."""
    share = head["coverage"]["share"]
    for number, page in enumerate(pages):
        if number:
            print()
        print(csv_row([key for key, _, _ in page.columns] + ["coverage"]))
        for row in page.rows + ([page.total] if page.total else []):
            cells = exact_row(page, row)
            print(csv_row(cells + [None if share is None else round(share, 4)]))


def print_json(head, pages):
    document = dict(head)
    document["pages"] = [
        {
            "name": page.name,
            "title": page.title,
            "left_out": page.left_out,
            "coverage": head["coverage"],
            "rows": [named(page, row) for row in page.rows],
            "total": named(page, page.total) if page.total else None,
        }
        for page in pages
    ]
    print(json.dumps(document, indent=1))


def named(page, row):
    return dict(zip((key for key, _, _ in page.columns), exact_row(page, row)))
