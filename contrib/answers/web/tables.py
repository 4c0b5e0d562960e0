# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is shown of a table: the rows that fit a filter, in an order, some at a time; or all of these as CSV and JSON."""

import json

from ...report.columns import LIST, RANGE, TEXT
from ...report.text_output import exact_columns, exact_row, named, written
from ...text import csv_row

ROWS = 50
ROWS_MAX = 1000
FIRST = 10  # rows of a table that stands among others


class View:
    """How a table is asked for: `find`, `sort` (a column's key, with - before it from the largest on), `page` from 1
    on, `rows` of one page."""

    def __init__(self, find="", sort="", page=1, rows=ROWS):
        self.find, self.sort, self.page, self.rows = find, sort, page, rows


class Shown:
    """Of a table of the report (pages.Page): `rows` that are shown, `found` that fit the filter, `count` in all,
    `page` of `pages`."""

    def __init__(self, table, view):
        self.table, self.view = table, view
        self.count = len(table.rows)
        self.fitting = ordered(table, fitting(table, view.find), view.sort)
        self.found = len(self.fitting)
        self.pages = max(-(-self.found // view.rows), 1)
        self.page = min(view.page, self.pages)
        self.rows = self.fitting[(self.page - 1) * view.rows : self.page * view.rows]

    @property
    def total(self):
        """The sums are of all rows, and stand below the last one."""
        return self.table.total if self.page == self.pages and not self.view.find else None

    @property
    def has_more(self):
        return self.page < self.pages

    def can_sort(self, key):
        return place_of(self.table, key) is not None

    def counted(self):
        """Which rows are shown, in words."""
        first = (self.page - 1) * self.view.rows + 1
        words = "Rows {:,} to {:,} of {:,}".format(first, first + len(self.rows) - 1, self.found) if self.rows else "No rows"
        return words + (" that fit, of {:,}".format(self.count) if self.view.find else "")


def fitting(table, find):
    """The rows that have the text in one of their cells; upper and lower case are the same."""
    if not find:
        return table.rows
    wanted, kinds = find.lower(), [kind for _, _, kind in table.columns]
    return [row for row in table.rows if any(wanted in whole(*cell).lower() for cell in zip(row, kinds))]


def whole(value, kind):
    """A cell as it is shown, and all of a list."""
    return str(value) if kind == LIST and value is not None else written(value, kind)


def place_of(table, key):
    """Of the column that the table can be sorted by; None: there is none."""
    return next((at for at, (name, _, kind) in enumerate(table.columns) if name == key and kind != RANGE), None)


def ordered(table, rows, sort):
    at = place_of(table, sort.lstrip("-"))
    if at is None:
        return rows
    known = [row for row in rows if row[at] is not None]
    known.sort(key=lambda row: sort_key(row[at]), reverse=sort.startswith("-"))
    return known + [row for row in rows if row[at] is None]


def sort_key(value):
    return value.lower() if isinstance(value, str) else value


def first_order(key, kind):
    """What a column is sorted by at first: names from a on, numbers and days from the largest on."""
    return key if kind in (TEXT, LIST) else "-" + key


def as_csv(shown):
    table = shown.table
    lines = [csv_row([key for _, key, _ in exact_columns(table)])]
    lines += [csv_row(exact_row(table, row)) for row in shown.fitting]
    return "".join(line + "\n" for line in lines)


def as_json(head, tables):
    """`tables`: Shown; all of their rows that fit."""
    document = dict(head)
    document["tables"] = [
        {
            "name": shown.table.name,
            "title": shown.table.title,
            "note": shown.table.note,
            "filter": shown.view.find or None,
            "rows": [named(shown.table, row) for row in shown.fitting],
            "total": named(shown.table, shown.table.total) if shown.table.total and not shown.view.find else None,
        }
        for shown in tables
    ]
    return json.dumps(document, indent=1) + "\n"
