# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page of the report: a table of typed columns."""

from . import days
from .numbers import places_for

# Kinds of columns: how a value is written. RANGE is the interval of the column before it: (low, high), or None where
# that is exact; high is None where there is no upper bound. BESIDE are hours that people see only where there are any.
# ROUNDED + n are hours that are already rounded to n decimals.
TEXT, COUNT, ESTIMATE, RANGE, HOURS, DATE, SHARE, LIST, BESIDE, ROUNDED = range(10)


# decimals of hours below 100
HOURS_PLACES = 1
BETWEEN = "95 % interval"
OVERLAP = "A run counts in each row that it belongs to: the rows have no sum."


class Page:
    """`columns` are (key, title, kind); `rows` lists of their values, and so is `total`; `chart`
    names the column that is drawn as bars, and `drawn` is another chart: a function of the charts of pages
    (contrib/answers/page) and the link function that returns HTML. `order` is (key of a column, "ascending" or "descending"): how the rows are ordered; None: not by a
    column, or by `chart`."""

    def __init__(self, name, title, columns, rows, chart=None, note="", left_out=0, total=None, drawn=None, order=None):
        self.name, self.title, self.note = name, title, note
        self.columns, self.rows, self.chart = columns, rows, chart
        self.left_out, self.total, self.drawn, self.order = left_out, total, drawn, order

    def for_people(self, numbers):
        """Without intervals where all is exact, and without hours that are all written as 0. They have as many
        decimals as the five numbers where these are small."""
        places = places_for(max(numbers[name] or 0 for name in ("allocation", "programs", "inclusive", "running")))
        is_small = places > HOURS_PLACES
        least = 0.5 / 10 ** (places if is_small else HOURS_PLACES)
        keep = [at for at, (_, _, kind) in enumerate(self.columns) if self.is_shown(at, kind, least)]
        columns = [self.columns[at] for at in keep]
        if is_small:
            columns = [(key, title, ROUNDED + places if kind in (HOURS, BESIDE) else kind) for key, title, kind in columns]
        rows = [[row[at] for at in keep] for row in self.rows]
        total = self.total and [self.total[at] for at in keep]
        return Page(self.name, self.title, columns, rows, self.chart, self.note, self.left_out, total, self.drawn, self.order)

    def is_shown(self, at, kind, least):
        values = [row[at] for row in self.rows + ([self.total] if self.total else [])]
        if kind == RANGE:
            return any(value is not None for value in values) and self.is_shown(at - 1, self.columns[at - 1][2], least)
        return kind != BESIDE or any((value or 0) > least for value in values)


def pairs(name, title, heads, rows, note=""):
    """A table of names and values."""
    return Page(name, title, [(key, text, TEXT) for key, text in heads], rows, note=note)


def top(items, options):
    """The first --top of them, and the number of the others."""
    count = options.top or len(items)
    return items[:count], max(len(items) - count, 0)


def day_of(epoch):
    return None if epoch is None else days.text(days.of_time(epoch))
