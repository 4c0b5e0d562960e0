# SPDX-License-Identifier: LGPL-2.1-or-later
"""What every HTML page of the answers has: its document with style and script, navigation, sections and notes.

A page is one file: no network, no fonts, no images. Its Content-Security-Policy allows its own script and style, by
their hashes, and no others. All functions return HTML; of their arguments `*parts`, `top`, `main` and `bottom` are HTML
already, and all else is text.
"""

import base64
import hashlib
import html
import os

from ...pattern import Pattern

DATE = Pattern(r"\d{4}-\d\d-\d\d")
HERE = os.path.dirname(__file__)
# Fills that differ without colour. They are named by charts.py.
PATTERNS = (
    '<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>'
    '<pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="ground" width="6" height="6"/><line class="stroke" x1="1" x2="1" y1="0" y2="6"/></pattern>'
    '<pattern id="dotted" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<rect class="ground" width="6" height="6"/><circle class="dot" cx="3" cy="3" r="1.5"/></pattern>'
    '<pattern id="crossed" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="ground" width="7" height="7"/><path class="stroke" d="M1 0V7M0 1H7"/></pattern>'
    '<pattern id="lined" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<line class="faint" x1="0" x2="4" y1="1" y2="1"/></pattern>'
    '<pattern id="blank" width="9" height="9" patternUnits="userSpaceOnUse">'
    '<circle class="speck" cx="4" cy="4" r="1"/></pattern>'
    "</defs></svg>"
)


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy(style, script):
    return (
        "default-src 'none'; base-uri 'none'; img-src data:; style-src 'sha256-%s'; script-src 'sha256-%s'"
        % (digest(style), digest(script))
    )


def document(title, top, navigation, main, bottom):
    """The whole page. `top` follows the page's <h1>, which is `title`."""
    style, script = read("page.css"), read("page.js")
    heading = DATE.sub(r'<span class="date">\g<0></span>', html.escape(title))
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta http-equiv="Content-Security-Policy" content="%s">\n' % policy(style, script),
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n',
            "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n" % (html.escape(title), style),
            '<a class="skip" href="#main">Skip the list of pages</a>\n' + PATTERNS,
            '\n<header id="top"><h1>%s</h1>%s</header>\n' % (heading, top),
            '<div class="body">\n%s\n<main id="main" tabindex="-1">\n%s\n</main>\n</div>\n' % (navigation, main),
            "<footer>%s</footer>\n<script>%s</script>\n</body>\n</html>\n" % (bottom, script),
        )
    )


def navigation(groups, current=None):
    """`groups`: [(title, [(href, text)])]; `current`: the href of this page"""
    out = []
    for number, (title, links) in enumerate(groups):
        items = "".join(
            '<li><a href="%s"%s>%s</a></li>'
            % (html.escape(href), ' aria-current="page"' if href == current else "", html.escape(text))
            for href, text in links
        )
        out.append(
            '<div><p id="nav-%d">%s</p><ul aria-labelledby="nav-%d">%s</ul></div>'
            % (number, html.escape(title), number, items)
        )
    return '<nav aria-label="Pages"><details open><summary>Pages</summary>%s</details></nav>' % "".join(out)


def section(name, title, *parts):
    """`name` is its id."""
    return '<section id="%s" aria-labelledby="%s-title"><h2 id="%s-title">%s</h2>%s</section>' % (
        name, name, name, html.escape(title), "".join(parts))  # fmt: skip


def folded(name, title, is_open, *parts):
    """A section that unfolds."""
    return '<section id="%s" aria-labelledby="%s-title"><details%s><summary><h2 id="%s-title">%s</h2></summary>%s</details></section>' % (
        name, name, " open" if is_open else "", name, html.escape(title), "".join(parts))  # fmt: skip


def findings(sentences):
    return '<ul class="findings">%s</ul>' % "".join("<li>%s</li>" % html.escape(text) for text in sentences) if sentences else ""


def note(text):
    return '<p class="soft">%s</p>' % html.escape(text) if text else ""


def cards(values):
    """`values`: [(value, what it is)]"""
    items = "".join(
        "<li><b>%s</b> <span>%s</span></li>" % (html.escape(value), html.escape(label)) for value, label in values
    )
    return '<ul class="cards">%s</ul>' % items
