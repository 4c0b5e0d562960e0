# SPDX-License-Identifier: LGPL-2.1-or-later
"""Charts as HTML and SVG, with a title that names the unit, an axis and a scale that begins at 0.

Places along the page are in percent, so that text keeps its size on a phone too. What has a meaning differs by
pattern and by words, not by colour alone. The values are text beside the bars, or in a table below.
"""

import html
import math

from ...report.columns import COUNT, HOURS, HOURS_PLACES, RANGE, ROUNDED
from ...report.numbers import PARTS, add_up, places_for
from ...report.text_output import between, written
from .html_table import linked, row_of

BARS = 10
LABEL_CHARACTERS = 22
UNITS = {
    "core_hours": "core hours",
    "inclusive_core_hours": "inclusive core hours",
    "failed_core_hours": "core hours of runs that failed",
    "allocation": "core hours",
}
FILLS = {"programs": "bar", "uncertain": "dotted", "unseen": "hatched", "idle": "lined", "not known": "crossed"}
COLUMNS_HIGH = 150  # pixels
WIDE_COLUMNS = 6  # so many are as wide as the half of a date, also on a phone
BESIDE_EACH_OTHER = 4  # of so many the middle one's date and the last one's would be too near


def compact(value):
    """A number in a few characters: 0.014, 12,345, 123 k, 4.05 M, 12.3 G."""
    if value < 1 and value != int(value):
        return "%.3f" % value
    if value < 100000:
        return written(value, HOURS if value < 100 and value != int(value) else COUNT)
    for unit, size in (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
        if value < 999.5 * size:
            break
    return "%.3g %s" % (value / size, unit)


def shorten(text):
    """Keeps the end of a path, which is of more use than its beginning."""
    return text if len(text) <= LABEL_CHARACTERS else "…" + text[1 - LABEL_CHARACTERS :]


def ticks(most, count=4):
    """Round values from 0 on, at the most `count` steps; the last one is at least `most`."""
    if most <= 0:
        return [0.0, 1.0]
    size = 10.0 ** math.floor(math.log10(most / count))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor * count >= most * (1 - 1e-9))
    steps = math.ceil(most / step - 1e-9)
    return [step * number for number in range(steps + 1)]


def tick_text(value):
    return "%g" % value if value < 1000 else compact(value)


def grid(scale):
    return "".join(
        '<line class="grid" x1="%.4g%%" x2="%.4g%%" y1="0" y2="100%%"/>' % ((100 * at / scale[-1],) * 2) for at in scale
    )


def bar(value, interval, scale):
    """A bar, with a line of its interval."""
    whole = scale[-1] / 100
    shapes = grid(scale) + '<rect class="bar" y="4" width="%.2f%%" height="13" rx="1"/>' % max(value / whole, 0.2)
    if interval:
        low, high = min(interval[0] / whole, 100), 100 if interval[1] is None else min(interval[1] / whole, 100)
        shapes += '<line class="error" x1="%.2f%%" x2="%.2f%%" y1="10.5" y2="10.5"/>' % (low, high)
        for end in (low,) if interval[1] is None else (low, high):
            shapes += '<line class="error" x1="%.2f%%" x2="%.2f%%" y1="7" y2="14"/>' % (end, end)
    return '<svg class="plot" aria-hidden="true" focusable="false">%s</svg>' % shapes


def axis(scale):
    texts = "".join(
        '<text x="%.4g%%" y="11" text-anchor="%s">%s</text>'
        % (100 * at / scale[-1], "start" if not at else "end" if at == scale[-1] else "middle", tick_text(at))
        for at in scale
    )
    return '<div class="axis" aria-hidden="true"><span></span><svg class="plot">%s</svg><span></span></div>' % texts


def figure(css, title, *parts):
    return '<figure class="%s"><figcaption>%s</figcaption>%s</figure>' % (css, html.escape(title), "".join(parts))


def bars(page, link=None):
    """The largest values of the page's chart column, with their intervals. `link`: as of html_table.table()"""
    found = (at for at, (key, _, kind) in enumerate(page.columns) if key == page.chart and kind != RANGE)
    at = next(found, None)
    if at is None:
        return ""
    has_interval = at + 1 < len(page.columns) and page.columns[at + 1][2] == RANGE
    rows = sorted(page.rows, key=lambda row: -(row[at] or 0))[:BARS]
    rows = [row for row in rows if row[at]]
    if len(rows) < 2:
        return ""
    key, kind = page.columns[at][0], page.columns[at][2]
    scale = ticks(rows[0][at])
    items = []
    for row in rows:
        name = html.escape(shorten(written(row[0], page.columns[0][2])))
        name = linked(name, link and link(page.columns[0][0], row[0], row_of(page, row)))
        interval = row[at + 1] if has_interval else None
        value = compact(row[at]) if kind <= ROUNDED + HOURS_PLACES else written(row[at], kind)
        more = ' <span class="spoken">(95 %% interval: %s)</span>' % html.escape(between(*interval)) if interval else ""
        items.append(
            '<li><span class="name">%s</span>%s<span>%s%s</span></li>'
            % (name, bar(row[at], interval, scale), html.escape(value), more)
        )
    unit = UNITS.get(key, key)
    title = unit[:1].upper() + unit[1:]
    if len(page.rows) + page.left_out > len(rows):
        title += ", the %d largest" % len(rows)
    if has_interval and any(row[at + 1] for row in rows):
        title += "; thin lines: 95 % intervals"
    return figure("bars", title, "<ol>%s</ol>" % "".join(items), axis(scale))


def column(at, wide, point, most, unit):
    """From `at` on, both in percent; `point`: as of over_time()"""
    label, value, is_whole = point
    text = "%s: %s" % (label, "no data" if value is None else "%s %s%s" % (written(value, HOURS), unit, "" if is_whole else ", in part"))
    if value is None:
        how = 'fill="url(#blank)" x="%.3f%%" width="%.3f%%" y="8" height="%d"' % (at, wide, COLUMNS_HIGH)
    else:
        high = COLUMNS_HIGH * value / most
        how = '%s x="%.3f%%" width="%.3f%%" y="%.1f" height="%.1f"' % (
            'class="bar"' if is_whole else 'fill="url(#hatched)"', at + 0.08 * wide, 0.84 * wide, COLUMNS_HIGH - high + 8, high)  # fmt: skip
    return "<rect %s><title>%s</title></rect>" % (how, html.escape(text))


def over_time(points, title, unit):
    """Columns. `points`: [(label, value, or None where there are no data, whether it is of the whole time)], in order and
    without gaps."""
    known = [value for _, value, _ in points if value is not None]
    if len(points) < 2 or not known:
        return ""
    scale = ticks(max(known))
    wide, most = 100.0 / len(points), scale[-1]
    heights = [COLUMNS_HIGH * (1 - at / most) + 8 for at in scale]
    lines = "".join('<line class="grid" x1="0" x2="100%%" y1="%.1f" y2="%.1f"/>' % (at, at) for at in heights)
    shapes = "".join(column(at * wide, wide, point, most, unit) for at, point in enumerate(points))
    levels = "".join(
        '<text x="100%%" y="%.1f" text-anchor="end">%s</text>' % (height + 4, tick_text(at))
        for height, at in zip(heights, scale)
    )
    if None in [value for _, value, _ in points]:
        title += "; dotted: no data"
    if any(value is not None and not is_whole for _, value, is_whole in points):
        title += "; hatched: in part"
    rows = "".join(
        '<tr><th scope="row" class="t">%s</th><td>%s</td></tr>'
        % (html.escape(label), "no data" if value is None else written(value, HOURS))
        for label, value, _ in points
    )
    values = (
        '<details class="values"><summary>Values</summary><table><thead><tr><th scope="col" class="t">From</th>'
        '<th scope="col">%s</th></tr></thead><tbody>%s</tbody></table></details>' % (html.escape(unit.capitalize()), rows)
    )
    return figure("columns", title, '<div class="frame" aria-hidden="true"><svg class="levels">%s</svg><svg class="plot">%s%s'
                  "</svg><span></span>%s</div>" % (levels, lines, shapes, dates(points)), values)  # fmt: skip


def dates(points):
    """Some of the labels, below the middle of their columns; those at the ends within the chart where columns are narrow."""
    last = len(points) - 1
    places = [0, last] if len(points) == BESIDE_EACH_OTHER else sorted({0, round(last / 2), last})
    anchors = {0: "start", last: "end"} if len(points) > WIDE_COLUMNS else {}
    texts = "".join(
        '<text x="%.3f%%" y="12" text-anchor="%s">%s</text>'
        % ((at + 0.5) * 100 / len(points), anchors.get(at, "middle"), html.escape(points[at][0]))
        for at in places
    )
    return '<svg class="dates">%s</svg>' % texts


def spark(values, most):
    """Small columns of a row of a table of trends; None: no data."""
    wide = 100.0 / len(values)
    shapes = "".join(
        '<rect %s x="%.2f%%" width="%.2f%%" y="%.1f" height="%.1f"/>'
        % ('fill="url(#blank)"' if value is None else 'class="bar"', at * wide + wide * 0.1, wide * 0.8,
           0 if value is None else 30 - 29 * value / most, 30 if value is None else 29 * value / most + 1)  # fmt: skip
        for at, value in enumerate(values)
    )
    return '<svg class="plot spark">%s</svg>' % shapes


def trends(names, labels, title):
    """`names`: [(name, href or None, [value, or None where there are no data])]: small columns for each, of a scale of
    their own, which is written beside them."""
    names = [item for item in names if any(item[2])]
    if not names or len(labels) < 2:
        return ""
    items = "".join(
        '<li><span class="name">%s</span><span class="of" role="img" aria-label="%s">%s</span><span>%s</span></li>'
        % (linked(html.escape(shorten(written(name, 0))), href),
           html.escape("; ".join("%s: %s" % (label, "no data" if value is None else compact(value))
                                 for label, value in zip(labels, values))),
           spark(values, max(filter(None, values))), html.escape(compact(max(filter(None, values)))))  # fmt: skip
        for name, href, values in names
    )
    ends = (
        '<div class="axis" aria-hidden="true"><span></span><svg class="plot"><text x="0" y="11">%s</text>'
        '<text x="100%%" y="11" text-anchor="end">%s</text></svg><span></span></div>'
        % (html.escape(labels[0]), html.escape(labels[-1]))
    )
    ruled = "; dotted: no data" if any(None in values for _, _, values in names) else ""
    return figure("bars trends", title + ruled, "<ol>%s</ol>" % items, ends)


def division(numbers):
    """The five numbers as one bar, and core hours of which no record tells the allocation, with their values."""
    places = places_for(numbers["allocation"] or 0)
    values = add_up([numbers[name] or 0.0 for name in PARTS], places)[1] if numbers["allocation"] else [0.0] * len(PARTS)
    parts = list(zip(PARTS, values)) + [("not known", numbers["inclusive"] or 0.0)]
    parts = [(name, value) for name, value in parts if value > 0]
    whole = sum(value for _, value in parts)
    if not whole or len(parts) < 2:
        return ""
    shapes, items, at = [], [], 0.0
    for name, value in parts:
        fill = 'class="bar"' if FILLS[name] == "bar" else 'fill="url(#%s)"' % FILLS[name]
        share = 100 * value / whole
        shapes.append('<rect %s x="%.3f%%" width="%.3f%%" y="0" height="24"/>' % (fill, at, share))
        at += share
        text = "{:,.{}f}".format(value, places) if name in PARTS else written(value, HOURS)
        if name == "not known":
            name = "inclusive core hours, of which the allocation is not known"
        items.append(
            '<li><svg class="swatch" aria-hidden="true"><rect %s width="18" height="12"/></svg> %s <b>%s</b> %s</li>'
            % (fill, html.escape(name), text, "%.1f %%" % share if share >= 0.05 else "less than 0.1 %")
        )
    return figure("division", "Core hours, %s in all" % compact(whole),
                  '<svg class="plot" aria-hidden="true">%s</svg>' % "".join(shapes),
                  "<ul>%s</ul>" % "".join(items))  # fmt: skip
