# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums of the records under one name, and estimates of all runs where sampling left some out."""

from . import bounds
from .gather import INCLUSIVE, LEFT_OUT, RECORDED


class Sums:
    """Sets of people are the bits of a number, which makes unions quick. `runs` and `hours` are of records with
    exclusive core hours, `left_runs` and `left_hours` of runs that sampling left out, the others of records
    without exclusive core hours; all as they are, without weights. `strata` are those with a probability of less than
    1: {(basis, p): [n, hours, squares]}, or None."""

    __slots__ = ("runs", "hours", "left_runs", "left_hours", "inclusive_runs", "inclusive", "uncertain", "last",
                 "users", "accounts", "jobs", "strata", "running")  # fmt: skip

    def __init__(self):
        self.runs = self.hours = self.left_runs = self.left_hours = 0.0
        self.inclusive_runs = self.inclusive = self.uncertain = self.running = 0.0
        self.last = self.strata = None
        self.users = self.accounts = self.jobs = 0

    def add(self, other):
        self.runs += other.runs
        self.hours += other.hours
        self.left_runs += other.left_runs
        self.left_hours += other.left_hours
        self.inclusive_runs += other.inclusive_runs
        self.inclusive += other.inclusive
        self.uncertain += other.uncertain
        self.running += other.running
        self.users |= other.users
        self.accounts |= other.accounts
        if other.last is not None and (self.last is None or other.last > self.last):
            self.last = other.last
        if other.strata:
            for at, values in other.strata.items():
                self.add_stratum(at, *values)

    def add_row(self, people, basis, p, n, hours, squares, uncertain, last):
        if basis == RECORDED:
            self.runs += n
            self.hours += hours
        elif basis == LEFT_OUT:
            self.left_runs += n
            self.left_hours += hours
        else:
            self.inclusive_runs += n
            self.inclusive += hours
        self.uncertain += uncertain
        self.users |= people[0]
        self.accounts |= people[1]
        if last is not None and (self.last is None or last > self.last):
            self.last = last
        if p < 1:
            self.add_stratum((basis, p), n, hours, squares)

    def add_stratum(self, at, n, hours, squares):
        if self.strata is None:
            self.strata = {}
        have = self.strata.setdefault(at, [0.0, 0.0, 0.0])
        have[0] += n
        have[1] += hours
        have[2] += squares


class SumsByName(dict):
    def __missing__(self, name):
        self[name] = Sums()
        return self[name]


class Estimates:
    """What sums say of all runs: (value, None where it is exact, else (low, high)). high is None where there
    is no upper bound."""

    def __init__(self, total, largest, others, raw, has_left_out=True):
        """`total`: of everything; `largest`: {(basis, p): most core hours of one run}, of all p of less than 1 with
        which runs were kept; `others`: how many of the runs that sampling left out have no core hours;
        `has_left_out`: those that it left out are in the sums."""
        self.largest = largest
        self.left_runs = total.left_runs
        self.left_hours = None if others else total.left_hours
        self.raw = raw
        self.bases = {basis for basis, _ in largest}
        self.knows_left_out = has_left_out and self.is_enough(total)

    def is_enough(self, total):
        """Whether as many are known to be left out as the records let expect. If not, those of their jobs' coverage
        records are missing which tell."""
        _, interval = self.estimate(total, RECORDED, 0, total.runs, None)
        return interval is None or total.runs + total.left_runs >= interval[0]

    def most(self, kept, left):
        return None if left is None or not self.knows_left_out else kept + left

    def runs(self, sums, is_exact):
        """`is_exact`: of a name for which it is known how many runs sampling left out."""
        if self.raw:
            return sums.runs + sums.inclusive_runs, None
        older = self.estimate(sums, INCLUSIVE, 0, sums.inclusive_runs, None)
        if is_exact and self.knows_left_out:
            return plus(older, sums.runs + sums.left_runs)
        return both(self.estimate(sums, RECORDED, 0, sums.runs, self.most(sums.runs, self.left_runs)), older)

    def hours(self, sums, is_exact):
        if self.raw:
            return sums.hours, None
        if is_exact and self.knows_left_out:
            return sums.hours + sums.left_hours, None
        return self.estimate(sums, RECORDED, 1, sums.hours, self.most(sums.hours, self.left_hours))

    def inclusive(self, sums):
        if self.raw:
            return sums.inclusive, None
        return self.estimate(sums, INCLUSIVE, 1, sums.inclusive, None)

    def estimate(self, sums, basis, at, kept, most):
        """`at`: 0 for runs, 1 for hours. `most` is what it cannot exceed, None: not known."""
        if basis not in self.bases:
            return kept, None
        have = sums.strata or {}
        strata, sampled, value = [], 0.0, kept
        for (of, p), largest in self.largest.items():
            if of != basis:
                continue
            values = have.get((of, p), (0.0, 0.0, 0.0))
            if at == 0:
                strata.append(bounds.Stratum(p, values[0], values[0], 1.0))
            else:
                strata.append(bounds.Stratum(p, values[1], values[2], largest))
            sampled += values[at]
            value += values[at] * (1 / p - 1)
        certain = max(kept - sampled, 0.0)
        strata.append(bounds.Stratum(1.0, certain, certain, 1.0))
        low, high = bounds.interval(strata, most)
        if high is not None:
            value = min(value, high)
        return value, (min(low, value), high)


class OfPrograms:
    """Instead of Numbers, where programs are chosen: what was allocated beside them is no program's."""

    allocation = uncertain = unseen = idle = coverage = None
    not_allocated = 0.0
    unseen_by = {}

    def __init__(self, hours):
        """`hours`: an estimate, as Estimates makes it."""
        self.programs, self.interval = hours

    def rounded(self, places):
        """As that of Numbers."""
        return {"allocation": None, "programs": round(self.programs, places), "uncertain": None, "unseen": None, "idle": None}


def plus(estimate, more):
    value, interval = estimate
    if interval is None:
        return value + more, None
    return value + more, (interval[0] + more, None if interval[1] is None else interval[1] + more)


def both(one, other):
    """The sum of two estimates, between the sums of their bounds."""
    if one[1] is None:
        return plus(other, one[0])
    if other[1] is None:
        return plus(one, other[0])
    (low, high), (more_low, more_high) = one[1], other[1]
    return one[0] + other[0], (low + more_low, None if None in (high, more_high) else high + more_high)
