# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts of uses of libraries, by label and day."""

from . import days


class Counts:
    """{label: {day: number}}; `is_least`: lower bounds; `first`: the day from which on there are data, or None."""

    def __init__(self, first, is_least=False):
        self.by_label, self.total, self.first, self.is_least = {}, {}, first, is_least

    def add(self, labels, day, number):
        self.total[day] = self.total.get(day, 0) + number
        for label in labels:
            days_of = self.by_label.setdefault(label, {})
            days_of[day] = days_of.get(day, 0) + number


def first_day(model, sql):
    """Of the time that a statement finds; None: none."""
    [[time]] = model.store.lookup(sql)
    return None if time is None else days.of_time(time)


def first_link(model):
    return first_day(model, "SELECT min(link.build_epoch) FROM link")
