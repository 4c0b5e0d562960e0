# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table of a page as HTML: sorted by clicks or, where the server orders it, by links.

All text of the store is escaped twice: as for a terminal, and for HTML.
"""

import html

from ...report.columns import DATE, LIST, RANGE, TEXT
from ...report.text_output import LISTED, written

FILTER_FROM = 8  # rows
WORDS = {"CoreHrs": "Core hours", "Accts": "Accounts"}


def title_of(title):
    """Without the abbreviations that save places on a terminal."""
    title = title[2:] if title.startswith("# ") else title
    return WORDS.get(title, title)


def linked(text, href):
    return text if href is None else '<a href="%s">%s</a>' % (html.escape(href), text)


def row_of(page, values):
    """{key: value}, without intervals"""
    return {key: value for (key, _, kind), value in zip(page.columns, values) if kind != RANGE}


def text_cell(column, value, row, link):
    key, _, kind = column
    if link is None or value is None:
        return html.escape(written(value, kind))
    if kind == TEXT:
        return linked(html.escape(written(value, kind)), link(key, value, row))
    names = value.split(", ")
    shown = names if len(names) <= LISTED + 1 else names[:LISTED]
    out = ", ".join(linked(html.escape(written(name, TEXT)), link(key, name, row)) for name in shown)
    return out if shown is names else "%s, %d more" % (out, len(names) - LISTED)


def data_cell(column, value, row, link, is_head):
    kind = column[2]
    if kind in (TEXT, LIST):
        text = text_cell(column, value, row, link)
        return '<th scope="row" class="t">%s</th>' % text if is_head else '<td class="t">%s</td>' % text
    text = html.escape(written(value, kind))
    if kind == DATE:
        return '<td class="d">%s</td>' % text
    if kind == RANGE:
        value = value and value[0]
        return '<td class="r" data-v="%s">%s</td>' % ("" if value is None else repr(round(value, 6)), text)
    return '<td data-v="%s">%s</td>' % ("" if value is None else repr(round(value, 6)), text)


def header_cell(column, order, order_href):
    """`order`: how the table is ordered by this column; None: it is not"""
    key, title, kind = column
    css = ' class="t"' if kind in (TEXT, LIST) else ' class="d"' if kind == DATE else ""
    sort = ' aria-sort="%s"' % order if order else ""
    text = html.escape(title_of(title))
    if order_href is None:
        inner = '<button type="button">%s</button>' % text
    elif kind == RANGE:
        inner = text
    else:
        inner = linked(text, order_href(key))
    return '<th scope="col"%s%s>%s</th>' % (css, sort, inner)


def order_of(page):
    """(key, "descending") where the rows are in the order of the chart's column; None: they are not."""
    at = next((at for at, (key, _, kind) in enumerate(page.columns) if key == page.chart and kind != RANGE), None)
    if at is None:
        return None
    values = [row[at] or 0 for row in page.rows if row[0] is not None]
    is_ordered = all(one >= other for one, other in zip(values, values[1:]))
    return (page.chart, "descending") if is_ordered else None


def table(page, link=None, order=None, order_href=None):
    """`link(key, value, row)`: where a text leads to, or None; `row` is {key: value}. `order`: (key, "ascending" or
    "descending"), what the rows are ordered by. `order_href(key)`: where the head of a column leads to; None: page.js
    orders the rows."""
    order = order or order_of(page)

    def cells(values):
        row = row_of(page, values) if link else None
        return "<tr>%s</tr>" % "".join(
            data_cell(column, value, row, link, at == 0) for at, (column, value) in enumerate(zip(page.columns, values))
        )

    head = "".join(
        header_cell(column, order[1] if order and order[0] == column[0] and column[2] != RANGE else None, order_href)
        for column in page.columns
    )
    body = "\n".join(map(cells, page.rows))
    foot = "<tfoot>%s</tfoot>" % cells(page.total) if page.total else ""
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="%s: table"><table>'
        "<thead><tr>%s</tr></thead>\n<tbody>%s</tbody>%s</table></div>" % (html.escape(page.title), head, body, foot)
    )


def find_field(page):
    """A field that hides the rows that do not hold its text; page.js shows it."""
    if len(page.rows) < FILTER_FROM:
        return ""
    label = html.escape("Find in %s" % page.title)
    return '<p class="find" hidden><label>Find <input type="search" aria-label="%s"></label> <output></output></p>' % label
