# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report as one HTML page."""

import html

from ...report import days
from ...report.columns import COUNT
from ...report.pages import DOORS, PAGES
from ...report.text_output import (
    beside_line, between, days_line, filters_line, not_told_lines, nothing_line, numbers_line,
    percent, source_line, weight_line, written,
)  # fmt: skip
from ...text import cell
from . import charts, frame
from .charts import compact
from .html_table import find_field, table

UNFOLDED = ("families",)
DAYS_OF_WEEKS, DAYS_OF_MONTHS = 70, 800  # from so many on, columns are of weeks and of months
# The navigation, and what the pages are called there.
GROUPS = [
    ("What", ["families", "executables", "libraries", "system", "modules", "packages", "together", "compilers", "links"]),
    ("Who", ["users", "accounts", "fields", "others"]),
    ("When", ["trends", "months", "weekdays", "last"]),
    ("The site's libraries", ["changes", "unused", "removal", "routines", "uncalled"]),
    ("Endings", ["endings", "failures"]),
    ("Efficiency", ["efficiency", "mpi"]),
    ("Coverage", ["allocation", "coverage"]),
]
GROUPS = [(title, [name for name in names if name in PAGES]) for title, names in GROUPS]
NAMES = {name: name.capitalize() for name in PAGES}
NAMES.update(
    system="System libraries", together="In the same run", fields="Fields of science", others="Built by others",
    last="Last run", endings="How runs ended", failures="What failed", coverage="Coverage by outcome",
)  # fmt: skip
for _door in DOORS:
    NAMES.update(_door.NAMES)


def in_proportion(numbers):
    """(coverage, of what): the share, only where most core hours are of a known allocation."""
    if numbers["coverage"] is None:
        return "not known", "coverage"
    known = (numbers["allocation"] or 0) - numbers["not_allocated"]
    beside = numbers["inclusive"] + numbers["not_allocated"]
    if beside > known:
        other = "; %s of the other %s" % (percent(numbers["coverage"]), compact(known)) if known > beside / 1000 else ""
        return "not known", "coverage: the allocation of %s core hours is not known%s" % (compact(beside), other)
    more = "; the allocation of %s more is not known" % compact(beside) if beside > 0.05 else ""
    return percent(numbers["coverage"]), "coverage of %s core hours%s" % (compact(known), more)


def section(page, head):
    numbers = head["numbers"]
    page = page.for_people(numbers)
    notes = [frame.note("and %d more" % page.left_out if page.left_out else ""), frame.note(page.note)]
    body = table(page) if page.rows else frame.note(nothing_line(head))
    drawn = page.drawn(charts, None) if page.drawn else charts.bars(page, None)
    return frame.folded(page.name, page.title, page.name in UNFOLDED, drawn, find_field(page), body, *notes)


def cards(head):
    found = head["numbers"]
    runs_label = "runs"
    if head["runs_low"] is not None:
        runs_label += ", 95 % interval: " + between(head["runs_low"], head["runs_high"])
    hours, hours_label = found["programs"], "core hours of programs"
    if not found["allocation"] and found["inclusive"]:
        hours, hours_label = found["inclusive"], "core hours, inclusive"
    return frame.cards(
        [(compact(hours), hours_label), (compact(head["runs"]), runs_label)]
        + [(written(head[name], COUNT), name) for name in ("jobs", "users", "accounts")]
        + [in_proportion(found)]
    )


def overview(head, model):
    """The whole division, and core hours over time."""
    numbers = head["numbers"]
    lines = [numbers_line(numbers), source_line(numbers), beside_line(numbers), days_line(numbers)]
    drawn = charts.division(numbers)
    by_day = model.hours_by_day()
    seen = {day for day, *_ in by_day}
    for at, what in ((1, "programs"), (2, "records without exclusive hours")):
        found = {row[0]: row[at] for row in by_day if row[at]}
        if found:
            drawn += over_time(model, found, seen, what)
    text = '<p class="coverage">%s</p>' % "<br>".join(html.escape(line) for line in lines if line)
    return frame.section("overview", "Overview", text, drawn)


def over_time(model, found, seen, what):
    """`found`: {day: core hours}; `seen`: days of which there are data"""
    first, last = model.first, model.last
    length = last - first + 1
    word = "day" if length < DAYS_OF_WEEKS else "week" if length < DAYS_OF_MONTHS else "month"

    def begin_of(day):
        if word == "month":
            return days.of_text(days.text(day)[:8] + "01")
        return day - (day - first) % (1 if word == "day" else 7)

    def end_of(begin):
        return days.of_month(int(days.text(begin)[:7].replace("-", "")))[1] if word == "month" else begin + (0 if word == "day" else 6)

    begins = sorted({begin_of(day) for day in range(first, last + 1)})
    values = dict.fromkeys(begins)
    for day in seen:
        begin = begin_of(day)
        values[begin] = (values[begin] or 0) + found.get(day, 0)
    over = min(last, days.of_time(model.now) - 1)
    points = [(days.text(day)[: 7 if word == "month" else 10], values[day], first <= day and end_of(day) <= over) for day in begins]
    return charts.over_time(points, "Core hours of %s a %s" % (what, word), "core hours")


def groups_of(pages):
    """The navigation to these pages"""
    have = {page.name for page in pages}
    found = [("Overview", [("#overview", "Overview")])]
    for title, names in GROUPS:
        links = [("#" + name, NAMES[name]) for name in names if name in have]
        if links:
            found.append((title, links))
    return found


def print_html(head, pages, model):
    numbers = head["numbers"]
    title = "Software usage, %s to %s" % (numbers["first"], numbers["last"])
    sections = [overview(head, model)] + [section(page, head) for page in pages]
    lines = [filters_line(head), head["left_out"], head["pseudonyms"], weight_line(head), *not_told_lines(head)]
    navigation = frame.navigation(groups_of(pages))
    print(
        frame.document(
            title,
            cards(head) + frame.findings(head["findings"]) + "".join(map(frame.note, lines)),
            navigation,
            "\n".join(sections),
            html.escape("jobtrail-report, %s, %s" % (head["made"], cell(head["store"]))),
        ),
        end="",
    )
