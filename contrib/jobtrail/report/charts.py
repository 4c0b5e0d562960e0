# SPDX-License-Identifier: LGPL-2.1-or-later
"""Charts: SVG that is stretched to the width of the page. Text is outside of the SVG, so that it has the
page's size and colours also on a phone."""

import html

from . import days
from .pages import HOURS, HOURS_PLACES, RANGE, ROUNDED
from .text_output import compact, written

BARS = 10
LABEL_CHARACTERS = 22


def shorten(text):
    """Keeps the end of a path, which is of more use than its beginning."""
    return text if len(text) <= LABEL_CHARACTERS else "…" + text[1 - LABEL_CHARACTERS :]


def drawing(width, height, shapes):
    return (
        '<svg viewBox="0 0 %g %g" preserveAspectRatio="none" aria-hidden="true">%s</svg>'
        % (width, height, shapes)
    )


def bar(value, interval, most):
    """A bar of up to 100 wide with a line of its interval."""
    shapes = '<rect y="3" width="%.2f" height="14" rx="1"/>' % max(value / most * 100, 0.3)
    if interval:
        low, high = interval[0] / most * 100, 100 if interval[1] is None else interval[1] / most * 100
        shapes += '<line class="error" x1="%.2f" x2="%.2f" y1="10" y2="10"/>' % (min(low, 100), min(high, 100))
    return drawing(100, 20, shapes)


def bars(page):
    """The largest values of the page's chart column, with their intervals."""
    found = (at for at, (key, _, kind) in enumerate(page.columns) if key == page.chart and kind != RANGE)
    at = next(found, None)
    if at is None:
        return ""
    has_interval = at + 1 < len(page.columns) and page.columns[at + 1][2] == RANGE
    rows = sorted(page.rows, key=lambda row: -(row[at] or 0))[:BARS]
    rows = [row for row in rows if row[at]]
    if len(rows) < 2:
        return ""
    most, kind = rows[0][at], page.columns[at][2]
    out = '<div class="bars" role="img" aria-label="%s: %s">' % (
        html.escape(page.title),
        html.escape(page.columns[at][1]),
    )
    for row in rows:
        name = html.escape(shorten(written(row[0], page.columns[0][2])))
        interval = row[at + 1] if has_interval else None
        out += "<div><span>%s</span>%s<span>%s</span></div>" % (
            name,
            bar(row[at], interval, most),
            html.escape(compact(row[at]) if kind <= ROUNDED + HOURS_PLACES else written(row[at], kind)),
        )
    return out + "</div>"


def history(by_day, what):
    """Core hours of each day or, of a longer time, of each week: columns. `what`: of which"""
    if len(by_day) < 2:
        return ""
    first, last = by_day[0][0], by_day[-1][0]
    step = 1 if last - first < 70 else 7
    sums = {}
    for day, hours in by_day:
        slot = (day - first) // step
        sums[slot] = sums.get(slot, 0) + hours
    most = max(sums.values()) or 1
    shapes = "".join(
        '<rect x="%d" y="%.2f" width="8.5" height="%.2f"><title>%s: %s</title></rect>'
        % (slot * 10, 100 - hours / most * 100, hours / most * 100,
           days.text(first + slot * step), written(hours, HOURS))  # fmt: skip
        for slot, hours in sorted(sums.items())
    )
    title = "Core hours of %s a %s" % (what, "day" if step == 1 else "week")
    return (
        '<div class="history" role="img" aria-label="%s"><p class="soft">%s, at most %s</p>%s'
        '<p class="soft ends"><span>%s</span><span>%s</span></p></div>'
        % (title, title, compact(most), drawing(((last - first) // step + 1) * 10, 100, shapes),
           days.text(first), days.text(last))  # fmt: skip
    )


def share_bar(share):
    """A small bar for the coverage."""
    return (
        '<svg class="share" width="80" height="10" viewBox="0 0 80 10" aria-hidden="true">'
        '<rect class="back" width="80" height="10" rx="3"/>'
        '<rect width="%.1f" height="10" rx="3"/></svg>' % (80 * share)
    )
