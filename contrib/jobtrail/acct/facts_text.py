# SPDX-License-Identifier: LGPL-2.1-or-later
"""A fact as --diff and --job-summary print it: its name in a column, and what is said of it beside."""

from ..text import escape, fit, places

WIDTH = 20


def fact_text(name, values):
    """Lines: the values stand one below the other."""
    name, blank = escape(name), " " * (WIDTH + 3)
    first = "  " + fit(name, -WIDTH) + " " if places(name) <= WIDTH else "  " + name + "\n" + blank
    return first + ("\n" + blank).join(values) + "\n"
