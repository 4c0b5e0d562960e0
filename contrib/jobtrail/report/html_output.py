# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report as one HTML page without further files: no network, no fonts, no images.

All text of the store is escaped twice: as for a terminal, and for HTML. The Content-Security-Policy allows
the page's own script and style, by their hashes, and no others.
"""

import base64
import hashlib
import html
import os

from ..text import cell
from .charts import bars, history, share_bar
from .pages import COUNT, DATE, LIST, RANGE, TEXT
from .text_output import beside_line, between, compact, days_line, numbers_line, percent, source_line, weight_line, written

HERE = os.path.dirname(__file__)
FILTER_FROM = 8  # rows


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy(style, script):
    return "default-src 'none'; img-src data:; style-src 'sha256-%s'; script-src 'sha256-%s'" % (
        digest(style),
        digest(script),
    )


def data_cell(value, kind):
    text = html.escape(written(value, kind))
    if kind in (TEXT, LIST):
        return '<td class="t">%s</td>' % text
    if kind == DATE:
        return "<td>%s</td>" % text
    if kind == RANGE:
        value = value and value[0]
    return '<td data-v="%s">%s</td>' % ("" if value is None else repr(round(value, 6)), text)


def header_cell(title, kind):
    css = ' class="t"' if kind in (TEXT, LIST) else ""
    return '<th scope="col"%s><button type="button">%s</button></th>' % (css, html.escape(title))


def table(page):
    kinds = [kind for _, _, kind in page.columns]

    def row(values):
        return "<tr>%s</tr>" % "".join(map(data_cell, values, kinds))

    head = "".join(header_cell(title, kind) for _, title, kind in page.columns)
    body = "\n".join(row(values) for values in page.rows)
    foot = "<tfoot>%s</tfoot>" % row(page.total) if page.total else ""
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="%s"><table>'
        "<thead><tr>%s</tr></thead>\n<tbody>%s</tbody>%s</table></div>"
        % (html.escape(page.title), head, body, foot)
    )


def numbers(head):
    found = head["numbers"]
    bar = "" if found["coverage"] is None else share_bar(found["coverage"])
    lines = [numbers_line(found), source_line(found), beside_line(found), days_line(found)]
    return '<p class="coverage">%s%s</p>' % (bar, "<br>".join(html.escape(line) for line in lines if line))


def section(page, head):
    page = page.for_people(head["numbers"])
    notes = []
    if page.left_out:
        notes.append("and %d more" % page.left_out)
    if page.note:
        notes.append(page.note)
    find = ""
    if len(page.rows) >= FILTER_FROM:
        find = '<input class="filter" type="search" placeholder="Filter" aria-label="Filter %s" hidden>'
        find %= html.escape(page.title)
    return '<section id="%s"><h2>%s</h2>%s%s%s%s%s</section>' % (
        page.name,
        html.escape(page.title),
        numbers(head),
        bars(page),
        find,
        table(page) if page.rows else '<p class="soft">Nothing.</p>',
        "".join('<p class="soft">%s</p>' % html.escape(note) for note in notes),
    )


def card(value, label):
    return "<li><b>%s</b><span>%s</span></li>" % (html.escape(value), html.escape(label))


def cards(head):
    found = head["numbers"]
    runs_label = "runs"
    if head["runs_low"] is not None:
        runs_label += ", 95 % interval: " + between(head["runs_low"], head["runs_high"])
    hours, hours_label = found["programs"], "core hours of programs"
    if not found["allocation"] and found["inclusive"]:
        hours, hours_label = found["inclusive"], "core hours, inclusive"
    return '<ul class="cards">%s</ul>' % "".join(
        [card(compact(hours), hours_label), card(compact(head["runs"]), runs_label)]
        + [card(written(head[name], COUNT), name) for name in ("jobs", "users", "accounts")]
        + [card("?" if found["coverage"] is None else percent(found["coverage"]), "coverage")]
    )


def print_html(head, pages, by_day):
    style, script = read("page.css"), read("page.js")
    title = "Software usage, %s to %s" % (head["numbers"]["first"], head["numbers"]["last"])
    links = "".join(
        '<li><a href="#%s">%s</a></li>' % (page.name, page.name.capitalize())
        for page in pages
    )
    print(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="%s">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        "<title>%s</title>\n<style>%s</style>\n</head>\n<body>"
        % (policy(style, script), html.escape(title), style)
    )
    print(
        '<header><h1>Software usage, <span class="date">%s</span> to <span class="date">%s</span></h1>'
        % (head["numbers"]["first"], head["numbers"]["last"])
    )
    print('<p class="soft">%s</p>%s</header>' % (html.escape(weight_line(head)), cards(head)))
    print("<nav><ul>%s</ul></nav>\n<main>" % links)
    chart = history([(day, hours) for day, hours, _ in by_day if hours], "programs")
    chart += history([(day, hours) for day, _, hours in by_day if hours], "records without exclusive hours")
    if chart:
        print('<section id="overview"><h2>Over time</h2>%s%s</section>' % (numbers(head), chart))
    for page in pages:
        print(section(page, head))
    about = "jobtrail-report, %s, %s" % (head["made"], cell(head["store"]))
    print("</main>\n<footer>%s</footer>" % html.escape(about))
    print("<script>%s</script>\n</body>\n</html>" % script)
