# SPDX-License-Identifier: LGPL-2.1-or-later
"""The five numbers: programs + uncertain + unseen + idle = allocation, in core hours.

They are rounded so that they add up as they are written: each is the next number above or below it.
"""

import math

from .division import HAD_BY_PROGRAMS, IDLE, NOT_ALLOCATED, UNCERTAIN

PARTS = ("programs", "uncertain", "unseen", "idle")
EXACT_PLACES = 6


class Numbers:
    def __init__(self):
        self.programs = self.uncertain = self.idle = 0.0
        self.not_allocated = 0.0  # of the programs', and so of the allocation, which nobody tells
        self.unseen_by = {}

    def add(self, outcome, hours):
        if outcome in HAD_BY_PROGRAMS:
            self.programs += hours
            if outcome == NOT_ALLOCATED:
                self.not_allocated += hours
        elif outcome == UNCERTAIN:
            self.uncertain += hours
        elif outcome == IDLE:
            self.idle += hours
        else:
            self.unseen_by[outcome] = self.unseen_by.get(outcome, 0.0) + hours

    @property
    def unseen(self):
        return sum(self.unseen_by.values())

    @property
    def allocation(self):
        return self.programs + self.uncertain + self.unseen + self.idle

    @property
    def coverage(self):
        """The programs' share of what is known to be allocated; None: nothing."""
        whole = self.allocation - self.not_allocated
        return (self.programs - self.not_allocated) / whole if whole > 1e-9 else None

    def rounded(self, places):
        """{"allocation" and each of PARTS: hours}"""
        whole, parts = add_up([getattr(self, name) for name in PARTS], places)
        return dict(zip(("allocation",) + PARTS, [whole] + parts))

    def unseen_rounded(self, unseen, places):
        """{outcome: hours} that add up to that rounded value."""
        names = sorted(self.unseen_by)
        _, parts = add_up([self.unseen_by[name] for name in names], places, unseen)
        return dict(zip(names, parts))


def places_for(hours):
    """How many decimals people are shown of numbers up to this."""
    return 0 if hours >= 1000 else 1 if hours >= 10 else 3


def add_up(values, places, whole=None):
    """(sum, values), rounded to so many decimals by the method of the largest remainder: the values add up to the sum.
    `whole`: what they have to add up to, at the most one unit for each value away from their sum."""
    unit = 10**places
    scaled = [max(value, 0.0) * unit for value in values]
    count = round(sum(scaled)) if whole is None else round(whole * unit)
    low = [math.floor(value) for value in scaled]
    order = sorted(range(len(values)), key=lambda at: (low[at] - scaled[at], at))
    for at in order[: max(count - sum(low), 0)]:
        low[at] += 1
    return round(count / unit, places), [round(value / unit, places) for value in low]


def lists_line(model, of_others=False):
    """What the lists lack that pages about libraries are made of; "": nothing. `of_others`: as for model.lists()."""
    lacking, unknown = model.lists(of_others)
    parts = ["{:,} runs have an incomplete list of libraries.".format(lacking)] if lacking else []
    if unknown:
        parts.append("{:,} runs have a list of libraries that may be incomplete.".format(unknown))
    return " ".join(parts)


def unseen_line(model):
    """What pages about libraries cannot know."""
    numbers = Numbers()
    for _, outcome, hours in model.division():
        numbers.add(outcome, hours)
    if numbers.coverage is None:
        told = "How much of the allocated time has records is not known."
    else:
        told = "%.1f %% of the allocated time has records: what the rest loaded is not known." % (100 * numbers.coverage)
    return (told + " " + lists_line(model, True)).rstrip()
