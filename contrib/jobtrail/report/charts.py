# SPDX-License-Identifier: LGPL-2.1-or-later
"""Charts as inline SVG. Colours and sizes of text are the page's."""

import html

from . import days
from .pages import ERROR, HOURS
from .text_output import compact, written

BARS = 10
LABEL, WIDTH, HIGH = 160, 440, 24
LABEL_CHARACTERS = 22


def shorten(text):
    """The end of a path says more than its beginning."""
    return text if len(text) <= LABEL_CHARACTERS else "…" + text[1 - LABEL_CHARACTERS :]


def bars(page):
    """The largest values of the page's chart column, with their standard errors."""
    at = next((at for at, column in enumerate(page.columns) if column[0] == page.chart), None)
    if at is None:
        return ""
    has_error = at + 1 < len(page.columns) and page.columns[at + 1][2] == ERROR
    rows = sorted(page.rows, key=lambda row: -(row[at] or 0))[:BARS]
    rows = [row for row in rows if row[at]]
    if len(rows) < 2:
        return ""
    room = WIDTH - LABEL - 64
    most = max(row[at] for row in rows)
    out = [
        '<svg class="bars" viewBox="0 0 %d %d" role="img" aria-label="%s: %s">'
        % (WIDTH, len(rows) * HIGH, html.escape(page.title), html.escape(page.columns[at][1]))
    ]
    for number, row in enumerate(rows):
        y = number * HIGH
        width = max(row[at] / most * room, 1)
        label = html.escape(shorten(written(row[0], page.columns[0][2])))
        out.append(
            '<text x="%d" y="%d" text-anchor="end">%s</text>' % (LABEL - 8, y + 17, label)
            + '<rect x="%d" y="%d" width="%.1f" height="%d" rx="2"/>' % (LABEL, y + 4, width, HIGH - 8)
        )
        if has_error and row[at + 1]:
            low = LABEL + max(row[at] - row[at + 1], 0) / most * room
            high = min(LABEL + (row[at] + row[at + 1]) / most * room, LABEL + room)
            middle = y + HIGH / 2
            ends = low, high, middle, middle
            out.append('<line class="error" x1="%.1f" x2="%.1f" y1="%g" y2="%g"/>' % ends)
            width = max(width, high - LABEL)
        out.append(
            '<text class="v" x="%.1f" y="%d">%s</text>'
            % (LABEL + width + 6, y + 17, html.escape(compact(row[at])))
        )
    return "".join(out) + "</svg>"


def history(by_day):
    """Core hours of each day or, of a longer time, of each week: columns."""
    if len(by_day) < 2:
        return ""
    first, last = by_day[0][0], by_day[-1][0]
    step = 1 if last - first < 70 else 7
    sums = {}
    for day, hours in by_day:
        slot = (day - first) // step
        sums[slot] = sums.get(slot, 0) + hours
    slots = (last - first) // step + 1
    most = max(sums.values()) or 1
    height, width = 90, WIDTH / slots
    title = "Core hours a " + ("day" if step == 1 else "week")
    out = [
        '<svg class="bars" id="history" viewBox="0 0 %d %d" role="img" aria-label="%s">'
        % (WIDTH, height + 40, title),
        '<text class="v" x="0" y="14">%s, at most %s</text>' % (title, compact(most)),
    ]
    for slot, hours in sorted(sums.items()):
        tall = hours / most * height
        out.append(
            '<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"><title>%s: %s</title></rect>'
            % (slot * width, 20 + height - tall, width * 0.85, tall,
               days.text(first + slot * step), written(hours, HOURS))  # fmt: skip
        )
    out.append('<line x1="0" x2="%d" y1="%d" y2="%d"/>' % (WIDTH, height + 20, height + 20))
    out.append('<text class="v" x="0" y="%d">%s</text>' % (height + 36, days.text(first)))
    out.append(
        '<text class="v" x="%d" y="%d" text-anchor="end">%s</text>' % (WIDTH, height + 36, days.text(last))
    )
    return "".join(out) + "</svg>"


def share_bar(share):
    """A small bar for the coverage."""
    return (
        '<svg class="bars share" width="80" height="10" viewBox="0 0 80 10" aria-hidden="true">'
        '<rect class="back" width="80" height="10" rx="3"/>'
        '<rect width="%.1f" height="10" rx="3"/></svg>' % (80 * share)
    )
